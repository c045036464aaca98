// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The bytes of an answer, of which some are in segments: read one piece at a time, as they are wanted.
struct StoredContent: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    typealias Refetch = @Sendable (Range<Int>) async throws -> HTTPBody

    /// One of the pieces that follow each other.
    enum Piece: Sendable {
        case bytes(ByteBuffer)
        /// A range of the stored body.
        case range(Range<Int>)
        /// The content that the origin sends.
        case received(SharedBodyReader)
        /// The header of a part of a multipart body.
        case partHeader(MultipartByteRanges, Int)
    }

    let body: StoredBody
    let segments: BodySegments
    let pieces: [Piece]
    /// Keeps the segments from being removed while they are read.
    let lease: BodySegments.Lease?
    /// The first segment that is needed, which has been read already.
    let firstSegment: ByteBuffer?
    /// Told that a segment is missing.
    let onMissingSegment: @Sendable () -> Void
    /// Gets a range of the body that has left the stores since its head was sent; `nil` if it cannot be fetched again.
    let refetch: Refetch?

    struct AsyncIterator: AsyncIteratorProtocol {
        private let content: StoredContent
        private var nextPiece = 0
        /// The rest of the range that is being read.
        private var rest = 0..<0
        private var received: SharedBodyReader.Parts.AsyncIterator?
        /// The rest of the range, from its origin.
        private var refetched: HTTPBody.AsyncIterator?
        private var firstSegment: ByteBuffer?

        fileprivate init(_ content: StoredContent) {
            self.content = content
            firstSegment = content.firstSegment
        }

        mutating func next() async throws -> ByteBuffer? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            while true {
                if let part = try await received?.next(isolation: actor) { return part }
                received = nil
                if !rest.isEmpty {
                    return refetched == nil ? try await nextOfRange(isolation: actor) : try await nextRefetched(isolation: actor)
                }
                refetched = nil
                guard nextPiece < content.pieces.count else { return nil }
                let piece = content.pieces[nextPiece]
                nextPiece += 1
                switch piece {
                case .bytes(let bytes): return bytes
                case .range(let range): rest = range
                case .received(let reader): received = reader.parts.makeAsyncIterator()
                case .partHeader(let multipart, let index): return multipart.partHeader(index)
                }
            }
        }

        private mutating func nextOfRange(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer {
            guard let extent = content.body.extents.first(where: { $0.range.contains(rest.lowerBound) }) else { throw HTTPBodyIncompleteError() }
            let part = extent.clamped(to: rest)
            switch part.source {
            case .bytes(let bytes):
                rest = part.range.upperBound..<rest.upperBound
                return bytes
            case .reference(let reference):
                let index = reference.start / reference.segmentLength
                var found = firstSegment
                firstSegment = nil
                if found == nil { found = await content.segments.segment(index, of: reference) }
                let start = reference.start - index * reference.segmentLength
                guard let segment = found, start < segment.readableBytes,
                    let bytes = segment.getSlice(at: segment.readerIndex + start, length: Swift.min(segment.readableBytes - start, part.length))
                else {
                    content.onMissingSegment()
                    guard let refetch = content.refetch else { throw HTTPBodyIncompleteError() }
                    refetched = try await refetch(rest).makeAsyncIterator()
                    return try await nextRefetched(isolation: actor)
                }
                rest = rest.lowerBound + bytes.readableBytes..<rest.upperBound
                return bytes
            }
        }

        private mutating func nextRefetched(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer {
            guard let part = try await refetched?.next(isolation: actor), part.readableBytes <= rest.count else { throw HTTPBodyIncompleteError() }
            rest = rest.lowerBound + part.readableBytes..<rest.upperBound
            return part
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension StoredContent {
    /// The first segment that is needed; `nil` if all bytes are at hand.
    ///
    /// Also looks for the first segment of every other body that is needed. Segments of a body are removed together, so a reader that holds a lease and
    /// finds one of them finds the others, unless a store has dropped them.
    ///
    /// - Returns: `isMissing` if one of these segments is no longer there.
    static func firstSegment(of pieces: [Piece], in body: StoredBody, _ segments: BodySegments) async -> (segment: ByteBuffer?, isMissing: Bool) {
        var first: ByteBuffer?
        var seen: Set<UInt64> = []
        for piece in pieces {
            guard case .range(let range) = piece, !range.isEmpty else { continue }
            guard body.contains(range) else { return (nil, true) }
            for extent in body.extents where extent.range.overlaps(range) {
                guard case .reference(let reference) = extent.clamped(to: range).source, seen.insert(reference.id).inserted else { continue }
                guard let segment = await segments.segment(reference.start / reference.segmentLength, of: reference) else { return (nil, true) }
                if first == nil { first = segment }
            }
        }
        return (first, false)
    }
}
