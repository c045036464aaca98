// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardEventLoops
internal import HoardHTTP
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

/// A connection to an origin, for use from anywhere.
final class ClientConnection: Sendable {
    let server: OriginServer
    private let channel: any Channel
    private let handler: LoopBoundHandler<any ExchangeHandler>
    /// The most exchanges that may be in progress on it at once.
    let capacity: Int

    /// Must be called on the channel's event loop.
    init(
        _ channel: any Channel,
        handler: any ExchangeHandler,
        context: ChannelHandlerContext,
        server: OriginServer,
        pool: ConnectionPool,
        capacity: Int = 1
    ) {
        self.server = server
        self.capacity = capacity
        self.channel = channel
        self.handler = LoopBoundHandler(handler, context)
        handler.owner = (self, pool)
    }

    var eventLoop: any EventLoop { channel.eventLoop }

    /// Sends the request and returns the final response's head.
    ///
    /// - Throws: The error that ended the exchange before that, such as ``ExchangeError``.
    func run(_ exchange: ClientExchange, onInterimResponse: InterimResponseHandler?) async throws -> TransportResponse {
        handler.run { $0.start(exchange, context: $1) }
        return try await response(to: exchange, onInterimResponse: onInterimResponse)
    }

    /// The final response's head of an exchange that has been started.
    func response(to exchange: ClientExchange, onInterimResponse: InterimResponseHandler?) async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            while true {
                switch try await exchange.nextHead() {
                case .interim(let response): await onInterimResponse?(response)
                case .final(let response): return response
                }
            }
        } onCancel: {
            exchange.fail(CancellationError())
            fail(exchange, CancellationError())
        }
    }

    /// Sends a request by its bytes. Must be called on the event loop.
    ///
    /// - Returns: Whether it could be: the connection may have just ended.
    func relay(_ request: ByteBuffer, to receiver: any RelayReceiver, asTransportError: @escaping @Sendable (any Error) -> TransportError) -> Bool {
        handler.withHandler { $0.relay(request, to: receiver, asTransportError: asTransportError, context: $1) }
    }

    /// Has the response to a relayed request parsed, whatever has come of it. Must be called on the event loop.
    func handOverRelay() { handler.withHandler { handler, _ in handler.handOverRelay() } }

    /// Sends the content of a request while it is read. Returns when it has been sent, or when there is no more use in it.
    func upload(_ body: HTTPBody, of exchange: ClientExchange) async {
        do {
            var check = body.length.map { LengthCheck(byteCount: $0) }
            for try await part in body {
                switch check?.next(part) {
                case nil: try await write(part, of: exchange)
                case .send(let part): try await write(part, of: exchange)
                case .hold: break
                case .fail: throw ExchangeError.wrongContentLength
                }
            }
            // A sequence whose reader is cancelled may end as if it were complete.
            try Task.checkCancellation()
            switch check?.end() {
            case .send(let last?): try await write(last, of: exchange)
            case .send(nil), nil: break
            case .fail: throw ExchangeError.wrongContentLength
            }
            handler.run { $0.endRequest(of: exchange, context: $1) }
        } catch {
            fail(exchange, error)
        }
    }

    /// Gives up the rest of the response, which no reader wants.
    func abandon(_ exchange: ClientExchange) {
        guard !exchange.isOver else { return }
        handler.run { $0.abandon(exchange, context: $1) }
    }

    /// Ends the connection, and the exchange in progress with `error`.
    func close(_ error: any Error) {
        handler.run { $0.close(error, context: $1) }
    }

    /// Ends the connection when the exchanges in progress have ended. No other must be started.
    func leave() {
        handler.run { $0.leave(context: $1) }
    }

    /// The pool keeps the connection until a request wants it.
    func kept() {
        handler.run { $0.kept(context: $1) }
    }

    /// Waits until the connection has ended.
    func waitUntilClosed() async {
        try? await channel.closeFuture.get()
    }

    private func fail(_ exchange: ClientExchange, _ error: any Error) {
        handler.run { $0.fail(exchange, error, context: $1) }
    }

    private func write(_ part: ByteBuffer, of exchange: ClientExchange) async throws {
        try await handler.perform { $0.write(part, of: exchange, context: $1) }
    }
}
