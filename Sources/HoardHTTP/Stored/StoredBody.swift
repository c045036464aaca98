// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The content of a stored response, as far as it is stored: all of it, or some ranges.
///
/// The ranges are of the representation that the response stands for ([RFC 9110 §14](https://www.rfc-editor.org/rfc/rfc9110#section-14)).
package struct StoredBody: Sendable, Hashable {
    /// Where the bytes of an extent are.
    package enum Source: Sendable, Hashable {
        /// Here.
        case bytes(ByteBuffer)
        /// In entries of their own, in segments of ``BodyReference/segmentLength`` bytes.
        case reference(BodyReference)
    }

    /// A contiguous range that is stored.
    package struct Extent: Sendable, Hashable {
        /// Where it begins in the whole content.
        package var offset: Int
        package var length: Int
        package var source: Source

        package init(offset: Int, length: Int, source: Source) {
            self.offset = offset
            self.length = length
            self.source = source
        }

        package var range: Range<Int> { offset..<(offset + length) }
    }

    /// All of the content at hand in one piece, which is the usual case and needs no array; or anything else.
    private enum Storage: Sendable, Hashable {
        case whole(ByteBuffer)
        case extents([Extent], completeLength: Int?)
    }

    private var storage: Storage

    /// Sorted by offset; no two overlap.
    package var extents: [Extent] {
        switch storage {
        case .whole(let bytes) where bytes.readableBytes == 0: []
        case .whole(let bytes): [Extent(offset: 0, length: bytes.readableBytes, source: .bytes(bytes))]
        case .extents(let extents, _): extents
        }
    }

    /// The length of the whole content; `nil` if no message has told it.
    package var completeLength: Int? {
        get {
            switch storage {
            case .whole(let bytes): bytes.readableBytes
            case .extents(_, let completeLength): completeLength
            }
        }
        set { self = StoredBody(extents: extents, completeLength: newValue) }
    }

    /// - Parameter extents: Sorted by offset, none overlapping another.
    package init(extents: [Extent], completeLength: Int?) {
        if extents.isEmpty, completeLength == 0 {
            storage = .whole(ByteBuffer())
        } else if extents.count == 1, extents[0].offset == 0, extents[0].length == completeLength, case .bytes(let bytes) = extents[0].source,
            bytes.readableBytes == completeLength
        {
            storage = .whole(bytes)
        } else {
            storage = .extents(extents, completeLength: completeLength)
        }
    }

    /// All of the content, at hand.
    package init(_ bytes: ByteBuffer) {
        storage = .whole(bytes)
    }

    /// No content.
    package static let empty = StoredBody(ByteBuffer())

    /// Whether the whole content is stored.
    package var isComplete: Bool {
        if case .whole = storage { return true }
        guard let completeLength else { return false }
        if completeLength == 0 { return true }
        var end = 0
        for extent in extents {
            guard extent.offset == end else { return false }
            end += extent.length
        }
        return end == completeLength
    }

    /// The whole content, if all of it is at hand, in one piece. Of several pieces that are the whole, at least one is a reference, as bytes that touch
    /// each other are one piece.
    package var bytesAtHand: ByteBuffer? {
        if case .whole(let bytes) = storage { return bytes }
        guard extents.count <= 1, isComplete else { return nil }
        guard let only = extents.first else { return ByteBuffer() }
        if case .bytes(let bytes) = only.source { return bytes }
        return nil
    }

    /// Whether all bytes of `range` are stored.
    package func contains(_ range: Range<Int>) -> Bool {
        var next = range.lowerBound
        for extent in extents where extent.range.contains(next) {
            next = extent.range.upperBound
            if next >= range.upperBound { return true }
        }
        return range.isEmpty
    }

    /// The number of bytes that are stored, wherever.
    package var storedByteCount: Int { extents.reduce(0) { $0 + $1.length } }

    /// The number of bytes at hand.
    package var byteCountAtHand: Int {
        if case .whole(let bytes) = storage { return bytes.readableBytes }
        return extents.reduce(0) { count, extent in
            if case .bytes = extent.source { count + extent.length } else { count }
        }
    }
}

/// Names the segments of a body that is too long to be kept in one entry.
package struct BodyReference: Sendable, Hashable {
    /// A random number, part of the key of every segment.
    package var id: UInt64
    /// The bytes in each segment but the last.
    package var segmentLength: Int
    /// The bytes in all segments.
    package var length: Int
    /// Where, in the bytes of all segments, the extent begins that refers to them.
    package var start: Int
    /// Until when the segments are kept. What refers to them is not kept any longer.
    package var keptUntil: Date

    package init(id: UInt64, segmentLength: Int, length: Int, start: Int = 0, keptUntil: Date = .distantFuture) {
        self.id = id
        self.segmentLength = segmentLength
        self.length = length
        self.start = start
        self.keptUntil = keptUntil
    }

    package var segmentCount: Int { (length + segmentLength - 1) / segmentLength }
}
