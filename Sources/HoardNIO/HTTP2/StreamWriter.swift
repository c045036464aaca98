// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardEventLoops
internal import HoardMessages
internal import HoardWire
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Writes a response to a stream from the task that makes it.
struct StreamWriter: ResponseWriter {
    let stream: LoopBoundHandler<StreamHandler>

    func send(_ plan: StreamPlan, content: ByteBuffer?) async throws {
        try await stream.perform { handler, context in
            guard handler.start(plan, flushes: content == nil, context: context) else { throw ChannelError.ioOnClosedChannel }
            if let content { handler.finish(content, context: context) }
            return nil
        }
    }

    func start(_ plan: StreamPlan) async throws {
        try await stream.perform { handler, context in
            guard handler.start(plan, flushes: true, context: context) else { throw ChannelError.ioOnClosedChannel }
            return nil
        }
    }

    func send(_ content: ByteBuffer) async throws {
        try await stream.perform { handler, context in handler.send(content, context: context) }
    }

    func finish(_ content: ByteBuffer?, trailers: HTTPFields?) async throws {
        try await stream.perform { handler, context in
            handler.finish(content, trailers: HPACKHeaders(trailers: trailers), context: context)
            return nil
        }
    }

    /// The response cannot be written to its end.
    func fail() {
        stream.execute { handler, context in
            guard !handler.machine.hasResponseEnded else { return }
            handler.reset(.internalError, context: context)
        }
    }
}
