// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import HoardProxy

@Suite struct ForwardedClientTests {
    private static func client(_ address: String = "192.0.2.1", scheme: String = "https", host: String? = nil) -> ForwardedClient {
        ForwardedClient(address: address, scheme: scheme, host: host)
    }

    @Test(
        arguments: [
            ("192.0.2.43", "for=192.0.2.43;proto=https", "192.0.2.43"),
            ("2001:DB8:cafe::17", "for=\"[2001:db8:cafe::17]\";proto=https", "2001:db8:cafe::17"),
            ("::ffff:192.0.2.1", "for=192.0.2.1;proto=https", "192.0.2.1"),
            ("fe80::1%eth0", "for=\"[fe80::1]\";proto=https", "fe80::1"),
            ("", "for=unknown;proto=https", "unknown"),
            ("/run/a.sock", "for=unknown;proto=https", "unknown"),
            ("192.0.2.1;by=x", "for=unknown;proto=https", "unknown"),
        ]
    )
    func addressIsToldAsRFC7239HasIt(_ address: String, _ forwarded: String, _ plain: String) {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        Self.client(address).addFields(to: &request)
        #expect(request.headerFields[.forwarded] == forwarded)
        #expect(request.headerFields[.xForwardedFor] == plain)
    }

    @Test(
        arguments: [
            ("example.com", "example.com"), ("example.com:8080", "\"example.com:8080\""), ("[::1]", "\"[::1]\""), ("a\"b\\c", "\"a\\\"b\\\\c\""),
        ]
    )
    func hostIsQuotedWhereItHasToBe(_ host: String, _ quoted: String) {
        #expect(Self.client(host: host).forwarded == "for=192.0.2.1;proto=https;host=\(quoted)")
    }

    @Test func whatTheClientSaysIsDropped() {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        request.headerFields = [
            .accept: "b", .forwarded: "for=1.2.3.4", .xForwardedFor: "1.2.3.4", .xForwardedHost: "evil", .xForwardedProto: "https",
            .init("x-forwarded-PORT")!: "1",
        ]
        request.headerFields.append(HTTPField(name: .xForwardedFor, value: "5.6.7.8"))
        var told = request
        ForwardedClient.replaceFields(of: &request, with: nil)
        #expect(request.headerFields == [.accept: "b"])
        ForwardedClient.replaceFields(of: &told, with: Self.client(scheme: "http", host: "shop.example"))
        #expect(told.headerFields == [.accept: "b", .xForwardedProto: "http", .xForwardedHost: "shop.example"])
    }

    @Test(
        arguments: [
            ("X-Forwarded-Proto", nil), ("close, x-forwarded-proto", "close"), ("X-Forwarded-Host ,\tVIA,keep-alive", "keep-alive"),
            ("close", "close"),
            ("Forwarded,a, X-Forwarded-Anything,b", "a,b"), ("x-forward, \"x-forwarded-proto\"", "x-forward, \"x-forwarded-proto\""),
        ] as [(String, String?)]
    )
    func connectionDoesNotNameWhatTheProxyWrites(_ value: String, _ kept: String?) {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        request.headerFields = [.accept: "b", .connection: value]
        ForwardedClient.replaceFields(of: &request, with: Self.client())
        #expect(request.headerFields[.connection] == kept)
        #expect(request.headerFields[.accept] == "b" && request.headerFields[.xForwardedProto] == "https")
    }

    @Test func requestWithoutSuchFieldsStaysAsItIs() {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        request.headerFields = [.accept: "b", .cookie: "c"]
        let before = request
        ForwardedClient.replaceFields(of: &request, with: nil)
        #expect(request == before)
    }

    @Test(
        arguments: [
            ("Accept, X-Forwarded-For", "*"), ("forwarded", "*"), ("Accept,\tFORWARDED ", "*"), ("X-Forwarded-Proto", "X-Forwarded-Proto"),
            ("Accept-Encoding", "Accept-Encoding"),
        ]
    )
    func responseThatDependsOnTheAddressIsForNobodyElse(_ vary: String, _ confined: String) {
        var response = HTTPResponse(status: .ok, headerFields: [.vary: vary])
        ForwardedClient.confine(&response)
        #expect(response.headerFields[.vary] == confined)
    }

    @Test func everyLineOfVaryCounts() {
        var response = HTTPResponse(status: .ok)
        response.headerFields.append(HTTPField(name: .vary, value: "Accept"))
        response.headerFields.append(HTTPField(name: .vary, value: "Forwarded"))
        ForwardedClient.confine(&response)
        #expect(response.headerFields[values: .vary] == ["*"])
        var plain = HTTPResponse(status: .ok)
        ForwardedClient.confine(&plain)
        #expect(plain.headerFields.isEmpty)
    }
}
