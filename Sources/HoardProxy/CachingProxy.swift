// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
public import HoardHTTP
internal import HoardNIO
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A caching reverse proxy: a server that answers from a shared ``HTTPCache`` and forwards the rest, by routes, to upstreams.
///
/// Requests go to an upstream with its own host name, unless that is configured otherwise. The name that the client used does not matter then, so no client
/// can fill the cache by inventing names.
public final class CachingProxy: Sendable {
    /// The cache that requests are answered from.
    public let cache: HTTPCache

    let routes: CurrentRoutes
    let recorder: TrafficRecorder
    let server: HTTPServer
    let admin: AdminServer?
    let threads: MultiThreadedEventLoopGroup
    let state: ProxyState
    let webSockets: WebSocketCounts
    let warming: ProxyWarming
    let logger: Logger
    let recording: ProxyRecording
    /// Rolls the history of the statistics.
    private let rolling: Task<Void, Never>

    init(_ parts: Parts, server: HTTPServer, admin: AdminServer?, state: ProxyState, warming: ProxyWarming, logger: Logger) {
        cache = parts.cache
        routes = parts.routes
        recorder = parts.recorder
        threads = parts.threads
        recording = parts.recording
        webSockets = parts.webSockets
        self.server = server
        self.admin = admin
        self.logger = logger
        self.state = state
        self.warming = warming
        rolling = startTask(priority: .utility) { [statistics = parts.recorder.statistics] in await statistics.run() }
    }

    deinit {
        rolling.cancel()
        warming.stop()
    }

    // MARK: The present state

    /// The proxy's present configuration.
    public var configuration: Configuration { state.value.withLock { $0.configuration } }

    /// Where the proxy listens first, such as `127.0.0.1:8080`, or `unix:` and a path.
    public var address: String { server.addresses.first?.text ?? "" }

    /// The URLs that clients can connect to, in the order of the listeners, such as `https://127.0.0.1:8443`, or `unix:` and the path of a socket.
    public var urls: [String] {
        zip(server.addresses, configuration.listeners).map { address, listener in
            if case .unix = address { return address.text }
            return "\(listener.isEncrypted ? "https" : "http")://\(address.text)"
        }
    }

    /// The URL of the admin interface, or `unix:` and the path of its socket; `nil` if there is none.
    public var adminAddress: String? { admin.map { $0.url ?? $0.address } }

    // MARK: Its end

    /// Stops accepting connections, lets the requests under way end, and writes the rest of the records and logs.
    /// Suspends. Calling it again does nothing, and waits for nothing.
    ///
    /// - Parameter gracePeriod: How long requests may take to end before their connections are closed.
    public func shutdown(gracePeriod: Duration = .seconds(10)) async {
        guard state.end() else { return }
        // Otherwise a reload under way would come into force after the shutdown, and nothing would end the tasks that
        // it has started.
        await state.waitForReload()
        warming.stop()
        await server.shutdown(gracePeriod: gracePeriod)
        // It tells of the end as long as that takes.
        await admin?.shutdown()
        rolling.cancel()
        await warming.waitUntilOver()
        await state.shutdownUpstreams()
        await recorder.accessLog?.close()
        await routes.current.tracing?.shutdown()
        // Without clients and upstreams all of them come to an end, and some of them on these threads.
        await cache.transfersEnd()
        // Closing empties memory, which is no change that a recording is to have.
        recording.end(of: cache)
        await cache.close()
        // Nothing is left to run on the threads; an error would only say that they have ended already.
        try? await threads.shutdownGracefully()
    }
}
