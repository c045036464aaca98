// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import Testing

@testable import HoardProxy

@Suite struct ForwardedRequestTests {
    private static func path(_ target: String, below origin: String) throws -> String? {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "public.test", path: target)
        return ForwardedRequest.make(from: request, to: try Origin(origin), version: "1.1", name: "test").path
    }

    /// The route of an upstream with one server, without a network.
    private static func route(_ origin: String, forwardsHost: Bool = false) throws -> ProxyRoute {
        let origin = try Origin(origin)
        let group = try OriginGroup.of([FakeServer()]) { upstream in
            upstream.servers = [origin]
            upstream.forwardsHost = forwardsHost
        }
        return ProxyRoute(.init(upstream: "test"), origin: origin, group: group)
    }

    @Test(
        arguments: [
            ("/../admin", "/public/admin"), ("/%2e%2e/admin", "/public/admin"), ("/a/../../../admin?x=/../y", "/public/admin?x=/../y"),
            ("/.%2E", "/public/"), ("/a/./b", "/public/a/b"), ("/a%2Fb", "/public/a%2Fb"), ("/", "/public/"), ("?q", "/public/?q"),
            ("..", "/public/"),
        ]
    )
    func noSpellingOfAPathLeadsOutOfTheBasePath(_ target: String, _ path: String) throws {
        #expect(try Self.path(target, below: "http://app.test/public") == path)
        let route = try Self.route("http://app.test/public")
        #expect(route.keyURI(authority: nil, target: target) == "http://app.test\(path)")
    }

    @Test func withoutABasePathTheTargetStaysAsItIs() throws {
        // The cache brings it into normal form.
        #expect(try Self.path("/a/../b", below: "http://app.test") == "/a/../b")
        #expect(try Self.route("http://app.test").keyURI(authority: nil, target: "/a/../../b") == "http://app.test/b")
    }

    @Test(
        arguments: [
            ("example.com:80", "example.com"), ("EXAMPLE.com:443", "example.com:443"), ("example.com:0080", "example.com"), ("a b", nil),
            (nil, "app.test:3000"),
        ] as [(String?, String?)]
    )
    func serversAreToldTheHostThatIsInTheKey(_ authority: String?, _ host: String?) throws {
        let route = try Self.route("http://app.test:3000", forwardsHost: true)
        let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        let client = route.client(of: HTTPServerRequest(head: head, remoteAddress: "192.0.2.1"), trusting: TrustedProxies([]))
        #expect(client?.host == host)
        #expect(route.keyURI(authority: authority, target: "/") == host.map { "http://\($0)/" })
    }

    private static let names = [
        "X_Forwarded_For", "x-forwarded_host", "X_FORWARDED_PROTO", "Content_Length", "Transfer_Encoding", "Proxy_Authorization", "X_Real_IP",
        "X_Own", "_", "X-Own",
    ]

    /// Servers that make variables of fields read an underscore as a hyphen.
    @Test(arguments: [false, true]) func fieldsWithUnderscoresDoNotPass(passesOthers: Bool) throws {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "public.test", path: "/")
        for name in Self.names { request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "1")) }
        let forwarded = ForwardedRequest.make(
            from: request,
            to: try Origin("http://app.test"),
            version: "1.1",
            name: "test",
            passesUnderscores: passesOthers
        )
        #expect(forwarded.headerFields.map(\.name.rawName) == (passesOthers ? ["X_Own", "_", "X-Own", "Via"] : ["X-Own", "Via"]))
    }
}
