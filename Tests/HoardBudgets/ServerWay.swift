// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import HTTPTypes
    import HoardHTTP
    import HoardHummingbird
    import HoardProxy
    import HoardTransports
    import Hummingbird
    import Logging
    import NIOCore
    import NIOPosix

    /// A way through a server: the proxy, with memory alone, or the middleware. The count covers the work of both
    /// ends of the server's connections, from the first byte to the last.
    enum ServerWay: String, CaseIterable {
        case proxyHit = "proxy hit"
        case proxyNotStored = "proxy no-store"
        case proxyStoredMiss = "proxy stored miss"
        case proxyRevalidation = "proxy revalidation"
        case handler = "handler alone"
        case middlewareHit = "middleware hit"
        case middlewareNotStored = "middleware no-store"
        case middlewareStoredMiss = "middleware stored miss"

        private var path: String {
            switch self {
            case .proxyHit, .proxyStoredMiss, .middlewareHit, .middlewareStoredMiss: "/stored/"
            case .proxyNotStored, .handler, .middlewareNotStored: "/no-store/"
            case .proxyRevalidation: "/no-cache/"
            }
        }

        private var isNew: Bool { ![.proxyHit, .proxyRevalidation, .middlewareHit].contains(self) }

        func take(_ count: Int) async throws {
            switch self {
            case .proxyHit, .proxyNotStored, .proxyStoredMiss, .proxyRevalidation: try await takeThroughProxy(count)
            case .handler, .middlewareHit, .middlewareNotStored, .middlewareStoredMiss: try await takeThroughMiddleware(count)
            }
        }

        private func takeThroughProxy(_ count: Int) async throws {
            let originPort = try LoopbackConnection.serve { Self.answer(to: $0) }
            var configuration = CachingProxy.Configuration(
                upstreams: [.init(name: "origin", servers: [try Origin("http://127.0.0.1:\(originPort)")])]
            )
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
            configuration.eventLoopCount = 1
            let proxy = try await CachingProxy.start(
                configuration: configuration,
                stores: [],
                logger: Logger(label: "budgets") { _ in SwiftLogNoOpLogHandler() }
            )
            guard let port = proxy.address.split(separator: ":").last.flatMap({ Int($0) }) else { throw WrongWay(way: proxy.address) }
            // Leaves a connection to the origin behind, and a response for hits and revalidations.
            try await LoopbackConnection.get(path, 1, isNew: false, port: port)
            let before = proxy.cache.statistics
            try await LoopbackConnection.get(path, isNew ? count + 1 : count, isNew: isNew, port: port)
            try check(proxy.cache.statistics, before, count)
            await proxy.shutdown(gracePeriod: .zero)
        }

        private static let common = "HTTP/1.1 200 OK\r\nServer: budgets\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\nContent-Type: text/plain\r\n"
        private static let answers = ["max-age=2147483647", "no-store", "no-cache\r\nETag: \"1\""].map { control in
            Array("\(common)Content-Length: 1024\r\nCache-Control: \(control)\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 1_024)
        }
        private static let notModified =
            Array(
                "HTTP/1.1 304 Not Modified\r\nServer: budgets\r\nDate: Tue, 14 Nov 2023 00:00:00 GMT\r\nETag: \"1\"\r\nCache-Control: no-cache\r\n\r\n"
                    .utf8
            )

        private static func answer(to head: UnsafeRawBufferPointer) -> [UInt8] {
            // "GET /stored/…", "GET /no-store/…", "GET /no-cache/…"
            if head[5] == UInt8(ascii: "s") { return answers[0] }
            if head[8] == UInt8(ascii: "s") { return answers[1] }
            return head.firstIndex(of: "f-None-Match") == nil ? answers[2] : notModified
        }

        private func takeThroughMiddleware(_ count: Int) async throws {
            let router = Router()
            let caching = HTTPCacheMiddleware<BasicRequestContext>()
            if self != .handler { router.add(middleware: caching) }
            let content = ByteBuffer(repeating: 0x61, count: LoopbackConnection.contentByteCount)
            for (path, control) in [("stored", "max-age=3600"), ("no-store", "no-store")] {
                router.get("\(path)/:id") { _, _ in
                    Response(status: .ok, headers: [.cacheControl: control, .contentType: "text/plain"], body: .init(byteBuffer: content))
                }
            }
            let (ports, port) = AsyncStream<Int>.makeStream()
            let application = Application(
                responder: router.buildResponder(),
                configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
                logger: Logger(label: "budgets") { _ in SwiftLogNoOpLogHandler() }
            )
            let server = Task { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            guard let number = await iterator.next() else { throw WrongWay(way: rawValue) }
            try await LoopbackConnection.get(path, 1, isNew: false, port: number)
            let before = caching.cache.statistics
            try await LoopbackConnection.get(path, isNew ? count + 1 : count, isNew: isNew, port: number)
            if self != .handler { try check(caching.cache.statistics, before, count) }
            server.cancel()
        }

        private func check(_ after: HTTPCacheStatistics, _ before: HTTPCacheStatistics, _ count: Int) throws {
            let counted =
                switch self {
                case .proxyHit, .middlewareHit: after.hits - before.hits
                case .proxyStoredMiss, .middlewareStoredMiss: after.storedResponses - before.storedResponses
                case .proxyRevalidation: after.validatedHits - before.validatedHits
                // The first miss belongs to the request that was sent before.
                case .proxyNotStored, .middlewareNotStored: after.misses - before.misses - 1
                case .handler: count
                }
            guard counted == count else { throw WrongWay(way: "\(rawValue): \(counted)") }
        }
    }
#endif
