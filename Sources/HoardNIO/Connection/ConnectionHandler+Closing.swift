// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardMessages
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

extension ConnectionHandler {
    func perform(_ action: ConnectionStateMachine.ExchangeAction, context: ChannelHandlerContext) {
        switch action {
        case .none:
            break
        case .startNext:
            current = nil
            serveQueue(context: context)
        case .closeGracefully:
            current = nil
            closeGracefully(context: context)
        }
    }

    /// Answers a request that will not be served, and closes the connection.
    ///
    /// - Parameter isHead: The answer must have no content.
    func reject(_ rejection: RequestRejection, isHead: Bool = false, context: ChannelHandlerContext) {
        let (head, content) = rejectionMessage(rejection)
        queue.removeAll()
        reportRejection(rejection.status.code, contentByteCount: isHead ? 0 : content.readableBytes)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(Self.wrapOutboundOut(.body(.byteBuffer(content))), promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        perform(machine.closeAfterExchange(), context: context)
    }

    /// The message for a client whose request is not served.
    func rejectionMessage(_ rejection: RequestRejection) -> (HTTPResponseHead, ByteBuffer) {
        let content = ByteBuffer(string: rejection.sentence + "\n")
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(rejection.status),
            headers: [
                "Content-Type": "text/plain; charset=utf-8",
                "Content-Length": "\(content.readableBytes)",
                "Date": HTTPDate(clock.now()).description,
                "Connection": "close",
            ]
        )
        return (head, content)
    }

    /// Takes no more requests: closes at once if none is in progress, else after its response.
    ///
    /// A client that has just been accepted, or whose head is arriving, still gets an answer if it is quick: its request may be on the way, and closing the
    /// connection would reset it.
    func quiesce(context: ChannelHandlerContext) {
        queue.removeAll()
        guard machine.isIdle else { return perform(machine.closeAfterExchange(), context: context) }
        guard timing.isHeadDue, !machine.hasInputClosed else { return context.close(promise: nil) }
        isLastRequestDue = true
        timing.hurry(now: context.eventLoop.now)
        armTimer(context: context)
    }

    /// Ends the response side, and waits for the client to end its own.
    ///
    /// Closing both while bytes from the client are unread would reset the connection, and the client could lose the response.
    private func closeGracefully(context: ChannelHandlerContext) {
        queue.removeAll()
        guard !machine.hasInputClosed else {
            context.close(promise: nil)
            return
        }
        timing.lingering(now: context.eventLoop.now)
        armTimer(context: context)
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.close(mode: .output).whenComplete { result in
            let (handler, context) = handler.value
            switch result {
            case .success: handler.resumeReading(context: context)
            case .failure: context.close(promise: nil)
            }
        }
    }
}
