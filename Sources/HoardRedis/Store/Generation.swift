// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The content of a generation key: the number that the living records of a tag, a partition or the store refer to, and the marks that have ended
/// their freshness since.
///
/// A record is valid as long as the key has the number that it was written with. To remove all records of a tag is to give the tag another number. A
/// key that is not there means that its records are removed: so an eviction brings nothing back.
///
/// | offset | |
/// | --: | --- |
/// | 0 | `HRG` and the version, 1 |
/// | 4 | number, 8 bytes, random; odd if there was none before, even if it has replaced another to remove the records that refer to that |
/// | 12 | how many marks have been made in this generation, 8 bytes |
/// | 20 | the marks that still say something (``StaleMarks``), each: sequence, 8 bytes; date, the bits of `Double` seconds since 2001-01-01 00:00 UTC, 8 bytes |
///
/// Numbers are little-endian.
struct Generation: Sendable, Hashable {
    let number: UInt64
    private(set) var markCount: Int64 = 0
    private(set) var marks = StaleMarks()

    /// A generation that was not there before.
    init(number: UInt64) {
        self.number = number
    }

    /// Whether its creation removed nothing and nothing has been marked in it: a first record has needed it, and
    /// nothing else has happened to it.
    var isUntouched: Bool { number % 2 == 1 && markCount == 0 }

    /// One that is made because a record needs it.
    static func first() -> Generation { Generation(number: .random(in: .min ... .max) | 1) }

    /// One that removes the records that refer to the one before it.
    static func next() -> Generation { Generation(number: .random(in: .min ... .max) & ~1) }

    /// The reference for a record that is written now.
    var reference: GenerationReference { GenerationReference(number: number, markCount: markCount) }

    /// Ends the freshness of the records that have been written in this generation, at `date`.
    mutating func mark(at date: Date) {
        marks.add(.init(sequence: markCount, date: date))
        markCount += 1
    }

    /// When the freshness of a record that refers to this generation so has ended; `nil` if it has not.
    func freshnessEnd(for reference: GenerationReference) -> Date? {
        marks.isEmpty ? nil : marks.freshnessEnd(forSequence: reference.markCount)
    }
}

/// A record's reference to a generation.
struct GenerationReference: Sendable, Hashable {
    let number: UInt64
    /// The number of marks that had been made when the record was written. Later ones concern it.
    let markCount: Int64
}

extension Generation {
    private static let magic: UInt32 = 0x4852_4701
    private static let fixedByteCount = 20
    private static let markByteCount = 16

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(Self.fixedByteCount + marks.marks.count * Self.markByteCount)
        buffer.writeInteger(Self.magic)
        buffer.writeInteger(number, endianness: .little)
        buffer.writeInteger(markCount, endianness: .little)
        for mark in marks.marks {
            buffer.writeInteger(mark.sequence, endianness: .little)
            buffer.writeInteger(mark.date.timeIntervalSinceReferenceDate.bitPattern, endianness: .little)
        }
        return buffer
    }

    /// Reads the result of ``encoded``; `nil` if it is anything else.
    init?(encoded buffer: ByteBuffer) {
        var buffer = buffer
        guard buffer.readableBytes >= Self.fixedByteCount, (buffer.readableBytes - Self.fixedByteCount) % Self.markByteCount == 0,
            buffer.readableBytes <= Self.fixedByteCount + StaleMarks.maximumCount * Self.markByteCount,
            buffer.readInteger(as: UInt32.self) == Self.magic,
            let number = buffer.readInteger(endianness: .little, as: UInt64.self),
            // One more can be counted.
            let markCount = buffer.readInteger(endianness: .little, as: Int64.self), 0..<Int64.max ~= markCount
        else { return nil }
        self.init(number: number)
        while let sequence = buffer.readInteger(endianness: .little, as: Int64.self),
            let date = buffer.readInteger(endianness: .little, as: UInt64.self)
        {
            guard sequence >= 0, sequence < markCount else { return nil }
            marks.add(.init(sequence: sequence, date: Date(timeIntervalSinceReferenceDate: Double(bitPattern: date))))
        }
        self.markCount = markCount
    }
}
