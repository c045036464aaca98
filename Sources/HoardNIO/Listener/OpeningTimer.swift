// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Closes a connection on which it takes too long to find out the protocol: header of a proxy, TLS handshake, first bytes.
final class OpeningTimer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let timeout: TimeAmount
    private var timer: Scheduled<Void>?

    init(timeout: TimeAmount) {
        self.timeout = timeout
    }

    func channelActive(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { context.channel.close(promise: nil) }
        context.fireChannelActive()
    }

    /// Stops the timer, since the protocol of the connection is known.
    func finish(in channel: any Channel) {
        timer?.cancel()
        timer = nil
        channel.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }
}
