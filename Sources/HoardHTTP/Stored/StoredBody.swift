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
    private enum Storage: Sendable {
        case whole(ByteBuffer)
        case packed(PackedContent)
        case extents([Extent], completeLength: Int?)
    }

    private var storage: Storage

    /// Sorted by offset; no two overlap. O(*n*) in the bytes if the content is packed.
    package var extents: [Extent] {
        switch storage {
        case .whole(let bytes) where bytes.readableBytes == 0: []
        case .whole(let bytes): [Extent(offset: 0, length: bytes.readableBytes, source: .bytes(bytes))]
        case .packed: unpacked.extents
        case .extents(let extents, _): extents
        }
    }

    /// The ranges of the ``extents``.
    package var ranges: [Range<Int>] {
        if let count = wholeByteCount { return count == 0 ? [] : [0..<count] }
        return extents.map(\.range)
    }

    /// The length of the content if all of it is at hand in one piece, as this type keeps it.
    var wholeByteCount: Int? {
        switch storage {
        case .whole(let bytes): bytes.readableBytes
        case .packed(let content): content.count
        case .extents: nil
        }
    }

    /// The length of the whole content; `nil` if no message has told it.
    package var completeLength: Int? {
        get {
            switch storage {
            case .whole(let bytes): bytes.readableBytes
            case .packed(let content): content.count
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

    /// All of the content, at hand.
    init(_ content: PackedContent) {
        storage = .packed(content)
    }

    /// No content.
    package static let empty = StoredBody(ByteBuffer())

    /// Whether the whole content is stored.
    package var isComplete: Bool {
        if wholeByteCount != nil { return true }
        guard let completeLength else { return false }
        if completeLength == 0 { return true }
        var end = 0
        for range in ranges {
            guard range.lowerBound == end else { return false }
            end = range.upperBound
        }
        return end == completeLength
    }

    /// Whether all bytes of `range` are stored.
    package func contains(_ range: Range<Int>) -> Bool {
        var next = range.lowerBound
        for extent in ranges where extent.contains(next) {
            next = extent.upperBound
            if next >= range.upperBound { return true }
        }
        return range.isEmpty
    }

    /// The number of bytes that are stored, wherever.
    package var storedByteCount: Int { wholeByteCount ?? extents.reduce(0) { $0 + $1.length } }

    /// The number of bytes at hand.
    package var byteCountAtHand: Int {
        if let wholeByteCount { return wholeByteCount }
        return extents.reduce(0) { count, extent in
            if case .bytes = extent.source { count + extent.length } else { count }
        }
    }
}

// MARK: The whole content

extension StoredBody {
    /// The whole content, if all of it is at hand, in one piece. Of several pieces that are the whole, at least one is a reference, as bytes that touch
    /// each other are one piece. O(*n*) in the bytes if the content is packed.
    package var bytesAtHand: ByteBuffer? {
        switch storage {
        case .whole(let bytes): return bytes
        case .packed(let content): return content.buffer
        case .extents: break
        }
        guard extents.count <= 1, isComplete else { return nil }
        guard let only = extents.first else { return ByteBuffer() }
        if case .bytes(let bytes) = only.source { return bytes }
        return nil
    }

    /// Calls `body` with the bytes of ``bytesAtHand``, which are not copied.
    @inline(__always)
    package func withBytesAtHand<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
        if case .packed(let content) = storage { return try content.withUnsafeBytes(body) }
        return try bytesAtHand?.withUnsafeReadableBytes(body)
    }

    /// The length of ``bytesAtHand``.
    package var lengthAtHand: Int? { wholeByteCount ?? bytesAtHand?.readableBytes }

    /// The content in buffers that are shared and that callers do not copy.
    var unpacked: StoredBody {
        if case .packed(let content) = storage { StoredBody(content.buffer) } else { self }
    }

    /// The whole content, if it is in a buffer.
    var wholeBytes: ByteBuffer? {
        if case .whole(let bytes) = storage { bytes } else { nil }
    }

    /// The content in as little memory as it needs.
    var packed: StoredBody {
        guard let bytes = wholeBytes, bytes.readableBytes <= PackedContent.maximumByteCount else { return self }
        return bytes.readableBytes == 0 ? .empty : StoredBody(PackedContent(copying: bytes))
    }

    /// The bytes of `range`, if all of them are at hand in one extent.
    package func bytesAtHand(in range: Range<Int>) -> ByteBuffer? {
        if range.isEmpty { return ByteBuffer() }
        if case .packed(let content) = storage { return range.upperBound <= content.count ? content.buffer(range) : nil }
        guard let extent = extents.first(where: { $0.range.contains(range.lowerBound) }), range.upperBound <= extent.range.upperBound,
            case .bytes(let bytes) = extent.clamped(to: range).source
        else { return nil }
        return bytes
    }
}

extension StoredBody {
    /// Whether the same bytes are stored, in whatever form.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left.storage, right.storage) {
        case (.extents(let left, let leftLength), .extents(let right, let rightLength)): return left == right && leftLength == rightLength
        case (.extents, _), (_, .extents): return false
        case (.whole(let left), .whole(let right)): return left == right
        default: break
        }
        return left.withBytesAtHand { left in right.withBytesAtHand { left.elementsEqual($0) } ?? false } ?? false
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(completeLength)
        if case .extents(let extents, _) = storage {
            hasher.combine(extents)
        } else {
            withBytesAtHand { hasher.combine(bytes: $0) }
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
    /// The time until which the segments are kept. References to them are not kept any longer.
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
