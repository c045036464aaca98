// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardMessages
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

/// Turns the parts of requests that the parser yields into exchanges, and keeps the order, the limits and the times of a connection.
///
/// Inbound it yields one ``Exchange`` at a time, and the next when the response of the one before has been written. Outbound it takes the parts of
/// that response. ``ConnectionStateMachine`` makes its decisions.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Exchange
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum Queued {
        case part(HTTPServerRequestPart)
        case rejection(RequestRejection)
    }

    /// The exchange in progress, as far as the channel is concerned.
    struct Current {
        /// For the observer; `nil` if there is none.
        var account: ExchangeAccount?
        /// `nil` if the request has no content.
        var body: BodyPipe?
        /// The body takes no more for the time being.
        var isBodyFull = false
        /// Content that the body has not been given yet. A short part costs its reader as much as a long one, so those that come together become one.
        var heldContent = ByteBuffer()
        var cancellation: ExchangeCancellation
        /// The client waits for 100 before it sends its content.
        var awaitsContinue: Bool
        /// How much content the client has still to send, if that is known.
        var missingByteCount: Int?
        /// How much content the client has sent.
        var receivedByteCount = 0
        /// The response must have no content.
        var isHead = false
        /// The client has sent more content than the server accepts.
        var isContentTooLarge = false
        /// The handler's answer is not sent: the server has one of its own.
        var isAnsweredByServer = false
        /// The client has asked for a WebSocket.
        var opensWebSocket = false
        /// `nil`: no WebSocket is open.
        var tunnel: TunnelWatch?
        /// The response has neither a length nor chunks: only the connection's end ends it.
        var endsWithConnection = false
    }

    let configuration: HTTPServer.Configuration
    let info: ConnectionInfo
    let clock: any WallClock
    var machine: ConnectionStateMachine
    var current: Current?
    /// The parts of requests that the client has sent ahead of their turn: at most those of one read behind a request,
    /// and one more.
    var queue = CircularBuffer<Queued>()
    var isReadHeld = false
    var isServingQueue = false
    /// The ``FrontHandler`` holds the first part of a head.
    var hasPartialHead = false
    /// The ``FrontHandler`` holds bytes that have arrived behind a request that it has sent on.
    var isInputHeld = false
    /// How the request that the parser is given now is answered, and when it arrived; `nil`: in the ordinary way, and now.
    var handover: (RelayHandover, start: NIODeadline)?
    /// The parser has got bytes behind the request in progress, and has not yielded anything for them.
    var hasPartialHeadInParser = false
    /// A WebSocket has been opened: bytes come as they arrive.
    var hasRemovedParser = false
    var timing: ConnectionTiming
    let observer: ExchangeObserver?
    private(set) var ownContext: ChannelHandlerContext?

    init(configuration: HTTPServer.Configuration, info: ConnectionInfo, clock: any WallClock, observer: ExchangeObserver? = nil) {
        self.observer = observer
        self.configuration = configuration
        self.info = info
        self.clock = clock
        self.machine = ConnectionStateMachine(maximumDrainByteCount: configuration.maximumDrainByteCount)
        self.timing = ConnectionTiming(configuration)
    }

    /// No exchange is in progress, and nothing waits for one. Not for the last request of a connection, whose response has to say so.
    var isReadyForRequest: Bool { machine.isIdle && queue.isEmpty && !machine.hasInputClosed && !isLastRequestDue }
    /// The server ends, but the client has been promised an answer to the request that it is about to send.
    var isLastRequestDue = false

    /// Waits until the kernel has taken all answers given without an exchange. Until then, the connection is as busy as with an exchange.
    ///
    /// - Parameter reports: The reports for the observer, made when it is known whether the client was sent all of the answers.
    func awaitWrites(reporting reports: [ExchangeReport], since start: NIODeadline) {
        guard let context = ownContext, isReadyForRequest || machine.isSendingResponse else {
            return report(reports, isComplete: false, since: start, now: ownContext?.eventLoop.now ?? start)
        }
        // A relayed exchange has begun already.
        if !machine.isSendingResponse {
            beginUnparsedExchange()
            _ = machine.responseStarted(announcesClose: false)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            let isWritten = if case .success = result { true } else { false }
            self.report(reports, isComplete: isWritten, since: start, now: context.eventLoop.now)
            if isWritten { self.perform(self.machine.responseFlushed(missingByteCount: 0), context: context) }
        }
        context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: written)
    }

    /// Where the bytes are that the parser will get next, as ``MethodHandler`` and the parser's parts of the earlier
    /// bytes tell.
    var place = MethodHandler.Place.requestStart
    /// The method of the request whose head the parser is reading, if it does not know it.
    var foreignMethod: String?

    func handlerAdded(context: ChannelHandlerContext) {
        ownContext = context
    }

    func channelActive(context: ChannelHandlerContext) {
        timing.connected(now: context.eventLoop.now)
        armTimer(context: context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        machine.closed()
        timing.timer?.cancel()
        timing.timer = nil
        queue.removeAll()
        dropExchange(.connectionClosed)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ownContext = nil
        machine.closed()
        timing.timer?.cancel()
        timing.timer = nil
        dropExchange(.connectionClosed)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The event stays here: behind this handler it would end the exchanges that are still to come.
        guard case .inputClosed? = event as? ChannelEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        let action = machine.inputClosed(hasQueuedParts: !queue.isEmpty)
        if current?.tunnel != nil { return endTunnelInput(context: context) }
        switch action {
        case .none:
            if !machine.isClosed { context.channel.probesPeer() }
        case .close:
            context.close(promise: nil)
        case .cancelExchange:
            giveUpRequest(context: context)
        }
    }

    /// The rest of the request will not come.
    func giveUpRequest(context: ChannelHandlerContext) {
        let exchange = current
        exchange?.body?.fail(RequestBodyError(.connectionClosed))
        perform(machine.requestFailed(), context: context)
        exchange?.cancellation.cancel()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Anything else is a failure of the socket, after which the channel closes itself.
        guard let rejection = RequestRejection(parserError: error), !machine.isLingering else { return }
        if error.concernsContentLength, machine.isReceiving, current?.missingByteCount == nil, queue.isEmpty {
            endRequestAtTrailers(context: context)
        } else if machine.isReceiving {
            current?.body?.fail(RequestBodyError(.malformed))
            perform(machine.requestFailed(), context: context)
        } else if machine.isIdle && queue.isEmpty {
            reject(rejection, context: context)
        } else {
            queue.append(.rejection(rejection))
        }
    }

    func read(context: ChannelHandlerContext) {
        if wantsInput {
            isReadHeld = false
            context.read()
        } else {
            isReadHeld = true
        }
    }

    /// Reads on, if a read was held back and there is no more reason to.
    func resumeReading(context: ChannelHandlerContext) {
        guard isReadHeld, wantsInput else { return }
        timing.received(now: context.eventLoop.now)
        isReadHeld = false
        context.read()
    }

    /// While a response is awaited or written, too, one read is left open: to close it and open it again would take two calls of the system for each request.
    private var wantsInput: Bool {
        if isInputHeld { return false }
        if machine.isReceiving { return machine.isDraining || !isBodyFull }
        return machine.isLingering || (queue.isEmpty && machine.mayServeAnother)
    }

    private var isBodyFull: Bool { current?.isBodyFull ?? false }

    private func dropExchange(_ code: RequestBodyError.Code) {
        current?.body?.fail(RequestBodyError(code))
        current?.cancellation.cancel()
        // A WebSocket has no other end than its connection's.
        if let current { report(current, isComplete: current.tunnel != nil) }
        current = nil
    }
}
