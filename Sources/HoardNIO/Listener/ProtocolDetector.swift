// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOTLS

/// Finds out whether a client speaks HTTP/1.1 or HTTP/2, and then takes itself out of the pipeline.
///
/// With encryption, the client has agreed to one of them by ALPN; without, HTTP/2 begins with its preface
/// ([RFC 9113 §3.3](https://www.rfc-editor.org/rfc/rfc9113#section-3.3)), and everything else is HTTP/1.1.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    enum Version { case http1, http2 }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let isSecure: Bool
    private var buffer = ByteBuffer()
    private var isDone = false
    private let proceed: (Version, any Channel) -> Void

    /// - Parameter proceed: Adds the handlers of the version.
    init(isSecure: Bool, proceed: @escaping (Version, any Channel) -> Void) {
        self.isSecure = isSecure
        self.proceed = proceed
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isSecure, !isDone, case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            start(negotiated == "h2" ? .http2 : .http1, context: context)
        } else if !isDone, case .inputClosed? = event as? ChannelEvent {
            // The client has gone before it said anything that could be answered.
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
        guard !isSecure else { return }
        if let version = Self.version(of: buffer.readableBytesView) { start(version, context: context) }
    }

    /// The version, or `nil` as long as it cannot be told.
    static func version(of bytes: ByteBufferView) -> Version? {
        guard zip(bytes, preface).allSatisfy({ $0 == $1 }) else { return .http1 }
        return bytes.count >= preface.count ? .http2 : nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isDone else {
            // The handshake has failed.
            context.close(promise: nil)
            return
        }
        context.fireErrorCaught(error)
    }

    private func start(_ version: Version, context: ChannelHandlerContext) {
        isDone = true
        proceed(version, context.channel)
        // Those that have just been added see the connection begin now.
        context.fireChannelActive()
        if buffer.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(buffer)) }
        buffer = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
