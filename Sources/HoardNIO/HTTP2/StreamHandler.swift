// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardMessages
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

/// Serves one stream of an HTTP/2 connection, which is one exchange: reads its request, has it answered, and writes the response as fast as the client
/// takes it. ``StreamStateMachine`` makes its decisions.
final class StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = HTTP2Frame.FramePayload

    let eventLoop: any EventLoop
    let server: ServerContext
    let configuration: HTTPServer.Configuration
    let info: ConnectionInfo
    let connection: HTTP2ConnectionHandler
    let cancellation = ExchangeCancellation()
    var machine = StreamStateMachine()
    /// The stream was not refused, and has not ended.
    var isServed = false
    /// `nil` if the request has no content, or if no reader may read the rest of it.
    var body: BodyPipe?
    var isBodyFull = false
    var isReadHeld = false
    /// The client waits for 100 before it sends its content.
    var awaitsContinue = false
    /// The client has asked for a WebSocket.
    var opensWebSocket = false
    /// `nil`: no WebSocket is open.
    var tunnel: TunnelWatch?
    var receivedByteCount = 0
    var output = StreamOutput()
    var isPumping = false
    var receiving: TransferWatch
    var sending: TransferWatch
    var timer: Scheduled<Void>?
    var record: StreamRecord?

    init(
        on eventLoop: any EventLoop,
        server: ServerContext,
        configuration: HTTPServer.Configuration,
        info: ConnectionInfo,
        connection: HTTP2ConnectionHandler
    ) {
        self.eventLoop = eventLoop
        self.server = server
        self.configuration = configuration
        self.info = info
        self.connection = connection
        receiving = TransferWatch(
            stallTimeout: TimeAmount(configuration.bodyTimeout),
            minimumBytesPerSecond: configuration.minimumBytesPerSecond
        )
        sending = TransferWatch(
            stallTimeout: TimeAmount(configuration.writeTimeout),
            minimumBytesPerSecond: configuration.minimumBytesPerSecond
        )
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    /// The stream has been reset by the client, or the connection has failed; the stream's end follows.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    private func end() {
        machine.closed()
        timer?.cancel()
        timer = nil
        dropBody(.connectionClosed)
        output.giveUp()
        if isServed {
            isServed = false
            connection.endServing()
        }
        guard !machine.hasResponseEnded else { return }
        cancellation.cancel()
        // A client that leaves ends a WebSocket as well as any.
        report(isComplete: tunnel != nil)
    }

    /// Drops the rest of the request's content, and fails its reader.
    func dropBody(_ code: RequestBodyError.Code) {
        body?.fail(RequestBodyError(code))
        body = nil
    }

    /// Ends the stream at once, in a way that shows the client that the response is incomplete.
    func reset(_ code: NIOHTTP2.HTTP2ErrorCode, context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.writeAndFlush(Self.wrapOutboundOut(.rstStream(code)), promise: nil)
    }

    /// Tells the observer, unless it has been told.
    func report(isComplete: Bool) {
        guard let record, let observer = server.responder.observer else { return }
        self.record = nil
        observer(record.report(info: info, contentByteCount: output.sentByteCount, receivedByteCount, isComplete: isComplete, now: eventLoop.now))
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if isBodyFull, body != nil {
            isReadHeld = true
        } else {
            isReadHeld = false
            context.read()
        }
    }

    func resumeReading(context: ChannelHandlerContext) {
        guard isReadHeld else { return }
        read(context: context)
    }
}

/// The record of an exchange while it goes on, for its report.
struct StreamRecord {
    let request: ExchangeReport.Request
    let start: NIODeadline
    var status = 0
    var firstByte: NIODeadline?
    var note: ExchangeNote?

    init(request: ExchangeReport.Request, start: NIODeadline, status: Int = 0) {
        self.request = request
        self.start = start
        self.status = status
    }

    func report(info: ConnectionInfo, contentByteCount: Int, _ receivedByteCount: Int, isComplete: Bool, now: NIODeadline) -> ExchangeReport {
        let duration = Duration.nanoseconds((now - start).nanoseconds)
        // Nothing was sent: the stream has ended before.
        let isAbandoned = status == 0
        return ExchangeReport(
            request: request,
            version: .http2,
            isSecure: info.isSecure,
            remoteAddress: info.remoteAddress,
            status: isAbandoned ? ExchangeReport.abandonedStatus : status,
            contentByteCount: contentByteCount,
            receivedByteCount: receivedByteCount,
            isComplete: isComplete,
            timeToFirstByte: firstByte.map { Duration.nanoseconds(($0 - start).nanoseconds) } ?? duration,
            duration: duration,
            note: note,
            isAbandoned: isAbandoned
        )
    }
}
