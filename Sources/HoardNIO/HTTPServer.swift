// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard
package import Logging
internal import NIOCore
internal import NIOPosix

/// A server for HTTP/1.1 and HTTP/2. It knows nothing of caching: every request goes to one handler.
///
/// ```swift
/// let server = try await HTTPServer.start(.init(port: 8080)) { request in
///     HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody("Hello, \(request.remoteAddress)\n"))
/// }
/// …
/// await server.shutdown(gracePeriod: .seconds(10))
/// ```
///
/// Connections are kept alive and requests may be pipelined; on HTTP/1.1, a connection's requests are handled one after the other, in their order.
/// Content streams in both directions and is asked for only as fast as the other side takes it. Requests that break the rules of
/// [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112) never reach the handler: they are answered with one sentence, and the connection is closed.
package final class HTTPServer: Sendable {
    /// Answers a request.
    ///
    /// It runs on the connection's event loop until it suspends, and must not block. Its task is cancelled when the connection ends. A client that
    /// closes its sending half after a whole request gets its answer. So the task of a client that has left is cancelled only when that is known:
    /// when something was sent to it, or its system has been asked, within a minute.
    package typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

    /// The IP address of the first listener that has one, or `127.0.0.1`.
    package let host: String
    /// The port that belongs to ``host``, which is never 0 then; 0 if the server listens on Unix sockets only.
    package let port: Int
    /// Where the server listens, in the order of its listeners, with the ports that the system has chosen.
    package var addresses: [Listener.Address] { sockets.map(\.address) }

    private let sockets: [ListeningSocket]
    private let certificates: [ServerCertificates?]
    private let context: ServerContext
    private let group: any EventLoopGroup

    /// Starts a server, which listens when this returns.
    ///
    /// - Parameters:
    ///   - configuration: The addresses and the limits.
    ///   - logger: Gets failures of connections, at `debug`, and certificates that are out of their time, as warnings. Nothing a client sent is logged.
    ///   - clock: Dates the responses that have no date.
    ///   - immediate: Answers requests that can be answered without a task. The others go to the handler.
    ///   - observer: Told of every exchange when it is over.
    ///   - handler: Answers the requests, many at a time.
    /// - Throws: ``HTTPServerError`` if it cannot listen, or if a setting makes no sense.
    package static func start(
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "hoard.http-server"),
        clock: any WallClock = SystemWallClock(),
        immediate: (any ImmediateResponder)? = nil,
        observer: ExchangeObserver? = nil,
        handler: @escaping Handler
    ) async throws(HTTPServerError) -> HTTPServer {
        try configuration.validate()
        let context = ServerContext(
            configuration,
            responder: Responder(handler: handler, clock: clock, immediate: immediate, observer: observer),
            registry: ConnectionRegistry(maximumCount: configuration.maximumConnectionCount),
            logger: logger
        )
        let group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        var certificates: [ServerCertificates?] = []
        for listener in configuration.listeners {
            do {
                certificates.append(listener.isEncrypted ? try await ServerCertificates(listener, clock: clock, logger: logger) : nil)
            } catch {
                throw HTTPServerError.certificates(for: listener.address, error: error)
            }
        }
        var sockets: [ListeningSocket] = []
        do {
            for (listener, certificates) in zip(configuration.listeners, certificates) {
                let pipeline = ConnectionPipeline(server: context, listener: listener, certificates: certificates)
                sockets.append(
                    try await ListeningSocket.open(
                        listener.address,
                        by: pipeline.bootstrap(group: group),
                        inherited: configuration.inheritedSockets
                    )
                )
            }
        } catch {
            for socket in sockets { await socket.close(in: group) }
            throw error
        }
        return HTTPServer(sockets, certificates: certificates, context: context, group: group)
    }

    private init(_ sockets: [ListeningSocket], certificates: [ServerCertificates?], context: ServerContext, group: any EventLoopGroup) {
        self.sockets = sockets
        self.certificates = certificates
        self.context = context
        self.group = group
        let first = sockets.lazy.compactMap { if case .tcp(let host, let port) = $0.address { (host, port) } else { nil } }.first
        (host, port) = first ?? ("127.0.0.1", 0)
    }

    /// Stops listening. Connections that are open stay open; ``shutdown(gracePeriod:)`` closes them.
    deinit {
        for socket in sockets { socket.abandon() }
    }

    /// The number of connections that are open.
    package var connectionCount: Int { context.registry.count }

    /// The most connections that may be open.
    package var maximumConnectionCount: Int { context.registry.maximumCount }

    /// The number of connections that have been accepted since the start.
    package var acceptedConnectionCount: Int { context.registry.totalCount }

    /// Reads the certificates of all listeners anew. Connections that are open keep theirs; those that come get the new ones, even if these have expired.
    ///
    /// - Parameter listeners: Where certificates come from now, for listeners whose address is the same. Several of one address, such as a port that the system
    ///   chooses, are taken in their order. By default, from where they came before.
    /// - Throws: ``HTTPServerError`` of code ``HTTPServerError/Code/invalidCertificate`` if one of them cannot be used.
    ///   All listeners then keep their old ones.
    package func reloadCertificates(_ listeners: [Listener] = []) async throws(HTTPServerError) {
        var commits: [@Sendable () -> Void] = []
        var rest = listeners.filter(\.isEncrypted)
        for (index, listener) in context.configuration.listeners.enumerated() {
            guard let certificates = certificates[index] else { continue }
            let other = rest.firstIndex { $0.address == listener.address }.map { rest.remove(at: $0) }
            do {
                commits.append(try await certificates.prepare(other))
            } catch {
                throw HTTPServerError.certificates(for: sockets[index].address, error: error)
            }
        }
        for commit in commits { commit() }
    }

    /// Takes over limits and time limits, for connections that come from now on. Listeners, backlog and threads stay
    /// the same.
    ///
    /// - Throws: ``HTTPServerError`` if a setting makes no sense. Nothing is taken over then.
    package func update(_ configuration: Configuration) throws(HTTPServerError) {
        try configuration.validateLimits()
        var configuration = configuration
        let current = context.configuration
        configuration.listeners = current.listeners
        configuration.backlog = current.backlog
        configuration.eventLoopGroup = current.eventLoopGroup
        context.update(configuration)
    }

    /// Stops listening at once, lets the requests in progress end, and returns when every connection is closed.
    ///
    /// Idle connections are closed at once. One that has been accepted, and has not had a request yet, has its linger timeout for that. Responses that begin
    /// now say `Connection: close`; HTTP/2 connections are told to go away ([RFC 9113 §6.8](https://www.rfc-editor.org/rfc/rfc9113#section-6.8)). Calling
    /// this again, or concurrently, is harmless.
    ///
    /// - Parameter gracePeriod: How long requests in progress may take. Then their connections are closed and their handlers cancelled.
    package func shutdown(gracePeriod: Duration) async {
        for socket in sockets { await socket.close(in: group) }
        context.registry.quiesce()
        let end = group.any().scheduleTask(in: TimeAmount(gracePeriod)) { [context] in context.registry.closeAll() }
        await context.registry.waitUntilEmpty()
        end.cancel()
    }
}
