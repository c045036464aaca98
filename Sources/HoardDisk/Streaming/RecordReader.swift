// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DiskStore {
    /// Opens a record to read its payload in pieces or in parts, and counts as a use of it. `nil` if there is no record.
    ///
    /// Works on the calling thread, which it blocks for one query and the opening of a file. The reader goes on reading
    /// the same payload, though the record be replaced or removed meanwhile.
    ///
    /// - Throws: The errors of ``record(forKey:)``, but for ``StoreError/Code/recordTooLarge``: payloads of any length are read.
    public func reader(forKey key: RecordKey) async throws(StoreError) -> RecordReader? {
        let now = core.configuration.clock.now()
        let (finding, reader) = try core.open(key, at: now)
        guard let reader else {
            core.counters.misses.wrappingAdd(1, ordering: .relaxed)
            await core.removeUnusable(finding, key)
            return nil
        }
        core.counters.hits.wrappingAdd(1, ordering: .relaxed)
        return reader
    }
}

/// A reader of one record's payload. Every byte that it returns has been verified.
public final class RecordReader: Sendable {
    enum Source {
        case memory(Data)
        case file(PayloadFileReader, nonce: UInt64)
    }

    /// The record, without its payload.
    public let record: Record
    /// The length of the payload.
    public let byteCount: Int
    private let key: RecordKey
    private let source: Source
    private let core: DiskCore

    init(_ record: Record, key: RecordKey, source: Source, core: DiskCore) {
        var record = record
        record.payload = Data()
        self.record = record
        self.key = key
        self.source = source
        self.core = core
        byteCount =
            switch source {
            case .memory(let payload): payload.count
            case .file(let reader, _): reader.byteCount
            }
    }

    /// Returns the bytes in a range, which is cut to the payload's length.
    ///
    /// Works on the calling thread, which it blocks for reading the chunks of 128 KiB that the range touches. O(m).
    ///
    /// - Throws: ``StoreError/Code/corrupt`` if the file is damaged there; the record is removed then.
    public func read(_ range: Range<Int>) async throws(StoreError) -> Data {
        let range = range.clamped(to: 0..<byteCount)
        switch source {
        case .memory(let payload):
            let start = payload.startIndex
            return payload.subdata(in: (start + range.lowerBound)..<(start + range.upperBound))
        case .file(let reader, let nonce):
            if let bytes = try reader.read(range) { return bytes }
            await core.removeUnusable(.unusable(damagedFile: nonce), key)
            throw StoreError(.corrupt, "The record's payload is damaged.")
        }
    }

    /// Returns the payload, or a range of it, in pieces of up to 128 KiB.
    public func pieces(in range: Range<Int>? = nil) -> Pieces {
        Pieces(reader: self, range: (range ?? 0..<byteCount).clamped(to: 0..<byteCount))
    }

    /// A payload in pieces.
    public struct Pieces: AsyncSequence, Sendable {
        public typealias Element = Data
        public typealias Failure = StoreError

        let reader: RecordReader
        let range: Range<Int>

        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader, range: range) }

        /// See ``RecordReader/read(_:)`` for the errors that it throws.
        public struct Iterator: AsyncIteratorProtocol {
            private static let pieceByteCount = 128 << 10

            let reader: RecordReader
            var range: Range<Int>

            public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Data? {
                guard !range.isEmpty else { return nil }
                // Pieces end where chunks end, so that each chunk is read once.
                let end = Swift.min((range.lowerBound / Self.pieceByteCount + 1) * Self.pieceByteCount, range.upperBound)
                let piece = try await reader.read(range.lowerBound..<end)
                range = end..<range.upperBound
                return piece
            }

            public mutating func next() async throws(StoreError) -> Data? { try await next(isolation: nil) }
        }
    }
}

extension DiskCore {
    /// Looks a record up and opens its file.
    func open(_ key: RecordKey, at now: Date) throws(StoreError) -> (RecordFinding, RecordReader?) {
        // A record whose payload fits in memory is read as a whole; a longer one is refused there, and opened here.
        try read { session in
            switch try find(key, at: now, isUse: true, opensFiles: true) {
            case .found(let record):
                return (.absent, RecordReader(record, key: key, source: .memory(record.payload), core: self))
            case .opened(let record, let file, let nonce):
                return (.absent, RecordReader(record, key: key, source: .file(file, nonce: nonce), core: self))
            case let other:
                return (other, nil)
            }
        }
    }
}
