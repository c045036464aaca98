// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTransports
import Logging
import NIOCore
import Synchronization
import Testing

@testable import HoardProxy

/// QUERY (RFC 10008) through the proxy, over both versions of HTTP.
@Suite(.timeLimit(.minutes(1))) struct ProxyQueryTests {
    @Test(arguments: [false, true])
    func aQuestionIsAnsweredFromTheCacheByItsContent(hasHTTP2: Bool) async throws {
        let asked = Mutex<[String]>([])
        let origin = try await HTTPServer.start { request in
            let content = (try? await request.body.collect(upTo: 1 << 20)).map { String(buffer: $0) } ?? "broken off"
            asked.withLock { $0.append("\(request.head.method) \(content.prefix(20))") }
            let fields: HTTPFields = [.cacheControl: "max-age=600"]
            return HTTPServerResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody("answer to \(content.prefix(20))"))
        }
        let upstream = CachingProxy.Configuration.Upstream(name: "a", servers: [try Origin("http://127.0.0.1:\(origin.port)")])
        var configuration = CachingProxy.Configuration(upstreams: [upstream])
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: logger)
        var settings = NIOTransport.Configuration()
        settings.version = hasHTTP2 ? .http2 : .http1
        let transport = try NIOTransport(configuration: settings)
        let url = try #require(proxy.urls.first)
        let target = try #require(TargetURI(URIReference(url)))

        func ask(_ content: HTTPBody) async throws -> (text: String, status: String) {
            let request = HTTPRequest(
                method: .query,
                scheme: "http",
                authority: target.authority,
                path: "/search",
                headerFields: [.contentType: "text/plain"]
            )
            let response = try await transport.send(request, body: content, onInterimResponse: nil)
            return (String(buffer: try await response.body.collect(upTo: 1 << 20)), response.head.headerFields[.cacheStatus] ?? "")
        }
        for isHit in [false, true] {
            for content in ["one", "two"] {
                let answer = try await ask(HTTPBody(content))
                #expect(answer.text == "answer to \(content)" && answer.status.contains("hit") == isHit, "\(answer.status)")
            }
        }
        // Of unknown length, and longer than the proxy reads for a key.
        let parts = AsyncStream { stream in
            for part in ["on", "e"] { stream.yield(ByteBuffer(string: part)) }
            stream.finish()
        }
        let streamed = try await ask(HTTPBody(parts, length: nil))
        #expect(streamed.text == "answer to one" && streamed.status.contains("hit"))
        for _ in 1...2 {
            let long = try await ask(HTTPBody(String(repeating: "x", count: 100_000)))
            #expect(long.text == "answer to \(String(repeating: "x", count: 20))" && long.status.contains("fwd=bypass"))
        }
        #expect(asked.withLock { $0 }.count == 4)
        await transport.shutdown()
        await proxy.shutdown(gracePeriod: .zero)
        await origin.shutdown(gracePeriod: .zero)
    }
}
