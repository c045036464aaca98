// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Looks at the other side's frames on their way to the codec, and changes its settings where the codec would go wrong
/// by them.
///
/// The codec cannot write CONTINUATION, and fails when a head does not fit into a frame, after its table of fields has changed. So it is told that frames may be
/// as long as the protocol allows, and ``OutgoingFrames`` cuts its frames by the other side's real limit. And until its
/// own settings are acknowledged a server must not hold a client to settings that the client cannot know, so the codec
/// of a server is told at once that they are.
struct IncomingFrames {
    /// The longest payload of a frame that the other side takes: [RFC 9113 §6.5.2](https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2).
    private(set) var maximumPayloadByteCount = Self.smallestMaximum
    /// The largest list of fields that the other side takes, if it says so.
    private(set) var maximumListByteCount: UInt32?
    /// How much comes before the next frame: the rest of the last one, or of the client's preface.
    private var missingByteCount: Int
    /// The beginning of a frame that has to be seen whole.
    private var held = ByteBuffer()
    private var hasSeenSettings = false
    private var acknowledgement: Acknowledgement

    private enum Acknowledgement { case notMade, made, isDropped }

    private static let headerByteCount = 9
    private static let smallestMaximum = 16_384
    static let largestMaximum = 16_777_215
    /// The most bytes that the codec's table of fields for this direction may have, whatever the other side would allow.
    private static let largestTable: UInt32 = 65_536

    /// - Parameter isServer: The other side is a client.
    init(isServer: Bool) {
        missingByteCount = isServer ? 24 : 0
        acknowledgement = isServer ? .notMade : .isDropped
    }

    /// Takes bytes as they come.
    ///
    /// - Returns: The bytes for the codec.
    mutating func read(_ bytes: ByteBuffer) -> ByteBuffer {
        var rest = bytes
        if held.readableBytes > 0 {
            held.writeImmutableBuffer(bytes)
            (rest, held) = (held, ByteBuffer())
        }
        var output: ByteBuffer?
        // Where begins, in `rest`, that which the codec gets as it is.
        var start = rest.readerIndex
        var index = start
        while index < rest.writerIndex {
            if missingByteCount > 0 {
                let count = min(missingByteCount, rest.writerIndex - index)
                missingByteCount -= count
                index += count
                continue
            }
            guard let frame = Header(rest, at: index) else {
                held = rest.getSlice(at: index, length: rest.writerIndex - index) ?? ByteBuffer()
                rest.moveWriterIndex(to: index)
                break
            }
            guard changes(frame) else {
                missingByteCount = Self.headerByteCount + frame.length
                continue
            }
            let count = Self.headerByteCount + frame.length
            guard let whole = rest.getSlice(at: index, length: count) else {
                held = rest.getSlice(at: index, length: rest.writerIndex - index) ?? ByteBuffer()
                rest.moveWriterIndex(to: index)
                break
            }
            var changed = output ?? ByteBuffer()
            if let before = rest.getSlice(at: start, length: index - start) { changed.writeImmutableBuffer(before) }
            if frame.isAcknowledgement { acknowledgement = .isDropped } else { translate(whole, into: &changed) }
            output = changed
            index += count
            start = index
        }
        guard var output else { return rest }
        if let after = rest.getSlice(at: start, length: rest.writerIndex - start) { output.writeImmutableBuffer(after) }
        return output
    }

    /// Whether the codec does not get a frame as it is. The codec must see a faulty frame as it is.
    private func changes(_ frame: Header) -> Bool {
        guard frame.kind == FrameKind.settings, frame.stream == 0 else { return false }
        if frame.isAcknowledgement { return frame.length == 0 && acknowledgement == .made }
        return frame.length % 6 == 0 && frame.length <= Self.smallestMaximum
    }

    /// Writes settings as the codec gets them. If a frame is full, one setting more makes it too long, and the codec ends the connection.
    private mutating func translate(_ frame: ByteBuffer, into output: inout ByteBuffer) {
        var settings = frame
        settings.moveReaderIndex(forwardBy: Self.headerByteCount)
        var payload = ByteBuffer()
        var hasFrameSize = false
        while let (name, value) = settings.readMultipleIntegers(as: (UInt16, UInt32).self) {
            var told = value
            switch name {
            case SettingName.tableSize:
                told = min(value, Self.largestTable)
            case SettingName.frameSize where (Self.smallestMaximum...Self.largestMaximum).contains(Int(value)):
                maximumPayloadByteCount = Int(value)
                told = UInt32(Self.largestMaximum)
                hasFrameSize = true
            case SettingName.listSize:
                maximumListByteCount = value
            default:
                break
            }
            payload.writeMultipleIntegers(name, told)
        }
        if !hasFrameSize, !hasSeenSettings { payload.writeMultipleIntegers(SettingName.frameSize, UInt32(Self.largestMaximum)) }
        hasSeenSettings = true
        output.writeFrameHeader(length: payload.readableBytes, kind: FrameKind.settings, flags: 0, stream: 0)
        output.writeImmutableBuffer(payload)
        guard acknowledgement == .notMade else { return }
        acknowledgement = .made
        output.writeFrameHeader(length: 0, kind: FrameKind.settings, flags: FrameFlags.acknowledgement, stream: 0)
    }

    private struct Header {
        let length: Int
        let kind: UInt8
        let flags: UInt8
        let stream: UInt32

        init?(_ bytes: ByteBuffer, at index: Int) {
            guard bytes.writerIndex - index >= IncomingFrames.headerByteCount, let start = bytes.getInteger(at: index, as: UInt32.self),
                let flags = bytes.getInteger(at: index + 4, as: UInt8.self), let stream = bytes.getInteger(at: index + 5, as: UInt32.self)
            else { return nil }
            length = Int(start >> 8)
            kind = UInt8(truncatingIfNeeded: start)
            self.flags = flags
            self.stream = stream & 0x7FFF_FFFF
        }

        var isAcknowledgement: Bool { flags & FrameFlags.acknowledgement != 0 }
    }
}

/// The kinds of frames that are looked at: [RFC 9113 §6](https://www.rfc-editor.org/rfc/rfc9113#section-6).
enum FrameKind {
    static let headers: UInt8 = 0x1
    static let settings: UInt8 = 0x4
    static let goAway: UInt8 = 0x7
    static let continuation: UInt8 = 0x9
}

enum FrameFlags {
    static let acknowledgement: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
}

/// Settings by their numbers: [RFC 9113 §6.5.2](https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2).
package enum SettingName {
    package static let tableSize: UInt16 = 0x1
    package static let streamCount: UInt16 = 0x3
    package static let frameSize: UInt16 = 0x5
    package static let listSize: UInt16 = 0x6
}

extension ByteBuffer {
    mutating func writeFrameHeader(length: Int, kind: UInt8, flags: UInt8, stream: UInt32) {
        writeMultipleIntegers(UInt32(truncatingIfNeeded: length) << 8 | UInt32(kind), flags, stream)
    }
}
