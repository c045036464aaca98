// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import HoardWire
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Writes a response to a stream from the task that makes it.
struct StreamWriter: Sendable {
    private let eventLoop: any EventLoop
    private let stream: NIOLoopBound<(StreamHandler, ChannelHandlerContext)>

    init(_ handler: StreamHandler, _ context: ChannelHandlerContext) {
        eventLoop = context.eventLoop
        stream = NIOLoopBound((handler, context), eventLoop: context.eventLoop)
    }

    /// Has the handler answer, and writes what it returns, as fast as the client takes it.
    ///
    /// - Throws: If the response could not be written as announced. The stream must then be reset: its client waits for the rest.
    func answer(_ request: HTTPServerRequest, by responder: Responder) async throws {
        let response = await responder.handler(request)
        let plan = StreamPlan(response, to: request, clock: responder.clock)
        if plan.hasNoContent {
            try await start(plan)
            return
        }
        if let content = plan.body.bytesAtHand {
            try await start(plan, with: content)
            return
        }
        if case .bytes(let count) = plan.content {
            try await write(plan, byteCount: count)
            return
        }
        try await start(plan)
        for try await part in plan.body { try await send(part) }
        // A sequence whose reader is cancelled may end as if it were complete.
        try Task.checkCancellation()
        try await finish(nil, trailers: HPACKHeaders(trailers: plan.body.trailers))
    }

    private func write(_ plan: StreamPlan, byteCount: Int) async throws {
        var check = LengthCheck(byteCount: byteCount)
        var parts = plan.body.makeAsyncIterator()
        // An empty body must be seen to be empty before the head says so.
        if byteCount == 0, try await parts.next() != nil { throw ResponseBodyError.tooLong }
        try await start(plan)
        while byteCount > 0, let part = try await parts.next() {
            switch check.next(part) {
            case .send(let part): try await send(part)
            case .hold: break
            case .fail: throw ResponseBodyError.tooLong
            }
        }
        switch check.end() {
        case .send(let last): try await finish(last)
        case .fail: throw ResponseBodyError.tooShort
        }
    }

    private func start(_ plan: StreamPlan) async throws {
        try await perform { handler, context in
            guard handler.start(plan, flushes: true, context: context) else {
                return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
            }
            return context.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func start(_ plan: StreamPlan, with content: ByteBuffer) async throws {
        try await perform { handler, context in
            guard handler.start(plan, context: context) else { return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
            handler.finish(content, context: context)
            return context.eventLoop.makeSucceededVoidFuture()
        }
    }

    private func send(_ content: ByteBuffer) async throws {
        try await perform { handler, context in handler.send(content, context: context) }
    }

    private func finish(_ content: ByteBuffer?, trailers: HPACKHeaders? = nil) async throws {
        try await perform { handler, context in
            handler.finish(content, trailers: trailers, context: context)
            return context.eventLoop.makeSucceededVoidFuture()
        }
    }

    /// The response cannot be written to its end.
    func fail() {
        eventLoop.execute {
            let (handler, context) = stream.value
            guard !handler.machine.hasResponseEnded else { return }
            handler.reset(.internalError, context: context)
        }
    }

    private func perform(_ body: @escaping @Sendable (StreamHandler, ChannelHandlerContext) -> EventLoopFuture<Void>) async throws {
        try await eventLoop.flatSubmit {
            let (handler, context) = stream.value
            return body(handler, context)
        }.get()
    }
}
