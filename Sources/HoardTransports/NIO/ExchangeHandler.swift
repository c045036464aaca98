// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore

/// The last handler of a connection: carries exchanges, one at a time or several. All of it is called on the event loop.
protocol ExchangeHandler: ChannelHandler {
    /// The pool that is told that the connection is free for another exchange, or gone. Cleared when the connection has
    /// ended, for it refers back to the handler.
    var owner: (connection: ClientConnection, pool: ConnectionPool)? { get set }

    /// Sends the request of an exchange, or gives the connection back if no caller wants the exchange any more.
    func start(_ exchange: ClientExchange, context: ChannelHandlerContext)
    /// Sends a request by its bytes, if no exchange is in progress. A handler that the pool never asks for this refuses.
    func relay(
        _ request: ByteBuffer,
        to receiver: any RelayReceiver,
        asTransportError: @escaping @Sendable (any Error) -> TransportError,
        context: ChannelHandlerContext
    ) -> Bool
    /// Has the response to a relayed request parsed, whatever has come of it.
    func handOverRelay()
    /// Writes content of the request.
    ///
    /// - Returns: When the network has taken it.
    func write(_ part: ByteBuffer, of exchange: ClientExchange, context: ChannelHandlerContext) -> EventLoopFuture<Void>
    /// The content of the request has been written.
    func endRequest(of exchange: ClientExchange, context: ChannelHandlerContext)
    /// The sender of a request does not want its response any more, or cannot send the rest of the request.
    func fail(_ exchange: ClientExchange, _ error: any Error, context: ChannelHandlerContext)
    /// Gives up the rest of a response's content, which no reader wants.
    func abandon(_ exchange: ClientExchange, context: ChannelHandlerContext)
    /// Gives the connection up, and fails the exchanges in progress.
    func close(_ error: any Error, context: ChannelHandlerContext)
    /// Gives the connection up when the exchanges in progress have ended.
    func leave(context: ChannelHandlerContext)
    /// The pool keeps the connection, whether it has been used or not.
    func kept(context: ChannelHandlerContext)
}

extension ExchangeHandler {
    func relay(
        _ request: ByteBuffer,
        to receiver: any RelayReceiver,
        asTransportError: @escaping @Sendable (any Error) -> TransportError,
        context: ChannelHandlerContext
    ) -> Bool { false }

    func handOverRelay() {}
}
