// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// The last handler of a connection of HTTP/2: makes a stream for each exchange, and knows when the connection has no future.
///
/// ``MultiplexStateMachine`` makes its decisions.
final class MultiplexHandler: ChannelInboundHandler, ExchangeHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let limits: NIOTransport.Limits
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    private let gate: FrameGate
    private(set) var machine = MultiplexStateMachine()
    private var streams: [ObjectIdentifier: ClientStreamHandler] = [:]
    private var timing: ClientConnectionTiming
    /// When the origin has last sent anything.
    private var lastReadTime = NIODeadline.uptimeNanoseconds(0)
    /// Told when the origin has sent its first settings, with the number of exchanges that it allows at once.
    var onSettings: ((MultiplexHandler, Int) -> Void)?
    /// Told of the error that ended the connection before that.
    var onFailure: ((any Error) -> Void)?
    var owner: (connection: ClientConnection, pool: ConnectionPool)?
    private var context: ChannelHandlerContext?

    init(_ multiplexer: NIOHTTP2Handler.StreamMultiplexer, gate: FrameGate, limits: NIOTransport.Limits) {
        self.multiplexer = multiplexer
        self.gate = gate
        self.limits = limits
        timing = ClientConnectionTiming(readTimeout: limits.readTimeout, idleTimeout: limits.idleTimeout)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    // MARK: Arriving frames

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)):
            guard machine.settingsArrived() else { return }
            let allowed = settings.last { $0.parameter == .maxConcurrentStreams }?.value ?? limits.maximumStreamCount
            onFailure = nil
            // If none are allowed, one waits until some are.
            onSettings.take()?(self, max(1, min(allowed, limits.maximumStreamCount)))
        case .goAway(let lastStreamID, let code, _):
            let action = machine.goAwayArrived(lastStreamID: lastStreamID)
            if code != .noError { tellOfFailure(beyondDoubt: true) }
            perform(action, context: context)
        default:
            break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        lastReadTime = context.eventLoop.now
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The codec has reset a stream, which learns of it by itself, or could not write to one. If it gives the connection up, it tells the origin. A head that
        // was not written although it has been encoded would make the next ones another's.
        let isFatal = gate.hasGivenUp || !(error is any NIOHTTP2Error) || error is NIOHTTP2Errors.UnableToSerializeFrame
        if !isFatal, onFailure == nil { return }
        close(error is any NIOHTTP2Error && onFailure != nil ? ExchangeError.versionNotAgreed : error, context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended()
    }

    private func ended() {
        timing.cancel()
        if !machine.isClosed { tellOfFailure() }
        machine.closed()
        failStreams(nil)
        streams = [:]
        context = nil
        onSettings = nil
        onFailure.take()?(ExchangeError.connectionClosed)
        if let owner {
            self.owner = nil
            owner.pool.connectionClosed(owner.connection)
        }
    }

    // MARK: Exchanges

    func start(_ exchange: ClientExchange, context: ChannelHandlerContext) {
        guard let owner, machine.streamStarted() else {
            exchange.fail(ExchangeError.stale(wasSent: false))
            return
        }
        let stream = ClientStreamHandler(exchange, connection: self, limits: limits)
        streams[ObjectIdentifier(exchange)] = stream
        guard !exchange.isOver else {
            streamEnded(stream)
            return
        }
        stream.upload = { [connection = owner.connection] body in await connection.upload(body, of: exchange) }
        stream.abandon = { [connection = owner.connection] in connection.abandon(exchange) }
        let bound = NIOLoopBound(stream, eventLoop: context.eventLoop)
        multiplexer.createStreamChannel(promise: nil) { channel in
            channel.eventLoop.makeCompletedFuture {
                // The connection may have ended before the codec came to this. It would keep the stream, which would never begin, and be kept by it.
                guard channel.parent?.isActive == true else { throw ChannelError.ioOnClosedChannel }
                try channel.pipeline.syncOperations.addHandler(bound.value)
            }
        }
    }

    func write(_ part: ByteBuffer, of exchange: ClientExchange, context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        streams[ObjectIdentifier(exchange)]?.write(part) ?? context.eventLoop.makeFailedFuture(ExchangeError.connectionClosed)
    }

    func endRequest(of exchange: ClientExchange, context: ChannelHandlerContext) {
        streams[ObjectIdentifier(exchange)]?.endRequest()
    }

    func fail(_ exchange: ClientExchange, _ error: any Error, context: ChannelHandlerContext) {
        streams[ObjectIdentifier(exchange)]?.fail(error)
    }

    func abandon(_ exchange: ClientExchange, context: ChannelHandlerContext) {
        streams[ObjectIdentifier(exchange)]?.fail(CancellationError())
    }

    /// Whether the origin takes a request's fields. To be asked before they are written.
    func takes(_ fields: HPACKHeaders) -> Bool { gate.takes(fields) }

    /// The stream of an exchange has ended, or will not begin.
    func streamEnded(_ stream: ClientStreamHandler) {
        guard streams.removeValue(forKey: ObjectIdentifier(stream.exchange)) != nil, let context else { return }
        switch machine.streamEnded() {
        case .none: break
        case .release:
            timing.becameIdle(announcedIdleTime: nil, now: context.eventLoop.now)
            if let owner { owner.pool.connectionReleased(owner.connection) }
        case .close: end(context: context)
        }
    }

    /// A stream has got nothing in its time. If nothing at all has come since it began, the connection is not trusted any more.
    func streamTimedOut(startedAt start: NIODeadline) {
        if lastReadTime < start, let context { perform(machine.leave(), context: context) }
    }

    // MARK: Ending

    func close(_ error: any Error, context: ChannelHandlerContext) {
        guard !machine.isClosed else { return }
        // An error that this side has decided on concerns all exchanges. Any other may be the fault of one exchange.
        let isOwn = error is ExchangeError
        if !isOwn { tellOfFailure() }
        machine.closed()
        onFailure.take()?(error)
        failStreams(error.meansConnectionLoss || !isOwn && machine.hasCarriedOthers ? nil : error)
        context.close(promise: nil)
    }

    /// Tells the pool that exchanges are lost with the connection, before they learn of it themselves.
    private func tellOfFailure(beyondDoubt: Bool = false) {
        guard let owner, machine.streamCount > 0 else { return }
        owner.pool.connectionFailed(owner.connection, endangersOthers: beyondDoubt || machine.streamCount > 1)
    }

    func leave(context: ChannelHandlerContext) {
        perform(machine.leave(), context: context)
    }

    private func perform(_ action: MultiplexStateMachine.LeaveAction, context: ChannelHandlerContext) {
        switch action {
        case .none: break
        case .wait:
            if let owner { owner.pool.connectionLeaves(owner.connection) }
        case .close:
            if let owner { owner.pool.connectionLeaves(owner.connection) }
            end(context: context)
        }
    }

    /// Says goodbye, and closes the connection.
    private func end(context: ChannelHandlerContext) {
        guard !machine.isClosed else { return }
        machine.closed()
        let goodbye = HTTP2Frame(streamID: .rootStream, payload: .goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil))
        context.writeAndFlush(Self.wrapOutboundOut(goodbye), promise: nil)
        context.close(promise: nil)
    }

    /// - Parameter error: `nil`: each fails with the error that the loss of the connection means for it.
    private func failStreams(_ error: (any Error)?) {
        for stream in streams.values { stream.connectionEnded(error) }
    }

    // MARK: Time

    func kept(context: ChannelHandlerContext) {
        machine.kept()
        timing.kept(now: context.eventLoop.now)
        armTimer(context: context)
    }

    private func armTimer(context: ChannelHandlerContext) {
        guard context.channel.isActive, timing.needsTimer() else { return }
        timing.timerStarted(
            context.eventLoop.assumeIsolated().scheduleTask(deadline: timing.deadline) {
                self.timing.timerFired()
                self.timerFired(context: context)
            }
        )
    }

    private func timerFired(context: ChannelHandlerContext) {
        // With an exchange in progress, its end sets the timer again.
        guard machine.streamCount == 0, !machine.isClosed else { return }
        guard context.eventLoop.now >= timing.deadline else { return armTimer(context: context) }
        // The pool may have lent the connection to a request that has not arrived yet.
        guard let owner, owner.pool.takeIdle(owner.connection) else { return }
        end(context: context)
    }
}
