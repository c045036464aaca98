// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import HoardHTTP
internal import HoardNIO
public import Logging
internal import NIOCore
internal import NIOPosix

extension CachingProxy {
    /// The parts of a proxy, before it serves.
    struct Parts: Sendable {
        let threads: MultiThreadedEventLoopGroup
        let upstreams: Upstreams
        let routes: CurrentRoutes
        let recorder: TrafficRecorder
        let cache: HTTPCache
        let recording: ProxyRecording
        let webSockets = WebSocketCounts()

        /// Ends the parts that have been started. The cache is left alone, as its stores belong to the caller until the proxy serves.
        func abandon() async {
            await upstreams.shutdown()
            await recorder.accessLog?.close()
            recording.end(of: cache)
            await routes.current.tracing?.shutdown()
            try? await threads.shutdownGracefully()
        }
    }

    /// Starts a proxy. It serves requests when this returns. Suspends.
    ///
    /// - Parameters:
    ///   - stores: The stores below memory, nearest first. ``shutdown(gracePeriod:)`` closes them; if starting fails, the caller does.
    ///   - version: The version of the program, which the admin interface shows.
    ///   - logger: Gets the proxy's events. Neither URLs nor fields are logged.
    /// - Throws: ``ProxyError``.
    public static func start(
        configuration: Configuration,
        stores: [any RecordStore],
        version: String = "",
        logger: Logger
    ) async throws(ProxyError) -> CachingProxy {
        try await start(configuration: configuration, stores: stores, version: version, ticker: MonotonicTicker(), logger: logger)
    }

    /// The same with the time of the cache: where the ticker stands still, no operation of a store takes too long, and no wait
    /// for another proxy; where the clock does, no response ages.
    static func start(
        configuration: Configuration,
        stores: [any RecordStore],
        version: String = "",
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker,
        logger: Logger
    ) async throws(ProxyError) -> CachingProxy {
        guard !configuration.listeners.isEmpty else { throw ProxyError(.invalidConfiguration, "The proxy has no address to listen on.") }
        let warmUp: ProxyWarming.Request? = if let settings = configuration.warmUp { try .init(settings) } else { nil }
        let parts = try await makeParts(configuration, stores: stores, version: version, clock: clock, ticker: ticker, logger: logger)
        let handler = ProxyHandler(
            routes: parts.routes,
            name: configuration.cache.name,
            cache: parts.cache,
            logger: logger,
            webSockets: parts.webSockets
        )
        let inherited = InheritedSockets(descriptors: configuration.inheritedDescriptors)
        let server: HTTPServer
        do {
            var serverConfiguration = configuration.server(on: parts.threads)
            serverConfiguration.inheritedSockets = inherited
            server = try await HTTPServer.start(
                serverConfiguration,
                logger: logger,
                clock: clock,
                immediate: ImmediateProxyResponder(handler),
                observer: { [recorder = parts.recorder] in recorder.record($0) },
                handler: { await handler.respond(to: $0) }
            )
        } catch {
            await parts.abandon()
            throw ProxyError(error)
        }
        let state = ProxyState(configuration, parts.upstreams)
        let warming = ProxyWarming(handler: handler)
        let admin: AdminServer?
        do throws(ProxyError) {
            let view = ProxyView(parts: parts, server: server, state: state, warming: warming)
            parts.upstreams.start()
            if let warmUp { _ = warming.start(warmUp) }
            admin = try await startAdmin(configuration.admin, view, inherited: inherited, logger: logger)
        } catch {
            warming.stop()
            await warming.waitUntilOver()
            await server.shutdown(gracePeriod: .zero)
            await parts.abandon()
            throw error
        }
        for address in inherited.addresses {
            logger.warning("A socket that the process was given is for no address of the settings.", metadata: ["address": "\(address)"])
        }
        return CachingProxy(parts, server: server, admin: admin, state: state, warming: warming, logger: logger)
    }

    private static func startAdmin(
        _ settings: Configuration.Admin?,
        _ view: ProxyView,
        inherited: InheritedSockets,
        logger: Logger
    ) async throws(ProxyError) -> AdminServer? {
        guard let settings else { return nil }
        return try await AdminServer.start(
            address: settings.address,
            token: settings.token,
            hostNames: settings.hostNames,
            services: view.adminServices,
            inherited: inherited,
            eventLoopGroup: view.parts.threads,
            logger: logger
        )
    }

    private static func makeParts(
        _ configuration: Configuration,
        stores: [any RecordStore],
        version: String,
        clock: any WallClock,
        ticker: any Ticker,
        logger: Logger
    ) async throws(ProxyError) -> Parts {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.eventLoopCount ?? System.coreCount))
        do throws(ProxyError) {
            let upstreams = try Upstreams(configuration.upstreams, threads: threads, logger: logger)
            let log: AccessLog?
            let recording: ProxyRecording
            let table: RouteTable
            do throws(ProxyError) {
                let tracing = try ProxyTracing.make(configuration.traces, version: version, group: threads, logger: logger)
                table = try upstreams.table(of: configuration, tracing: tracing)
                recording = try ProxyRecording(configuration, ticker: ticker, logger: logger)
                log = if let settings = configuration.accessLog { try AccessLog(settings, logger: logger) } else { nil }
            } catch {
                await upstreams.shutdown()
                throw error
            }
            var cacheConfiguration = configuration.cache
            cacheConfiguration.mode = .shared
            let cache = HTTPCache(configuration: cacheConfiguration, stores: stores, clock: clock, ticker: ticker) { event in
                logger.warning("\(event)", metadata: ["store": "\(event.store)"])
            }
            recording.begin(of: cache)
            let (size, overflow) = configuration.cache.maximumMemoryBytes.addingReportingOverflow(await cache.figures().disk?.limit ?? 0)
            let statistics = ProxyStatistics(.init(version: version, cacheByteCount: overflow ? .max : size))
            statistics.distinguishesHosts = table.distinguishesHosts
            let routes = CurrentRoutes(table)
            return Parts(
                threads: threads,
                upstreams: upstreams,
                routes: routes,
                recorder: TrafficRecorder(statistics: statistics, log: log, routes: routes),
                cache: cache,
                recording: recording
            )
        } catch {
            try? await threads.shutdownGracefully()
            throw error
        }
    }
}

extension ProxyError {
    /// Creates the error for a server that cannot use its configuration.
    init(_ error: HTTPServerError) {
        let isConfiguration = error.code == .invalidConfiguration || error.code == .invalidCertificate
        self.init(isConfiguration ? .invalidConfiguration : .cannotListen, error.message, underlyingError: error)
    }
}
