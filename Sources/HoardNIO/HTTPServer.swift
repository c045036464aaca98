// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard
package import Logging
internal import NIOCore
internal import NIOPosix

/// An HTTP/1.1 server. It knows nothing of caching: every request goes to one handler.
///
/// ```swift
/// let server = try await HTTPServer.start(.init(port: 8080)) { request in
///     HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody("Hello, \(request.remoteAddress)\n"))
/// }
/// …
/// await server.shutdown(gracePeriod: .seconds(10))
/// ```
///
/// Connections are kept alive and requests may be pipelined; each connection's requests are handled one after the other, in their order.
/// Content streams in both directions and is asked for only as fast as the other side takes it. Requests that break the rules of
/// [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112) never reach the handler: they are answered with one sentence, and the connection is closed.
package final class HTTPServer: Sendable {
    /// Answers a request.
    ///
    /// It runs on the connection's event loop until it suspends, and must not block. Its task is cancelled when the client closes the connection or
    /// its sending half.
    package typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

    /// The IP address the server listens on.
    package let host: String
    /// The port the server listens on, which is never 0.
    package let port: Int

    private let channel: any Channel
    private let registry: ConnectionRegistry

    /// Starts a server, which listens when this returns.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen, and what to accept.
    ///   - logger: Gets failures of connections, at `debug`. Nothing a client sent is logged.
    ///   - clock: Dates the responses that have no date.
    ///   - handler: Answers the requests, many at a time.
    /// - Throws: ``HTTPServerError`` if it cannot listen, or if a setting makes no sense.
    package static func start(
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "hoard.http-server"),
        clock: any WallClock = SystemWallClock(),
        handler: @escaping Handler
    ) async throws(HTTPServerError) -> HTTPServer {
        try configuration.validate()
        let registry = ConnectionRegistry(maximumCount: configuration.maximumConnectionCount)
        let pipeline = ConnectionPipeline(
            configuration: configuration,
            responder: Responder(handler: handler, clock: clock),
            registry: registry,
            logger: logger
        )
        let group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        do {
            let channel = try await pipeline.bootstrap(group: group).bind(host: configuration.host, port: configuration.port).get()
            return HTTPServer(channel, registry: registry, configuration: configuration)
        } catch {
            throw HTTPServerError.binding(host: configuration.host, port: configuration.port, error: error)
        }
    }

    private init(_ channel: any Channel, registry: ConnectionRegistry, configuration: Configuration) {
        self.channel = channel
        self.registry = registry
        self.host = channel.localAddress?.ipAddress ?? configuration.host
        self.port = channel.localAddress?.port ?? configuration.port
    }

    /// Stops listening. Connections that are open stay open; ``shutdown(gracePeriod:)`` closes them.
    deinit {
        // After a shutdown there may be no event loop left to close anything on.
        if channel.isActive { channel.close(promise: nil) }
    }

    /// How many connections are open.
    package var connectionCount: Int { registry.count }

    /// Stops listening at once, lets the requests in progress end, and returns when every connection is closed.
    ///
    /// Idle connections are closed at once. Responses that begin now say `Connection: close`. Calling this again, or concurrently, is harmless.
    ///
    /// - Parameter gracePeriod: How long requests in progress may take. Then their connections are closed and their handlers cancelled.
    package func shutdown(gracePeriod: Duration) async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
        registry.quiesce()
        let end = channel.eventLoop.scheduleTask(in: TimeAmount(gracePeriod)) { [registry] in registry.closeAll() }
        await registry.waitUntilEmpty()
        end.cancel()
    }
}
