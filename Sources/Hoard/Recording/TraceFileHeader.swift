// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The beginning of a file that ``CacheTraceRecorder`` writes. Numbers have their lowest byte first.
///
/// | Offset | Bytes | Content |
/// | --- | --- | --- |
/// | 0 | 8 | the magic, `89 48 54 72 61 63 65 0A` |
/// | 8 | 4 | version of the format, now 1 |
/// | 12 | 4 | length of the header, now 48 |
/// | 16 | 8 | when the recording began, in milliseconds since 1970 |
/// | 24 | 4 | length of a tick in microseconds |
/// | 28 | 4 | of 65,536 keys, how many are recorded |
/// | 32 | 4 | number of this file among those of the recording, from 0 |
/// | 36 | 4 | 0 |
/// | 40 | 8 | XXH64 of the bytes before |
///
/// Blocks follow: see ``TraceBlock``.
package struct TraceFileHeader: Hashable, Sendable {
    /// "HTrace" between a byte that is not ASCII and a line end, either of which a transfer as text would change.
    package static let magic: [UInt8] = [0x89, 0x48, 0x54, 0x72, 0x61, 0x63, 0x65, 0x0A]
    package static let version: UInt32 = 1
    package static let byteCount = 48
    /// All keys are recorded.
    package static let allKeys: UInt32 = 65_536

    /// When the recording began, in milliseconds since 1970.
    package var start: UInt64
    /// Microseconds.
    package var tickLength: UInt32
    /// Of 65,536 keys, how many are recorded.
    package var sampledKeys: UInt32
    /// The number of the file in the recording, from 0.
    package var number: UInt32

    package init(start: UInt64, tickLength: UInt32, sampledKeys: UInt32, number: UInt32) {
        self.start = start
        self.tickLength = tickLength
        self.sampledKeys = sampledKeys
        self.number = number
    }

    package var encoded: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt32(Self.byteCount))
        bytes.append(littleEndian: start)
        bytes.append(littleEndian: tickLength)
        bytes.append(littleEndian: sampledKeys)
        bytes.append(littleEndian: number)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash($0) })
        return bytes
    }

    /// Reads the first ``byteCount`` bytes of a file.
    package init(decoding bytes: ArraySlice<UInt8>) throws(TraceFileFault) {
        guard bytes.starts(with: Self.magic) else { throw .foreign }
        guard bytes.count >= Self.byteCount else { throw .truncated }
        let bytes = Array(bytes.prefix(Self.byteCount))
        guard bytes.number(at: 8, as: UInt32.self) <= Self.version else { throw .newerFormat }
        guard bytes.number(at: 40, as: UInt64.self) == bytes.withUnsafeBytes({ XXH64.hash(.init(rebasing: $0[..<40])) }) else { throw .corrupt }
        start = bytes.number(at: 16, as: UInt64.self)
        tickLength = bytes.number(at: 24, as: UInt32.self)
        sampledKeys = bytes.number(at: 28, as: UInt32.self)
        number = bytes.number(at: 32, as: UInt32.self)
        guard tickLength > 0, (1...Self.allKeys).contains(sampledKeys) else { throw .corrupt }
    }
}

/// The reason why a recording could not be read.
package enum TraceFileFault: Error, Hashable, Sendable {
    /// It is no recording.
    case foreign
    /// A later version of Hoard has written it.
    case newerFormat
    /// It ends inside of a header or a block, as after a crash of the recorder.
    case truncated
    /// Bytes were changed.
    case corrupt
}
