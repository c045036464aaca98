// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Takes the header of the PROXY protocol off the beginning of a connection, and then itself out of the pipeline.
///
/// A connection that does not begin with a valid header is closed without a word: its other end is not the balancer that it should be.
final class ProxyProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var buffer = ByteBuffer()
    private var isDone = false
    private let proceed: (ProxyProtocolHeader, any Channel) -> Void

    /// - Parameter proceed: Adds the handlers of the bytes that follow.
    init(proceed: @escaping (ProxyProtocolHeader, any Channel) -> Void) {
        self.proceed = proceed
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isDone, case .inputClosed? = event as? ChannelEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else {
            context.fireChannelRead(data)
            return
        }
        buffer.writeImmutableBuffer(Self.unwrapInboundIn(data))
        switch ProxyProtocolHeader.parse(buffer.readableBytesView) {
        case .incomplete:
            break
        case .invalid:
            isDone = true
            buffer.clear()
            context.close(promise: nil)
        case .header(let header, let byteCount):
            isDone = true
            buffer.moveReaderIndex(forwardBy: byteCount)
            proceed(header, context.channel)
            // Those that have just been added see the connection begin now.
            context.fireChannelActive()
            if buffer.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(buffer)) }
            buffer = ByteBuffer()
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }
}
