// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Looks at the frames that the codec writes: cuts heads that are longer than a frame may be, announces settings that
/// are not the codec's own, and sees whether the codec has given the connection up.
///
/// The codec reports errors of streams and of the connection alike. Only errors of the connection are sent to the other side, by a GOAWAY frame with
/// an error code ([RFC 9113 §5.4.1](https://www.rfc-editor.org/rfc/rfc9113#section-5.4.1)). Nothing more is to be expected after it.
package struct OutgoingFrames {
    package enum ConnectionError: Hashable {
        /// The other side broke the rules of the protocol.
        case other
        /// The other side does too much of something: ENHANCE_YOUR_CALM.
        case excess
    }

    /// The reason why the codec has given the connection up.
    package private(set) var connectionError: ConnectionError?
    /// How much has been written.
    package private(set) var byteCount = 0
    /// How much of the last frame's content is in the writes to come.
    private var missingByteCount: Int
    /// The values that the first settings announce in place of the codec's.
    private var announced: [UInt16: UInt32]

    private static let headerByteCount = 9
    private static let enhanceYourCalm: UInt32 = 0x0B

    /// - Parameters:
    ///   - isServer: The other side is a client. Servers write no preface.
    ///   - announced: The values that the first settings announce in place of those of the codec.
    init(isServer: Bool = true, announced: [UInt16: UInt32] = [:]) {
        missingByteCount = isServer ? 0 : 24
        self.announced = announced
    }

    /// The codec writes a frame's header with its content, or, of those that are not cut, the header first and then the content.
    ///
    /// - Parameter maximumPayloadByteCount: The longest payload of a frame that the other side takes. The writers of
    ///   DATA see to it that none is longer than the smallest maximum.
    /// - Returns: The bytes to write.
    mutating func writes(_ bytes: ByteBuffer, maximumPayloadByteCount: Int) -> ByteBuffer {
        if missingByteCount > 0 {
            missingByteCount = max(0, missingByteCount - bytes.readableBytes)
            byteCount += bytes.readableBytes
            return bytes
        }
        var written = bytes
        let start = bytes.readerIndex
        if bytes.readableBytes >= Self.headerByteCount, let head = bytes.getInteger(at: start, as: UInt32.self) {
            let length = Int(head >> 8)
            missingByteCount = max(0, length + Self.headerByteCount - bytes.readableBytes)
            switch UInt8(truncatingIfNeeded: head) {
            case FrameKind.headers where length > maximumPayloadByteCount:
                written = Self.cut(bytes, maximumPayloadByteCount: maximumPayloadByteCount)
            case FrameKind.settings where !announced.isEmpty && length > 0:
                written = announcing(bytes)
            case FrameKind.goAway:
                guard let code = bytes.getInteger(at: start + Self.headerByteCount + 4, as: UInt32.self), code != 0 else { break }
                connectionError = code == Self.enhanceYourCalm ? .excess : .other
            default:
                break
            }
        }
        byteCount += written.readableBytes
        return written
    }

    /// A HEADERS frame and CONTINUATION frames, with nothing in between: [RFC 9113 §6.10](https://www.rfc-editor.org/rfc/rfc9113#section-6.10).
    private static func cut(_ frame: ByteBuffer, maximumPayloadByteCount: Int) -> ByteBuffer {
        var rest = frame
        guard let (_, flags, stream) = rest.readMultipleIntegers(as: (UInt32, UInt8, UInt32).self) else { return frame }
        let frameCount = rest.readableBytes / maximumPayloadByteCount + 1
        var output = ByteBuffer()
        output.reserveCapacity(rest.readableBytes + frameCount * headerByteCount)
        var kind = FrameKind.headers
        // Whether the stream ends is said by the first frame, whether the head ends by the last.
        var pending = flags & ~FrameFlags.endHeaders
        while let part = rest.readSlice(length: min(rest.readableBytes, maximumPayloadByteCount)), part.readableBytes > 0 {
            if rest.readableBytes == 0 { pending |= FrameFlags.endHeaders }
            output.writeFrameHeader(length: part.readableBytes, kind: kind, flags: pending, stream: stream)
            output.writeImmutableBuffer(part)
            (kind, pending) = (FrameKind.continuation, 0)
        }
        return output
    }

    private mutating func announcing(_ frame: ByteBuffer) -> ByteBuffer {
        var output = frame
        var index = frame.readerIndex + Self.headerByteCount
        while let name = frame.getInteger(at: index, as: UInt16.self) {
            if let value = announced[name] { output.setInteger(value, at: index + 2) }
            index += 6
        }
        announced = [:]
        return output
    }
}
