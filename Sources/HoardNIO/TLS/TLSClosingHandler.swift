// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Lets an encrypted connection that is closed end with the client's answer to that.
///
/// Clients may end their own side and still read (RFC 9112 §9.6), so connections stay open after that. NIOSSLHandler takes the client's answer to the end of a
/// connection for such a half-closure, too, and goes on waiting until its time is over. Nothing is read from a connection that is closed as a whole, so the difference does not matter there.
final class TLSClosingHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all { try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false) }
        context.close(mode: mode, promise: promise)
    }
}
