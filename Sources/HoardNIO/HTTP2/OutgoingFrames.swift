// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Looks at what the codec writes, to see whether it has given the connection up.
///
/// The codec reports errors of streams and of the connection alike; only those of the connection are told to the client by a GOAWAY frame with an error
/// code ([RFC 9113 §5.4.1](https://www.rfc-editor.org/rfc/rfc9113#section-5.4.1)), after which nothing more is to be expected.
struct OutgoingFrames {
    enum ConnectionError: Hashable {
        /// The client broke the rules of the protocol.
        case other
        /// The client does too much of something: ENHANCE_YOUR_CALM.
        case excess
    }

    /// Why the codec has given the connection up.
    private(set) var connectionError: ConnectionError?
    /// How much has been written.
    private(set) var byteCount = 0
    /// How much of the last frame's content is in the writes to come.
    private var missingByteCount = 0

    private static let headerByteCount = 9
    private static let goAway: UInt8 = 0x07
    private static let enhanceYourCalm: UInt32 = 0x0B

    /// The codec writes a frame's header with its content, or the header first and then the content.
    mutating func wrote(_ bytes: ByteBuffer) {
        byteCount += bytes.readableBytes
        if missingByteCount > 0 {
            missingByteCount = max(0, missingByteCount - bytes.readableBytes)
            return
        }
        let start = bytes.readerIndex
        guard bytes.readableBytes >= Self.headerByteCount, let high = bytes.getInteger(at: start, as: UInt8.self),
            let low = bytes.getInteger(at: start + 1, as: UInt16.self), let kind = bytes.getInteger(at: start + 3, as: UInt8.self)
        else { return }
        missingByteCount = max(0, Int(high) << 16 + Int(low) + Self.headerByteCount - bytes.readableBytes)
        guard kind == Self.goAway, let code = bytes.getInteger(at: start + Self.headerByteCount + 4, as: UInt32.self), code != 0 else { return }
        connectionError = code == Self.enhanceYourCalm ? .excess : .other
    }
}

/// Stands between the socket, or TLS, and the codec.
final class OutgoingFrameObserver: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private(set) var frames = OutgoingFrames()
    /// Whether what the client sends is of no interest any more.
    var dropsInput = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !dropsInput else { return }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = Self.unwrapOutboundIn(data) { frames.wrote(bytes) }
        context.write(data, promise: promise)
    }
}
