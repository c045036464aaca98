// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Stands where the socket is, and keeps the calls that it gets.
final class FuzzedSocket: ChannelOutboundHandler {
    typealias OutboundIn = Any

    var isReadRequested = false
    var isOutputClosed = false

    func read(context: ChannelHandlerContext) {
        isReadRequested = true
        context.read()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        isOutputClosed = true
        promise?.succeed()
    }
}
