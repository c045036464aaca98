// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import NIOHTTP1

extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard machine.acceptsResponse else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        timing.wrote()
        let part = Self.unwrapOutboundIn(data)
        if answersOfItself(part, promise: promise, context: context) { return }
        switch part {
        case .head(let head) where head.status == .switchingProtocols && current?.opensWebSocket == true:
            openTunnel(head, promise: promise, context: context)
        case .head(let head) where head.status.code < 200:
            context.write(data, promise: promise)
        case .head(var head):
            start(&head, context: context)
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body(let content):
            count(content.readableBytes)
            context.write(data, promise: promise)
        case .end:
            let flushed = promise ?? context.eventLoop.makePromise()
            flushed.futureResult.assumeIsolated().whenSuccess { self.responseFlushed(context: context) }
            context.write(data, promise: flushed)
        }
    }

    /// The end of a connection on which a response cannot be written to its end, or with which the server has lost patience.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if machine.isSendingResponse, current?.endsWithConnection == true {
            // A normal end of the connection would look like the end of the response, so it is reset.
            context.channel.resetsOnClose()
        }
        context.close(mode: mode, promise: promise)
    }

    private func start(_ head: inout HTTPResponseHead, context: ChannelHandlerContext) {
        current?.account?.responseStarted(status: Int(head.status.code), now: context.eventLoop.now)
        if current?.awaitsContinue == true {
            // The client may or may not send the content now. Without it, its next request could not be told from the content.
            _ = machine.closeAfterExchange()
        }
        let announcesClose = head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
        if machine.responseStarted(announcesClose: announcesClose), !announcesClose {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        current?.endsWithConnection = !head.headers.contains(name: "content-length") && !head.headers.contains(name: "transfer-encoding")
    }

    /// Puts an answer of the server's own in the place of the handler's, if the request's content was too long and the handler had not answered by then.
    private func answersOfItself(_ part: HTTPServerResponsePart, promise: EventLoopPromise<Void>?, context: ChannelHandlerContext) -> Bool {
        guard current?.isContentTooLarge == true else { return false }
        switch part {
        case .head where machine.acceptsInterimResponse:
            var (head, content) = rejectionMessage(.contentTooLarge)
            start(&head, context: context)
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
            if current?.isHead == false {
                count(content.readableBytes)
                context.write(Self.wrapOutboundOut(.body(.byteBuffer(content))), promise: nil)
            }
            current?.isAnsweredByServer = true
            return true
        case .body where current?.isAnsweredByServer == true:
            promise?.succeed()
            return true
        default:
            // The end of the handler's answer ends this one too.
            return false
        }
    }

    /// Content is being sent.
    private func count(_ byteCount: Int) {
        timing.wrote(byteCount: byteCount)
        current?.account?.contentByteCount += byteCount
    }

    private func responseFlushed(context: ChannelHandlerContext) {
        let missingByteCount = current?.missingByteCount
        current?.body?.fail(RequestBodyError(.responseEnded))
        if let current { report(current, isComplete: true) }
        current?.account = nil
        perform(machine.responseFlushed(missingByteCount: missingByteCount), context: context)
        if machine.isDraining { resumeReading(context: context) }
    }
}
