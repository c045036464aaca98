// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A change to a store of segments.
public struct SegmentChange: Sendable {
    public let key: [UInt8]
    /// `nil` removes the record.
    public let payload: [UInt8]?

    public init(key: [UInt8], payload: [UInt8]?) {
        self.key = key
        self.payload = payload
    }
}

/// An entry on its way to its segment.
struct StagedEntry {
    var hash: UInt64
    var place: Place
    /// The place from which a record moves.
    var former: Place?
}

/// A segment that gets no more entries.
struct FullSegment {
    var segment: SegmentFile
    var places: [HashedPlace]
    var dataEnd: Int
    var lastSequence: UInt64
}

/// The open segment of a log, and the batch that is being put together for it.
struct Log: ~Copyable {
    let name: LogName
    var segment: SegmentFile?
    var end = 0
    /// The places of the open segment, in the order of its entries.
    var places: [HashedPlace] = []
    /// The last number in the order of all writes. In the main log, the greatest of the entries that moved there.
    var sequence: UInt64
    var generation: UInt64
    var nextNumber: UInt64
    var isClosed = false
    var batch: [StagedEntry] = []
    var bytes = GrowingBytes()
    var writtenBack = 0
    /// Where the data of the segment before the open one end.
    var formerDataEnd = 0

    init(_ name: LogName, sequence: UInt64, generation: UInt64, nextNumber: UInt64) {
        self.name = name
        self.sequence = sequence
        self.generation = generation
        self.nextNumber = nextNumber
    }

    /// Adds an entry to the batch.
    mutating func stage(
        _ header: EntryHeader,
        key: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        payload: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        former: Place? = nil
    ) {
        guard let segment else { preconditionFailure("A segment is open while a batch is put together.") }
        let offset = end + bytes.count
        let room = bytes.extend(by: header.entryByteCount)
        header.write(to: room)
        let border = EntryHeader.byteCount + key.count
        UnsafeMutableRawBufferPointer(rebasing: room[EntryHeader.byteCount..<border]).copyMemory(from: key)
        UnsafeMutableRawBufferPointer(rebasing: room[border..<header.contentByteCount]).copyMemory(from: payload)
        for index in header.contentByteCount..<room.count { room[index] = 0 }
        let sum = EntryHeader.checksum(
            headerAndKey: UnsafeRawBufferPointer(rebasing: room[..<border]),
            payload: UnsafeRawBufferPointer(rebasing: room[border..<header.contentByteCount]),
            seed: segment.seed,
            offset: offset
        )
        room.store(sum, at: 0)
        guard header.kind != .commit else { return }
        let place = Place(
            segment: segment.name,
            offset: offset,
            byteCount: header.kind == .removal ? 0 : header.entryByteCount,
            isShadow: header.isShadow
        )
        batch.append(StagedEntry(hash: header.hash, place: place, former: former))
    }

    /// Whether an entry has room in the open segment, with the batch before it and a commit behind it.
    func hasRoom(for entryByteCount: Int, limit: Int) -> Bool {
        end + bytes.count + entryByteCount + EntryHeader.entryByteCount(key: 0, payload: (batch.count + 1) * 8) <= limit
    }

    mutating func stageCommit() {
        let hashes = batch.map(\.hash.littleEndian)
        hashes.withUnsafeBytes { hashes in
            stage(EntryHeader(hash: UInt64(end), sequence: sequence, payloadByteCount: hashes.count, kind: .commit), payload: hashes)
        }
    }

    /// Takes the open segment away.
    mutating func takeOpenSegment() -> FullSegment? {
        guard let segment else { return nil }
        let full = FullSegment(segment: segment, places: places, dataEnd: end, lastSequence: sequence)
        self.segment = nil
        formerDataEnd = end
        places = []
        return full
    }
}
