// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import Testing

@testable import HoardTransports

@Suite struct DestinationTests {
    @Test(
        arguments: [
            ("http", "A.example", "A.example port 80", OriginServer(isSecure: false, host: "a.example", port: 80)),
            ("https", "a.example", "a.example port 443", OriginServer(isSecure: true, host: "a.example", port: 443)),
            ("https", "a.example:8443", "a.example port 8443", OriginServer(isSecure: true, host: "a.example", port: 8_443)),
            ("http", "a.example:", "a.example port 80", OriginServer(isSecure: false, host: "a.example", port: 80)),
            ("http", "[2001:DB8::1]", "[2001:DB8::1] port 80", OriginServer(isSecure: false, host: "2001:db8::1", port: 80)),
            ("http", "[::1]:81", "[::1] port 81", OriginServer(isSecure: false, host: "::1", port: 81)),
        ]
    )
    func hostAndPortAreTakenOutOfTheAuthority(_ scheme: String, _ authority: String, _ name: String, _ server: OriginServer) throws {
        let origin = try Destination(of: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/"))
        #expect(origin.name == name)
        #expect(origin.server == server)
    }

    @Test(
        arguments: [
            ("a.example", "a.example"), ("a.example.", "a.example"), ("127.0.0.1", nil), ("127.0.0.1.", nil), ("[::1]", nil),
        ] as [(String, String?)]
    )
    func encryptionAsksForTheNameWithoutADotAtItsEnd(_ authority: String, _ name: String?) throws {
        #expect(try OriginServer(scheme: "https", authority: authority).encryptedName == name)
    }
}
