// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// Serves the screens of a ``Shop`` on the loopback interface, over HTTP/1.1.
///
/// It can be stopped, and started again on the same port; then it goes on counting where it was.
public actor ShopServer {
    private let routes: ShopRoutes
    private var port: Int
    private var running: (services: ServiceGroup, task: Task<Void, Never>)?

    /// - Parameter port: The port on which to listen; 0 lets the system choose one.
    public init(shop: Shop = Shop(), port: Int = 0) {
        routes = ShopRoutes(shop: shop)
        self.port = port
    }

    /// Starts to listen.
    ///
    /// - Returns: The URL below which the screens are.
    @discardableResult
    public func start() async throws -> String {
        if running == nil {
            let (ports, sink) = AsyncThrowingStream<Int, any Error>.makeStream()
            let application = application { sink.yield($0) }
            let services = ServiceGroup(configuration: .init(services: [application], logger: application.logger))
            let task = Task {
                do {
                    try await services.run()
                    sink.finish()
                } catch {
                    sink.finish(throwing: error)
                }
            }
            running = (services, task)
            var iterator = ports.makeAsyncIterator()
            guard let port = try await iterator.next() else { throw CancellationError() }
            self.port = port
        }
        return url
    }

    private var url: String { "http://127.0.0.1:\(port)" }

    /// Stops: requests that have begun are answered, connections are closed, and the port is free when this returns.
    ///
    /// The task is not cancelled: NIO ends the process if a server that is cancelled has accepted a connection that it does not serve yet
    /// (apple/swift-nio#2637).
    public func stop() async {
        guard let (services, task) = running else { return }
        await services.triggerGracefulShutdown()
        await task.value
        running = nil
    }

    /// The requests for screens so far.
    var counts: RequestCounts { routes.counter.counts }

    /// Starts, and serves until the process is interrupted or asked to terminate.
    ///
    /// - Parameter onStart: Gets the URL.
    public func runUntilInterrupted(onStart: @escaping @Sendable (String) -> Void) async throws {
        try await application { onStart("http://127.0.0.1:\($0)") }.runService()
    }

    private func application(onStart: @escaping @Sendable (Int) -> Void) -> Application<RouterResponder<BasicRequestContext>> {
        var logger = Logger(label: "screens.server")
        // The log says nothing of clients that leave in the middle.
        logger.logLevel = .critical
        return Application(
            router: routes.router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in onStart(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }
}
