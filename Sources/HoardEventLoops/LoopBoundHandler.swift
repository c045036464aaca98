// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// A channel handler and its context, for use from anywhere.
///
/// Tasks of a connection run on its event loop (``EventLoopTaskExecutor``), so that they nearly always reach the handler without a hop.
package struct LoopBoundHandler<Handler>: Sendable {
    package let eventLoop: any EventLoop
    private let bound: NIOLoopBound<(Handler, ChannelHandlerContext)>

    /// Must be called on the context's event loop.
    package init(_ handler: Handler, _ context: ChannelHandlerContext) {
        eventLoop = context.eventLoop
        bound = NIOLoopBound((handler, context), eventLoop: context.eventLoop)
    }

    /// Runs `body` on the event loop, and waits for its future; `nil`: for nothing.
    package func perform(_ body: @escaping @Sendable (Handler, ChannelHandlerContext) throws -> EventLoopFuture<Void>?) async throws {
        let pending: EventLoopFuture<Void>?
        if eventLoop.inEventLoop {
            pending = try body(bound.value.0, bound.value.1)
        } else {
            pending = try await eventLoop.submit { try body(bound.value.0, bound.value.1) }.get()
        }
        try await pending?.get()
    }

    /// Does something on the event loop, on which the caller must be.
    package func withHandler<Result>(_ body: (Handler, ChannelHandlerContext) throws -> Result) rethrows -> Result {
        try body(bound.value.0, bound.value.1)
    }

    /// Does something on the event loop: at once if the caller is on it.
    package func run(_ body: @escaping @Sendable (Handler, ChannelHandlerContext) -> Void) {
        if eventLoop.inEventLoop { body(bound.value.0, bound.value.1) } else { execute(body) }
    }

    /// Runs `body` on the event loop, after its present work.
    package func execute(_ body: @escaping @Sendable (Handler, ChannelHandlerContext) -> Void) {
        eventLoop.execute { body(bound.value.0, bound.value.1) }
    }
}
