// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardNIO
import NIOCore
import Testing

@testable import HoardProxy

@Suite struct TrustedProxiesTests {
    private static func trusted(_ networks: String...) throws -> TrustedProxies {
        TrustedProxies(try networks.map { try #require(IPNetwork($0)) })
    }

    private static func client(_ trusted: TrustedProxies, from peer: String, _ lines: (String, String)...) throws -> TrustedProxies.Client {
        var fields = HTTPFields()
        for (name, value) in lines { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return trusted.client(behind: .init(address: peer, scheme: "http")) { fields }
    }

    @Test func wordOfAStrangerIsDropped() throws {
        let trusted = try Self.trusted("10.0.0.0/8")
        let lines = [("X-Forwarded-For", "1.2.3.4"), ("Forwarded", "for=1.2.3.4;proto=https"), ("X-Forwarded-Proto", "https")]
        for line in lines { #expect(try Self.client(trusted, from: "192.0.2.1", line) == .init(address: "192.0.2.1", scheme: "http")) }
        #expect(try Self.client(TrustedProxies([]), from: "10.0.0.1", lines[0]).address == "10.0.0.1")
    }

    @Test(
        arguments: [
            ("192.0.2.43", "192.0.2.43"), ("6.6.6.6, 192.0.2.43", "192.0.2.43"), ("6.6.6.6, 192.0.2.43, 10.9.9.9", "192.0.2.43"),
            ("10.1.1.1, 10.2.2.2", "10.1.1.1"), ("192.0.2.43:1234", "192.0.2.43"), ("2001:db8::17", "2001:db8::17"),
            ("[2001:db8::17]:99", "2001:db8::17"),
            ("rubbish", "10.0.0.1"), ("6.6.6.6, rubbish", "10.0.0.1"), ("6.6.6.6, rubbish, 10.2.2.2", "10.2.2.2"), ("", "10.0.0.1"),
            ("192.0.2.43,", "10.0.0.1"),
            ("::ffff:192.0.2.43", "::ffff:192.0.2.43"), ("192.0.2.43, ::ffff:10.2.2.2", "192.0.2.43"), ("1.2.3.4.5", "10.0.0.1"),
            ("256.1.1.1", "10.0.0.1"),
        ]
    )
    func theLastAddressCountsThatIsNoTrustedProxys(value: String, expected: String) throws {
        let client = try Self.client(Self.trusted("10.0.0.0/8"), from: "10.0.0.1", ("X-Forwarded-For", value))
        #expect(client.address == expected)
        // If only a proxy is left, the client behind it has no readable address.
        #expect(client.isSettled == !["10.0.0.1", "10.2.2.2"].contains(expected))
    }

    @Test func severalLinesAreOneList() throws {
        let client = try Self.client(Self.trusted("10.0.0.0/8"), from: "10.0.0.1", ("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "192.0.2.43"))
        #expect(client.address == "192.0.2.43")
    }

    @Test(
        arguments: [
            ("for=192.0.2.43", "192.0.2.43", "http"), ("For=\"[2001:db8::17]:4711\";Proto=https", "2001:db8::17", "https"),
            ("for=6.6.6.6;proto=https, for=192.0.2.43", "192.0.2.43", "http"), ("for=192.0.2.43, for=10.3.3.3;proto=https", "192.0.2.43", "https"),
            ("for=_hidden", "10.0.0.1", "http"), ("for=unknown", "10.0.0.1", "http"), ("for=\"6.6.6.6, for=192.0.2.43", "10.0.0.1", "http"),
            ("for=\"6.6.6.6\\\", for=7.7.7.7\", for=192.0.2.43", "192.0.2.43", "http"), ("rubbish", "10.0.0.1", "http"),
            ("for=10.0.0.5;x=\", for=203.0.113.9;proto=http", "10.0.0.1", "http"),
            ("proto=ftp;for=192.0.2.43", "192.0.2.43", "http"),
        ]
    )
    func forwardedIsRead(value: String, address: String, scheme: String) throws {
        let expected = TrustedProxies.Client(address: address, scheme: scheme, isSettled: address != "10.0.0.1")
        #expect(try Self.client(Self.trusted("10.0.0.0/8"), from: "10.0.0.1", ("Forwarded", value)) == expected)
    }

    /// A proxy that writes one of the fields may pass on the other as the client has written it.
    @Test func fieldsThatContradictEachOtherAreNotBelieved() throws {
        let trusted = try Self.trusted("10.0.0.0/8")
        let odd = try Self.client(trusted, from: "10.0.0.1", ("Forwarded", "for=6.6.6.6"), ("X-Forwarded-For", "192.0.2.43"))
        #expect(odd.address == "10.0.0.1" && !odd.isSettled)
        let alike = try Self.client(trusted, from: "10.0.0.1", ("Forwarded", "for=192.0.2.43"), ("X-Forwarded-For", "6.6.6.6, 192.0.2.43"))
        #expect(alike.address == "192.0.2.43" && alike.isSettled)
        let schemes = try Self.client(trusted, from: "10.0.0.1", ("Forwarded", "for=192.0.2.43;proto=https"), ("X-Forwarded-Proto", "http"))
        #expect(schemes.scheme == "http")
    }

    @Test func logReadsTheFieldsFromTheBytesOfARequest() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.43\r\nFORWARDED: for=192.0.2.43\r\nX-Forwarded-Host: b\r\n\r\n"
        let fields = ExchangeReport.Request.bytes(ByteBuffer(string: head)).forwardingFields
        #expect(fields[.xForwardedFor] == "192.0.2.43" && fields[.forwarded] == "for=192.0.2.43" && fields.count == 2)
    }
}
