// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardEventLoops
internal import HoardMessages
internal import HoardWire
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Has the exchanges of a connection answered, which come one by one, each in a task on the event loop.
final class AnsweringHandler: ChannelInboundHandler {
    typealias InboundIn = Exchange
    typealias OutboundOut = HTTPServerResponsePart

    private let responder: Responder
    private let executor: EventLoopTaskExecutor
    private let logger: Logger
    /// Completed when the client takes more content.
    private var room: EventLoopPromise<Void>?
    private var isFlushPlanned = false
    /// Content that has been written since the last flush.
    private var unflushedByteCount = 0
    /// More is not held back: behind TLS, only flushed bytes count when the channel decides whether the client takes
    /// more.
    private static let maximumUnflushedByteCount = 64 << 10

    init(_ responder: Responder, executor: EventLoopTaskExecutor, logger: Logger) {
        self.responder = responder
        self.executor = executor
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let exchange = Self.unwrapInboundIn(data)
        let handler = LoopBoundHandler(self, context)
        let (responder, logger) = (responder, logger)
        let answer = executor.startTask {
            do {
                let response = if let answer = exchange.answer { await answer() } else { await responder.handler(exchange.request) }
                try await ExchangeWriter(handler: handler).write(responder.plan(response, to: exchange))
            } catch {
                logger.debug("A response was given up", metadata: ["error": "\(error)"])
                handler.execute { _, context in context.close(promise: nil) }
            }
        }
        exchange.cancellation.attach { answer.cancel() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { room.take()?.succeed() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        room.take()?.fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        room.take()?.fail(ChannelError.ioOnClosedChannel)
    }

    /// Writes part of a response. It is sent when the event loop has done its present work, so that parts that follow
    /// at once are sent with it.
    ///
    /// - Returns: Completes when the client takes more; `nil`: it does.
    func write(_ part: HTTPServerResponsePart, byteCount: Int, context: ChannelHandlerContext) throws -> EventLoopFuture<Void>? {
        guard context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
        context.write(Self.wrapOutboundOut(part), promise: nil)
        unflushedByteCount += byteCount
        guard context.channel.isWritable, unflushedByteCount < Self.maximumUnflushedByteCount else {
            unflushedByteCount = 0
            context.flush()
            if context.channel.isWritable { return nil }
            let room = self.room ?? context.eventLoop.makePromise(of: Void.self)
            self.room = room
            return room.futureResult
        }
        if !isFlushPlanned {
            isFlushPlanned = true
            context.eventLoop.assumeIsolated().execute {
                self.isFlushPlanned = false
                self.unflushedByteCount = 0
                context.flush()
            }
        }
        return nil
    }

    /// Writes the last of a response.
    func finish(_ content: ByteBuffer?, trailers: HTTPHeaders?, context: ChannelHandlerContext) throws {
        guard context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
        unflushedByteCount = 0
        if let content { context.write(Self.wrapOutboundOut(.body(.byteBuffer(content))), promise: nil) }
        context.writeAndFlush(Self.wrapOutboundOut(.end(trailers)), promise: nil)
    }
}

extension ChannelHandlerContext {
    /// Writes a whole HTTP/1 response.
    ///
    /// - Parameter content: All of it; `nil`: none.
    func writeAndFlush(_ plan: ResponsePlan, content: ByteBuffer?) {
        write(NIOAny(HTTPServerResponsePart.head(plan.head)), promise: nil)
        if let content { write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(content))), promise: nil) }
        writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
    }
}

/// Writes the response of an exchange from the task that makes it.
private struct ExchangeWriter: ResponseWriter {
    let handler: LoopBoundHandler<AnsweringHandler>

    func send(_ plan: ResponsePlan, content: ByteBuffer?) async throws {
        try await handler.perform { handler, context in
            context.writeAndFlush(plan, content: content)
            return nil
        }
    }

    func start(_ plan: ResponsePlan) async throws {
        try await handler.perform { handler, context in try handler.write(.head(plan.head), byteCount: 0, context: context) }
    }

    func send(_ content: ByteBuffer) async throws {
        try await handler.perform { handler, context in
            try handler.write(.body(.byteBuffer(content)), byteCount: content.readableBytes, context: context)
        }
    }

    func finish(_ content: ByteBuffer?, trailers: HTTPFields?) async throws {
        try await handler.perform { handler, context in
            try handler.finish(content, trailers: HTTPHeaders(trailers: trailers), context: context)
            return nil
        }
    }
}
