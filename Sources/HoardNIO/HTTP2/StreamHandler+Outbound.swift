// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardEventLoops
internal import HoardMessages
internal import Logging
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

extension StreamHandler {
    /// Has the handler answer, in a task on this event loop.
    func startHandler(for request: HTTPServerRequest, context: ChannelHandlerContext) {
        let handler = server.responder.handler
        startAnswer(to: request, context: context) { await handler(request) }
    }

    /// Starts a task on this event loop that answers a request.
    func startAnswer(
        to request: HTTPServerRequest,
        context: ChannelHandlerContext,
        _ makeResponse: @escaping @Sendable () async -> HTTPServerResponse
    ) {
        let writer = StreamWriter(stream: LoopBoundHandler(self, context))
        let connection = NIOLoopBound(connection, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let server = server
        self.connection.handlerStarted()
        let answer = EventLoopTaskExecutor(eventLoop).startTask {
            do {
                try await writer.write(StreamPlan(await makeResponse(), to: request, clock: server.responder.clock))
            } catch {
                server.logger.debug("A response was given up", metadata: ["error": "\(error)"])
                writer.fail()
            }
            eventLoop.execute { connection.value.handlerEnded() }
        }
        cancellation.attach { answer.cancel() }
    }

    /// Answers with content that is at hand.
    func respond(_ response: HTTPServerResponse, to request: HTTPServerRequest, context: ChannelHandlerContext) {
        let plan = StreamPlan(response, to: request, clock: server.responder.clock)
        guard plan.hasNoContent || plan.body.bytesAtHand != nil else {
            return startAnswer(to: request, context: context) { response }
        }
        guard start(plan, context: context), machine.isSending else { return }
        finish(plan.body.bytesAtHand, context: context)
    }

    /// Answers a request that will not be served.
    func reject(_ rejection: RequestRejection, isHead: Bool = false, context: ChannelHandlerContext) {
        var head = HTTPResponse(status: rejection.status)
        head.headerFields[.contentType] = "text/plain; charset=utf-8"
        let response = HTTPServerResponse(head: head, body: HTTPBody(rejection.sentence + "\n"))
        let request = HTTPServerRequest(
            head: HTTPRequest(method: isHead ? .head : .get, scheme: nil, authority: nil, path: nil),
            version: .http2,
            remoteAddress: info.remoteAddress
        )
        respond(response, to: request, context: context)
    }

    /// Writes the head of the final response, and all of one that has no content.
    ///
    /// - Parameter flushes: Content does not follow at once.
    /// - Returns: Whether it could be; not when the stream is closed, or has been answered, or the client does not take such a head and has got an error instead.
    func start(_ plan: StreamPlan, flushes: Bool = false, context: ChannelHandlerContext) -> Bool {
        guard context.channel.isActive, machine.responseStarted() else { return false }
        let isTaken = connection.takes(plan.headers)
        let plan = isTaken ? plan : StreamPlan.headTooLarge(clock: server.responder.clock)
        record?.status = plan.status
        record?.note = plan.note
        record?.firstByte = context.eventLoop.now
        if plan.opensWebSocket, isTaken { tunnel = configuration.webSockets.map { TunnelWatch($0, now: context.eventLoop.now) } }
        guard plan.hasNoContent else {
            context.write(Self.wrapOutboundOut(.headers(.init(headers: plan.headers))), promise: nil)
            if flushes { context.flush() }
            return true
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        ended(by: written, context: context)
        context.writeAndFlush(Self.wrapOutboundOut(.headers(.init(headers: plan.headers, endStream: true))), promise: written)
        return isTaken
    }

    /// Writes content.
    ///
    /// - Returns: Completes when there is room for more.
    func send(_ content: ByteBuffer, context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        guard machine.isSending else { return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        output.add(content)
        pump(context: context)
        return output.whenThereIsRoom(on: context.eventLoop)
    }

    /// Writes the last of the content, and the trailers behind it.
    func finish(_ content: ByteBuffer?, trailers: HPACKHeaders? = nil, context: ChannelHandlerContext) {
        guard machine.isSending else { return }
        // Without them the response would look as if it had none.
        if let trailers, !connection.takes(trailers) { return reset(.internalError, context: context) }
        if let content { output.add(content) }
        output.end(trailers.map { .trailers($0) } ?? .none)
        pump(context: context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump(context: context)
        context.fireChannelWritabilityChanged()
    }

    /// Writes as much as the client takes.
    private func pump(context: ChannelHandlerContext) {
        guard !isPumping else { return }
        isPumping = true
        var isAnythingWritten = false
        while context.channel.isWritable, machine.isSending, let frame = output.next() {
            isAnythingWritten = true
            write(frame, context: context)
        }
        isPumping = false
        if isAnythingWritten { context.flush() }
        output.takeRoom()?.succeed()
    }

    private func write(_ frame: StreamOutput.Frame, context: ChannelHandlerContext) {
        let written = context.eventLoop.makePromise(of: Void.self)
        switch frame {
        case .data(let content, let endsStream):
            let byteCount = content.readableBytes
            written.futureResult.assumeIsolated().whenComplete { result in
                self.output.written(byteCount: byteCount, isSent: (try? result.get()) != nil)
            }
            if endsStream { ended(by: written, context: context) }
            context.write(Self.wrapOutboundOut(.data(.init(data: .byteBuffer(content), endStream: endsStream))), promise: written)
        case .trailers(let fields):
            ended(by: written, context: context)
            context.write(Self.wrapOutboundOut(.headers(.init(headers: fields, endStream: true))), promise: written)
        }
    }

    /// The frame that ends the response is being written.
    private func ended(by written: EventLoopPromise<Void>, context: ChannelHandlerContext) {
        machine.responseEnded()
        written.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.responseSent(context: context)
            case .failure:
                self.cancellation.cancel()
                self.report(isComplete: false)
            }
        }
    }

    private func responseSent(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        dropBody(.responseEnded)
        report(isComplete: true)
        // The client need not send content that no reader wants: RFC 9113 §8.1.
        if machine.isReceiving { reset(.noError, context: context) }
    }
}
