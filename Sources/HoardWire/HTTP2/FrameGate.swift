// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOHPACK

/// Stands between the socket, or TLS, and the codec of HTTP/2, and gives to each the frames that the other cannot
/// write: ``IncomingFrames``, ``OutgoingFrames``.
package final class FrameGate: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    /// The largest list of fields that is taken from the codec's hands at all, so that its owner can answer for it. A
    /// larger one ends the connection.
    package static let largestReadableList = 512 * 1_024
    /// The most CONTINUATION frames that one head may have: as many as such a list needs, and a few. CVE-2024-27919 and its like.
    package static let maximumContinuationCount = largestReadableList / 16_384 + 4
    /// The largest list of fields that is written. Encoded it is at most four times as long, which one frame of the codec's can hold.
    private static let largestWritableList = 1_024 * 1_024

    private var incoming: IncomingFrames
    package private(set) var frames: OutgoingFrames
    /// Whether the other side's bytes are of no interest any more.
    package var dropsInput = false

    /// The gate of a server's connection.
    ///
    /// - Parameter announced: The server's settings that are announced in place of those of the codec.
    package init(announced: [UInt16: UInt32]) {
        incoming = IncomingFrames(isServer: true)
        frames = OutgoingFrames(announced: announced)
    }

    /// The gate of a client's connection.
    ///
    /// - Parameter maximumListByteCount: The largest list of fields that is announced, in place of the limit of the codec.
    package init(maximumListByteCount: Int) {
        incoming = IncomingFrames(isServer: false)
        frames = OutgoingFrames(isServer: false, announced: [SettingName.listSize: UInt32(clamping: maximumListByteCount)])
    }

    /// Whether the codec has given the connection up, and has told the other side.
    package var hasGivenUp: Bool { frames.connectionError != nil }

    /// Whether the other side takes a list of fields. To be asked before it is given to the codec, for a list that the
    /// codec has encoded must be sent.
    ///
    /// A larger one than it has announced may cost the connection, and with it all other streams. Sizes are those of
    /// [RFC 9113 §6.5.2](https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2).
    ///
    /// - Complexity: O(n) in the number of fields.
    package func takes(_ fields: HPACKHeaders) -> Bool {
        let limit = min(incoming.maximumListByteCount.map { Int($0) } ?? .max, Self.largestWritableList)
        var byteCount = 0
        for (name, value, _) in fields { byteCount += name.utf8.count + value.utf8.count + 32 }
        return byteCount <= limit
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !dropsInput else { return }
        let bytes = incoming.read(Self.unwrapInboundIn(data))
        guard bytes.readableBytes > 0 else { return }
        context.fireChannelRead(Self.wrapInboundOut(bytes))
        // A socket that was closed meanwhile does not say that it has read, and until then the codec keeps the streams that got something, and they the codec.
        if !context.channel.isActive { context.fireChannelReadComplete() }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = Self.unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let written = frames.writes(bytes, maximumPayloadByteCount: incoming.maximumPayloadByteCount)
        context.write(Self.wrapOutboundOut(.byteBuffer(written)), promise: promise)
    }
}
