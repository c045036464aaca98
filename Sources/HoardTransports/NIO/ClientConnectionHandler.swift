// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

/// Writes requests, turns the parts of responses that the parser yields into heads and bodies, and reads from the origin only when something is wanted of it.
///
/// ``ClientConnectionStateMachine`` makes its decisions.
final class ClientConnectionHandler: ChannelDuplexHandler, ExchangeHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPClientRequestPart

    /// The exchange in progress.
    struct Current {
        let exchange: ClientExchange
        /// The final response, kept until the connection is free if there is no content to wait for.
        var response: TransportResponse?
        /// Where the content of the response goes, if it has any.
        var content: BodyPipe?
        /// The body takes no more for the time being.
        var isBodyFull = false
        /// The origin has opened a WebSocket: bytes that arrive are its content, without the parser.
        var isTunnel = false
        var upload: Task<Void, Never>?
        /// The time for which the origin keeps the connection afterwards, if it has said so.
        var announcedIdleTime: Duration?
    }

    let limits: NIOTransport.Limits
    var machine: ClientConnectionStateMachine
    var splitter: ResponseSplitter
    var timing: ClientConnectionTiming
    var current: Current?
    /// The request that was sent by its bytes, as long as its response has not been taken or given to the parser.
    var relay: Relay?
    /// The parser is shown the request that it has not seen. It must not be sent again.
    var isReplaying = false
    /// The encoder, the gate in front of the parser, and this handler behind it.
    var contexts: (encoder: ChannelHandlerContext, gate: ChannelHandlerContext, own: ChannelHandlerContext)?
    var isReadHeld = false
    /// The pool that is told that the connection is free, or gone. Cleared when the connection has ended, for it refers
    /// back to this.
    var owner: (connection: ClientConnection, pool: ConnectionPool)?

    init(limits: NIOTransport.Limits) {
        self.limits = limits
        machine = ClientConnectionStateMachine(
            maximumDrainByteCount: limits.maximumDrainByteCount,
            maximumInterimResponseCount: limits.maximumInterimResponseCount
        )
        splitter = ResponseSplitter(maximumHeadByteCount: limits.maximumHeadByteCount)
        timing = ClientConnectionTiming(readTimeout: limits.readTimeout, responseTimeout: limits.responseTimeout, idleTimeout: limits.idleTimeout)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error.concernsContentLength, machine.expectation == .chunked { return endWithoutTrailers(context: context) }
        close(error, context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A WebSocket has no other end.
        if current?.isTunnel == true, !machine.isClosed { _ = machine.responseEnded() }
        ended()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended()
        contexts = nil
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = !wantsInput
        if wantsInput { context.read() }
    }

    /// Reads on, if a read was held back and there is no more reason to.
    func resumeReading(context: ChannelHandlerContext) {
        guard isReadHeld, wantsInput else { return }
        isReadHeld = false
        timing.progressed(now: context.eventLoop.now)
        context.read()
    }

    /// An idle connection is read from too, to learn that the origin has closed it.
    private var wantsInput: Bool { current?.isBodyFull != true }

    /// Gives the connection up. The exchange in progress fails with `error`, unless its response is complete.
    func close(_ error: any Error, context: ChannelHandlerContext) {
        guard !machine.isClosed else { return }
        endExchange(error)
        context.close(promise: nil)
    }

    /// Gives the connection up when it has served its exchange, which it has.
    func leave(context: ChannelHandlerContext) {
        close(ExchangeError.shutDown, context: context)
    }

    private func ended() {
        timing.cancel()
        if !machine.isClosed { endExchange(machine.lossError) }
        if let owner {
            self.owner = nil
            owner.pool.connectionClosed(owner.connection)
        }
    }

    /// The connection has no future: the exchange in progress will not get any part that it has not got by now.
    private func endExchange(_ error: any Error) {
        let (isComplete, isUnanswered) = (machine.hasReceivedResponse, !machine.hasReceivedBytes)
        let error = error.meansConnectionLoss ? machine.lossError : error
        machine.closed()
        if let relay = relay.take() { return end(relay, error, isUnanswered: isUnanswered) }
        guard let exchange = current.take() else { return }
        if isComplete {
            exchange.finish()
        } else {
            exchange.upload?.cancel()
            exchange.exchange.fail(error, isUnanswered: isUnanswered)
            exchange.content?.fail(error, keepsUnread: true)
        }
    }
}

extension ClientConnectionHandler.Current {
    /// Tells the readers that the response is complete.
    func finish() {
        upload?.cancel()
        exchange.end()
        content?.finish()
        if let response { exchange.receive(final: response) }
    }
}
