// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Keeps the times of an HTTP/2 connection, and ends it: when it is idle, when the server shuts down, when the client takes nothing, and when it has
/// broken the rules. ``HTTP2ConnectionStateMachine`` makes its decisions.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let configuration: HTTPServer.Configuration
    private let gate: FrameGate
    private var machine = HTTP2ConnectionStateMachine()
    private var sending: TransferWatch
    private var timer: Scheduled<Void>?
    /// Since when there has been no stream.
    private var idleSince = NIODeadline.distantPast
    private var hasHadStream = false
    /// How many handlers run, for streams that are open or closed.
    private var handlerCount = 0
    /// The number of open streams that were not refused.
    private var servedCount = 0

    init(configuration: HTTPServer.Configuration) {
        self.configuration = configuration
        gate = FrameGate(announced: configuration.announcedHTTP2Settings)
        sending = TransferWatch(stallTimeout: TimeAmount(configuration.writeTimeout), minimumBytesPerSecond: 0)
    }

    /// Adds the connection's handlers.
    func addToPipeline(of channel: any Channel, server: ServerContext, info: ConnectionInfo) throws {
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let limits = configuration
        let codec = NIOHTTP2Handler(
            mode: .server,
            eventLoop: channel.eventLoop,
            connectionConfiguration: limits.http2Connection,
            streamConfiguration: limits.http2Stream,
            streamDelegate: StreamCounter(connection)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let handler = StreamHandler(on: stream.eventLoop, server: server, configuration: limits, info: info, connection: connection.value)
                try stream.pipeline.syncOperations.addHandler(handler)
            }
        }
        try channel.pipeline.syncOperations.addHandlers(gate, codec, self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        idleSince = context.eventLoop.now
        armTimer(context: context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        machine.closed()
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    /// Ignores the frames that arrive here: they concern no stream, and the codec has handled them.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            // Without the client's consent to more bytes, no stream would get far.
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Other errors are those of streams, which end them, or of the socket, after which the channel closes itself. A head that was not written although it has
        // been encoded would make the next ones another's.
        guard let error = gate.frames.connectionError ?? (error is NIOHTTP2Errors.UnableToSerializeFrame ? .excess : nil) else { return }
        perform(machine.failed(by: error), context: context)
    }

    /// Takes no more streams, lets those in progress end, and then closes the connection.
    func quiesce(context: ChannelHandlerContext) {
        perform(machine.quiesce(), context: context)
    }

    // MARK: Streams

    /// Whether the client takes a head or trailers. To be asked before they are written.
    func takes(_ fields: HPACKHeaders) -> Bool { gate.takes(fields) }

    /// A request has arrived on a new stream.
    ///
    /// - Returns: Whether it may be served. Streams beyond the limit are refused, and the others go on:
    ///   [RFC 9113 §5.1.2](https://www.rfc-editor.org/rfc/rfc9113#section-5.1.2).
    func beginServing() -> Bool {
        guard mayStartHandler, servedCount < configuration.maximumStreamCount else { return false }
        servedCount += 1
        return true
    }

    /// A stream that was not refused has ended.
    func endServing() { servedCount -= 1 }

    /// Whether another request may be handled. A client that resets streams faster than their handlers end has to wait:
    /// [RFC 9113 §10.5](https://www.rfc-editor.org/rfc/rfc9113#section-10.5).
    private var mayStartHandler: Bool { handlerCount / 2 < configuration.maximumStreamCount }

    func handlerStarted() { handlerCount += 1 }

    func handlerEnded() { handlerCount -= 1 }

    fileprivate func streamOpened(_ id: HTTP2StreamID) {
        hasHadStream = true
        machine.streamOpened(id)
    }

    fileprivate func streamClosed(parent: any Channel) {
        let action = machine.streamClosed()
        if machine.streamCount == 0 { idleSince = parent.eventLoop.now }
        guard action != .none, let context = try? parent.pipeline.syncOperations.context(handler: self) else { return }
        perform(action, context: context)
    }

    // MARK: Ending

    private func perform(_ action: HTTP2ConnectionStateMachine.Action, context: ChannelHandlerContext) {
        switch action {
        case .none:
            return
        case .nameLastStream:
            goAway(context: context)
        case .nameLastStreamAndClose:
            goAway(context: context)
            closeGracefully(context: context)
        case .close:
            closeGracefully(context: context)
        case .closeAtOnce:
            context.close(promise: nil)
        }
    }

    private func goAway(context: ChannelHandlerContext) {
        let frame = HTTP2Frame(streamID: .rootStream, payload: .goAway(lastStreamID: machine.lastStream, errorCode: .noError, opaqueData: nil))
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }

    /// Ends the response side, and waits for the client to end its own. Closing both while bytes from the client are unread would reset the
    /// connection, and the client could lose the responses.
    private func closeGracefully(context: ChannelHandlerContext) {
        gate.dropsInput = true
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.lingerTimeout)) { context.close(promise: nil) }
        context.close(mode: .output).assumeIsolated().whenFailure { _ in context.close(promise: nil) }
    }

    // MARK: Time

    private func armTimer(context: ChannelHandlerContext) {
        guard timer == nil, context.channel.isActive else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            self.timer = nil
            self.timerFired(context: context)
            self.armTimer(context: context)
        }
    }

    private var interval: TimeAmount {
        let times = [configuration.idleTimeout, configuration.headTimeout, configuration.writeTimeout].map { TimeAmount($0).nanoseconds }
        return .nanoseconds(max(1, (times.min() ?? .max) / 4))
    }

    private func timerFired(context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let pendingByteCount = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if sending.sample(isWaiting: pendingByteCount > 0, byteCount: gate.frames.byteCount - pendingByteCount, now: now) {
            context.close(promise: nil)
            return
        }
        let patience = TimeAmount(hasHadStream ? configuration.idleTimeout : configuration.headTimeout)
        if machine.streamCount == 0, now - idleSince >= patience { perform(machine.idledOut(), context: context) }
    }
}

/// Tells the connection's handler of streams. The codec calls it on the connection's event loop.
private final class StreamCounter: NIOHTTP2StreamDelegate {
    private let connection: NIOLoopBound<HTTP2ConnectionHandler>

    init(_ connection: NIOLoopBound<HTTP2ConnectionHandler>) {
        self.connection = connection
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        connection.value.streamOpened(id)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        guard let parent = channel.parent else { return }
        connection.value.streamClosed(parent: parent)
    }
}
