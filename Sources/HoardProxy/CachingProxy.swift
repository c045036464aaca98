// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
public import HoardHTTP
internal import HoardNIO
internal import HoardTransports
public import Logging
internal import NIOCore
internal import NIOPosix

/// A caching reverse proxy: an HTTP/1.1 server that answers from a shared ``HTTPCache`` and forwards the rest to one origin.
///
/// Requests go to the origin with the origin's own host name; the name that the client used does not matter, so nobody can fill the cache
/// by inventing names.
public final class CachingProxy: Sendable {
    public struct Configuration: Sendable {
        /// Where requests go.
        public var origin: Origin

        /// The address to listen on. Default: `127.0.0.1`.
        public var host: String = "127.0.0.1"

        /// The port to listen on; 0 takes any that is free. Default: 8080.
        public var port: Int = 8080

        /// How many threads serve connections. Default: one for each core.
        public var eventLoopCount: Int?

        /// How the cache behaves. Its mode is always shared.
        public var cache = HTTPCache.Configuration()

        public init(origin: Origin) {
            self.origin = origin
        }
    }

    public let configuration: Configuration

    /// The cache that requests are answered from.
    public let cache: HTTPCache

    /// Where the proxy listens, such as `127.0.0.1:8080`.
    public var address: String { "\(server.host):\(server.port)" }

    private let server: HTTPServer
    private let transport: NIOTransport
    private let threads: MultiThreadedEventLoopGroup

    private init(
        configuration: Configuration,
        cache: HTTPCache,
        server: HTTPServer,
        transport: NIOTransport,
        threads: MultiThreadedEventLoopGroup
    ) {
        self.configuration = configuration
        self.cache = cache
        self.server = server
        self.transport = transport
        self.threads = threads
    }

    /// Starts a proxy. It serves requests when this returns.
    ///
    /// - Parameters:
    ///   - stores: What keeps responses beyond memory, nearest first. ``shutdown(gracePeriod:)`` closes them; if starting fails, the caller does.
    ///   - logger: Gets what is worth knowing. Neither URLs nor fields are logged.
    /// - Throws: ``ProxyError``.
    public static func start(
        configuration: Configuration,
        stores: [any RecordStore],
        logger: Logger
    ) async throws(ProxyError) -> CachingProxy {
        var cacheConfiguration = configuration.cache
        cacheConfiguration.mode = .shared
        let cache = HTTPCache(configuration: cacheConfiguration, stores: stores) { event in
            logger.warning("\(event)", metadata: ["store": "\(event.store)"])
        }
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.eventLoopCount ?? System.coreCount))
        var transportConfiguration = NIOTransport.Configuration()
        transportConfiguration.eventLoopGroup = threads
        let transport: NIOTransport
        do {
            transport = try NIOTransport(configuration: transportConfiguration)
        } catch {
            try? await threads.shutdownGracefully()
            throw ProxyError(.invalidConfiguration, error.message, underlyingError: error)
        }
        let handler = ProxyHandler(
            origin: configuration.origin,
            name: cacheConfiguration.name,
            cache: cache,
            transport: RepeatingTransport(transport),
            logger: logger
        )
        var serverConfiguration = HTTPServer.Configuration(host: configuration.host, port: configuration.port)
        serverConfiguration.eventLoopGroup = threads
        do {
            let server = try await HTTPServer.start(serverConfiguration, logger: logger) { await handler.respond(to: $0) }
            return CachingProxy(configuration: configuration, cache: cache, server: server, transport: transport, threads: threads)
        } catch {
            await transport.shutdown()
            try? await threads.shutdownGracefully()
            throw ProxyError(.cannotListen, error.message, underlyingError: error)
        }
    }

    /// Stops accepting connections, lets the requests under way end, and writes what is still to be written.
    ///
    /// - Parameter gracePeriod: How long requests may take to end before their connections are closed.
    public func shutdown(gracePeriod: Duration = .seconds(10)) async {
        await server.shutdown(gracePeriod: gracePeriod)
        await transport.shutdown()
        await cache.close()
        // Nothing is left to run on the threads; an error would only say that they have ended already.
        try? await threads.shutdownGracefully()
    }
}
