// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import HoardTransports
import Logging
import NIOCore
import Testing

@testable import HoardProxy

/// Every token is a method ([RFC 9110 §9.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.1)), and arrives at the origin as it was sent.
@Suite(.timeLimit(.minutes(5))) struct ForwardedMethodTests {
    /// Some that the parser knows, one that it knows by another name, some that it does not know, and one of each character that a token may have.
    static let methods = [
        "GET", "POST", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "MSEARCH", "PURGE", "BAN", "BREW", "x-lower", "get", "G", "SOURCE",
        "!#$%&'*+-.^_`|~09azAZ", String(repeating: "LONG", count: 16),
    ]

    @Test(arguments: [false, true], [false, true])
    func aMethodReachesTheOriginAsItWasSent(clientHasHTTP2: Bool, upstreamHasHTTP2: Bool) async throws {
        let frames = try await FrameOrigin.start { request, connection in
            connection.respond("\(request[":method"] ?? "") \(request.path)", stream: request.stream)
        }
        let script = try await ScriptedServer.start { head in
            let text = head.split(separator: " ").prefix(2).joined(separator: " ")
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")]
        }
        var upstream = CachingProxy.Configuration.Upstream(
            name: "origin",
            servers: [try Origin("http://127.0.0.1:\(upstreamHasHTTP2 ? frames.port : script.port)")]
        )
        upstream.version = upstreamHasHTTP2 ? .http2 : .http1
        var configuration = CachingProxy.Configuration(upstreams: [upstream])
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let proxy = try await CachingProxy.start(
            configuration: configuration,
            stores: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let port = proxy.urls.first?.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        var settings = NIOTransport.Configuration()
        settings.version = clientHasHTTP2 ? .http2 : .http1
        let transport = try NIOTransport(configuration: settings)
        let client = CachingClient(transport: transport)
        for (number, name) in Self.methods.enumerated() {
            let method = try #require(HTTPRequest.Method(name))
            // The connection goes on, so each method is also sent behind another.
            for path in ["/transport/\(number)", "/client/\(number)"] {
                let request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
                let body =
                    if path.hasPrefix("/client") {
                        try await client.send(request).body
                    } else {
                        try await transport.send(request, body: .empty).body
                    }
                let bytes = try await body.collect(upTo: 1_000)
                #expect(String(buffer: bytes) == "\(name) \(path)")
            }
        }
        await transport.shutdown()
        await proxy.shutdown(gracePeriod: .zero)
        withExtendedLifetime((frames, script)) {}
    }
}
