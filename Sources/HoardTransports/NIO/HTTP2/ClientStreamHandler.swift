// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

/// Carries one exchange on a stream of HTTP/2.
///
/// ``ClientStreamStateMachine`` decides.
final class ClientStreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = Never
    typealias OutboundOut = HTTP2Frame.FramePayload

    let exchange: ClientExchange
    private let limits: NIOTransport.Limits
    private let connection: MultiplexHandler
    /// Reads the content of the request and writes it here.
    var upload: (@Sendable (HTTPBody) async -> Void)?
    /// Called when no reader wants the content of the response any more.
    var abandon: (@Sendable () -> Void)?
    private var machine: ClientStreamStateMachine
    private var timing: ClientConnectionTiming
    private var uploading: Task<Void, Never>?
    /// `nil` again at its end, for it refers back to the handler.
    private var content: BodyPipe?
    /// The final response, kept until its end has arrived if it has no content.
    private var response: TransportResponse?
    private var isBodyFull = false
    private var isReadHeld = false
    private var startTime = NIODeadline.uptimeNanoseconds(0)
    private var context: ChannelHandlerContext?
    private var streamID: HTTP2StreamID?

    init(_ exchange: ClientExchange, connection: MultiplexHandler, limits: NIOTransport.Limits) {
        self.exchange = exchange
        self.connection = connection
        self.limits = limits
        machine = ClientStreamStateMachine(maximumInterimResponseCount: limits.maximumInterimResponseCount)
        timing = ClientConnectionTiming(
            readTimeout: limits.readTimeout,
            responseTimeout: limits.responseTimeout,
            idleTimeout: limits.idleTimeout
        )
    }

    // MARK: The request

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        self.context = context
        guard !machine.isClosed else {
            context.close(promise: nil)
            return
        }
        startTime = context.eventLoop.now
        timing.exchangeStarted(now: startTime)
        let request = exchange.request
        let fields = HPACKHeaders(request)
        guard connection.takes(fields) else { return fail(ExchangeError.headTooLarge) }
        if case .none = request.content {
            context.writeAndFlush(Self.wrapOutboundOut(.headers(.init(headers: fields, endStream: true))), promise: nil)
            requestEnded(context: context)
        } else {
            context.writeAndFlush(Self.wrapOutboundOut(.headers(.init(headers: fields))), promise: nil)
        }
        streamID = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        switch request.content {
        case .none: break
        // The transport asks for none over HTTP/2.
        case .webSocket: fail(ExchangeError.versionNotAgreed)
        case .bytes(let bytes):
            write(bytes, thenEnds: true, context: context)
        case .stream(let body):
            timing.isSourceWaitedFor = true
            uploading = startTask { [upload] in await upload?(body) }
        }
        armTimer(context: context)
    }

    /// Writes content of the request.
    ///
    /// - Returns: When the network has taken it.
    func write(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        guard let context, machine.acceptsContent else { return nil }
        timing.isSourceWaitedFor = false
        timing.progressed(now: context.eventLoop.now)
        let taken = write(part, thenEnds: false, context: context)
        taken.assumeIsolated().whenSuccess { self.timing.isSourceWaitedFor = true }
        return taken
    }

    func endRequest() {
        guard let context, machine.acceptsContent else { return }
        timing.isSourceWaitedFor = false
        context.writeAndFlush(Self.wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))), promise: nil)
        requestEnded(context: context)
    }

    /// Writes in pieces, each of which counts as progress when the origin's window has let it through.
    @discardableResult
    private func write(_ part: ByteBuffer, thenEnds: Bool, context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        var rest = part
        while true {
            guard let piece = rest.readSlice(length: min(rest.readableBytes, 16 * 1_024)) else {
                return context.eventLoop.makeSucceededVoidFuture()
            }
            let isLast = rest.readableBytes == 0
            let taken = context.eventLoop.makePromise(of: Void.self)
            taken.futureResult.assumeIsolated().whenSuccess {
                self.timing.progressed(now: context.eventLoop.now)
                if isLast, thenEnds { self.requestEnded(context: context) }
            }
            let frame = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(piece), endStream: isLast && thenEnds))
            context.write(Self.wrapOutboundOut(frame), promise: taken)
            guard isLast else { continue }
            context.flush()
            return taken.futureResult
        }
    }

    private func requestEnded(context: ChannelHandlerContext) {
        machine.requestEnded()
        timing.requestEnded(now: context.eventLoop.now)
        armTimer(context: context)
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !machine.isClosed else { return }
        switch Self.unwrapInboundIn(data) {
        case .headers(let frame): receive(frame, context: context)
        case .data(let frame): receive(frame, context: context)
        case .rstStream(let code): fail(code == .refusedStream ? ExchangeError.refused : ExchangeError.connectionClosed)
        default: break
        }
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Headers, context: ChannelHandlerContext) {
        let isResponseToHead = exchange.request.head.method == .HEAD
        guard let section = FieldSection(frame.headers, limits: limits) else {
            return fail(ExchangeError.invalidResponse)
        }
        let now = context.eventLoop.now
        switch machine.fieldsArrived(
            status: section.status?.code,
            contentLength: section.contentLength(isResponseToHead: isResponseToHead),
            endsStream: frame.endStream
        ) {
        case .interim:
            timing.interimResponseArrived(now: now)
            if let status = section.status { exchange.receive(interim: HTTPResponse(status: status, headerFields: section.fields)) }
        case .head:
            timing.headArrived(now: now)
            armTimer(context: context)
            if let status = section.status { receive(HTTPResponse(status: status, headerFields: section.fields), section, isResponseToHead, context) }
        case .trailers:
            content?.setTrailers(section.fields)
        case .fail:
            return fail(ExchangeError.invalidResponse)
        }
        if machine.hasReceivedResponse { finish() }
    }

    private func receive(_ head: HTTPResponse, _ section: FieldSection, _ isResponseToHead: Bool, _ context: ChannelHandlerContext) {
        let length = section.contentLength(isResponseToHead: isResponseToHead)
        guard !machine.hasReceivedResponse, length != 0, let abandon else {
            response = TransportResponse(head: head, body: .empty)
            return
        }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let content = BodyPipe(highWatermark: limits.bodyBufferByteCount, alreadyRead: TransportError.alreadyRead) { _ in
            if eventLoop.inEventLoop { bound.value.bodyIsWanted() } else { eventLoop.execute { bound.value.bodyIsWanted() } }
        }
        self.content = content
        let body = content.body(length: length, describing: exchange.asTransportError, onRelease: abandon)
        exchange.receive(final: TransportResponse(head: head, body: body))
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Data, context: ChannelHandlerContext) {
        guard case .byteBuffer(let bytes) = frame.data, machine.contentArrived(byteCount: bytes.readableBytes, endsStream: frame.endStream)
        else { return fail(ExchangeError.invalidResponse) }
        timing.progressed(now: context.eventLoop.now)
        if bytes.readableBytes > 0, let content, !content.push(bytes) { isBodyFull = true }
        if machine.hasReceivedResponse { finish() }
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = isBodyFull
        if !isBodyFull { context.read() }
    }

    /// The reader of the content waits for it, or has taken enough of it.
    private func bodyIsWanted() {
        isBodyFull = false
        guard let context else { return }
        timing.progressed(now: context.eventLoop.now)
        guard isReadHeld else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: The end

    /// The response is complete.
    private func finish() {
        guard machine.closed() else { return }
        uploading?.cancel()
        exchange.end()
        content?.finish()
        content = nil
        if let response { exchange.receive(final: response) }
        // RFC 9113 §8.1: the rest of the request is of no use.
        if !machine.isRequestSent { context?.close(promise: nil) }
    }

    /// Gives the exchange up.
    func fail(_ error: any Error) {
        guard machine.closed() else { return }
        uploading?.cancel()
        exchange.fail(error, isUnanswered: !machine.hasReceivedBytes)
        content?.fail(error, keepsUnread: true)
        content = nil
        context?.close(promise: nil)
    }

    /// The connection is gone, and so is the stream.
    func connectionEnded(_ error: (any Error)?) {
        fail(error ?? lossError)
        upload = nil
        abandon = nil
    }

    private var lossError: ExchangeError {
        connection.machine.lossError(of: streamID, hasReceivedBytes: machine.hasReceivedBytes)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // By this side: the origin has said that it goes, or a frame of it was wrong.
        case let error as NIOHTTP2Errors.StreamClosed: fail(error.errorCode == .cancel ? lossError : ExchangeError.invalidResponse)
        // It was to begin when the origin had said that it goes.
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: fail(ExchangeError.lostWithOthers(wasSent: false))
        case let error as NIOHTTP2Errors.StreamError where error.baseError is NIOHTTP2Errors.CreatedStreamAfterGoaway:
            fail(ExchangeError.lostWithOthers(wasSent: false))
        default: fail(error.meansConnectionLoss ? lossError : error)
        }
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
        fail(lossError)
        context = nil
        upload = nil
        abandon = nil
        connection.streamEnded(self)
    }

    // MARK: Time

    private func armTimer(context: ChannelHandlerContext) {
        guard !machine.isClosed, timing.needsTimer() else { return }
        timing.timerStarted(
            context.eventLoop.assumeIsolated().scheduleTask(deadline: timing.deadline) {
                self.timing.timerFired()
                self.timerFired(context: context)
            }
        )
    }

    private func timerFired(context: ChannelHandlerContext) {
        guard !machine.isClosed else { return }
        if isBodyFull, !limits.limitsReaders { timing.progressed(now: context.eventLoop.now) }
        guard timing.isStalled(pendingByteCount: 0, now: context.eventLoop.now) else { return armTimer(context: context) }
        connection.streamTimedOut(startedAt: startTime)
        fail(timing.stallError)
    }
}
