// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

extension StoredBody {
    /// The most extents that are kept of one body. An extent that would need more is not added.
    package static let maximumExtentCount = 64

    /// Everything that is referred to.
    package var references: [BodyReference] {
        if wholeByteCount != nil { return [] }
        return extents.compactMap { extent in
            if case .reference(let reference) = extent.source { reference } else { nil }
        }
    }

    /// Adds the part of an extent that is not stored yet:
    /// [RFC 9111 §3.4](https://www.rfc-editor.org/rfc/rfc9111#section-3.4).
    ///
    /// Bytes at hand that touch each other become one extent.
    ///
    /// - Returns: `nil` if there would be too many extents.
    package func adding(_ new: Extent) -> StoredBody? {
        var pieces = extents
        for gap in gaps(in: new.range) { pieces.append(new.clamped(to: gap)) }
        pieces.sort { $0.offset < $1.offset }
        var merged: [Extent] = []
        for piece in pieces where piece.length > 0 {
            if let last = merged.last, last.range.upperBound == piece.offset, case .bytes(var bytes) = last.source,
                case .bytes(let more) = piece.source
            {
                bytes.writeImmutableBuffer(more)
                merged[merged.count - 1] = Extent(offset: last.offset, length: last.length + piece.length, source: .bytes(bytes))
            } else {
                merged.append(piece)
            }
        }
        guard merged.count <= Self.maximumExtentCount else { return nil }
        return StoredBody(extents: merged, completeLength: completeLength)
    }

    /// Returns the parts of `range` that are not stored.
    package func gaps(in range: Range<Int>) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var next = range.lowerBound
        for extent in ranges where extent.overlaps(range) {
            if extent.lowerBound > next { gaps.append(next..<extent.lowerBound) }
            next = max(next, extent.upperBound)
        }
        if next < range.upperBound { gaps.append(next..<range.upperBound) }
        return gaps
    }
}

extension StoredBody.Extent {
    /// The part of the extent that lies in `range`, which the extent overlaps.
    package func clamped(to range: Range<Int>) -> Self {
        let range = self.range.clamped(to: range)
        let skipped = range.lowerBound - offset
        switch source {
        case .bytes(let bytes):
            let slice = bytes.getSlice(at: bytes.readerIndex + skipped, length: range.count) ?? ByteBuffer()
            return Self(offset: range.lowerBound, length: slice.readableBytes, source: .bytes(slice))
        case .reference(var reference):
            reference.start += skipped
            return Self(offset: range.lowerBound, length: range.count, source: .reference(reference))
        }
    }
}
