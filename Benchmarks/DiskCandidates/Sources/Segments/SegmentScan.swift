// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The places of a segment without a usable footer, found by reading its entries one after the other.
struct SegmentScan {
    /// In the order in which they were written. A record that is known to be lost is here as a removal.
    private(set) var places: [HashedPlace] = []
    /// Behind the last batch that counts.
    private(set) var end = SegmentFile.headByteCount
    private(set) var lastSequence: UInt64 = 0
    /// Whether entries are lost whose keys are not known: no older record can be trusted to be the latest one of its key.
    private(set) var endsTrust = false
    private(set) var lostCount = 0

    private var batch: [HashedPlace] = []
    private var batchSequence: UInt64 = 0
    /// The offset at which the bytes begin that no entry accounts for.
    private var damage: Int?

    /// Scans a segment.
    ///
    /// - Parameters:
    ///   - validByteCount: Up to here, all has been acknowledged.
    init(_ segment: SegmentFile, validByteCount: Int?) throws(SegmentError) {
        let byteCount = min(try segment.file.byteCount(), 1 << 30)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(byteCount, 64), alignment: 16)
        defer { bytes.deallocate() }
        let count = try segment.file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount]), at: 0)
        let contents = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        var offset = SegmentFile.headByteCount
        while offset + EntryHeader.byteCount <= contents.count {
            let rest = UnsafeRawBufferPointer(rebasing: contents[offset...])
            guard let header = EntryHeader(rest), header.entryByteCount <= Place.maximumByteCount,
                header.isValid(in: rest, seed: segment.seed, offset: offset)
            else {
                // The next entry begins at some multiple of 16.
                if damage == nil { damage = offset }
                offset += Place.unit
                continue
            }
            let place = Place(
                segment: segment.name,
                offset: offset,
                byteCount: header.kind == .removal ? 0 : header.entryByteCount,
                isShadow: header.isShadow
            )
            offset += header.entryByteCount
            switch header.kind {
            case .record, .removal:
                batch.append(HashedPlace(hash: header.hash, place: place))
                batchSequence = max(batchSequence, header.sequence)
            case .commit:
                let hashes = UnsafeRawBufferPointer(rebasing: rest[EntryHeader.byteCount..<header.contentByteCount])
                commit(header, hashes, segment: segment.name, to: offset)
            }
        }
        // The bytes behind the last batch that counts were being written; or they had been acknowledged, and are damaged.
        if let validByteCount, end < validByteCount { loseTrust() }
    }

    /// Ends a batch whose commit is known.
    private mutating func commit(_ header: EntryHeader, _ hashes: UnsafeRawBufferPointer, segment: SegmentName, to offset: Int) {
        if header.hash != UInt64(end) {
            // The commit of a batch before this one is lost.
            let begun = batch.partitioned { $0.place.offset < Int(truncatingIfNeeded: header.hash) }
            batch = begun.former
            accept(to: end, complete: false)
            batch = begun.latter
        }
        if damage != nil {
            let found = Set(batch.map(\.hash))
            for index in 0..<hashes.count / 8 {
                let hash = hashes.number(at: index * 8)
                guard !found.contains(hash) else { continue }
                lostCount += 1
                batch.append(HashedPlace(hash: hash, place: Place(segment: segment, offset: offset - Place.unit, byteCount: 0, isShadow: true)))
            }
        }
        batchSequence = max(batchSequence, header.sequence)
        accept(to: offset, complete: true)
    }

    private mutating func accept(to offset: Int, complete: Bool) {
        if !complete { loseTrust() }
        places += batch
        batch.removeAll(keepingCapacity: true)
        lastSequence = max(lastSequence, batchSequence)
        end = offset
        damage = nil
    }

    private mutating func loseTrust() {
        endsTrust = true
        places.removeAll()
    }
}

extension Array {
    /// The elements that fulfil a condition, and the others, in their order.
    fileprivate func partitioned(_ condition: (Element) -> Bool) -> (former: [Element], latter: [Element]) {
        (filter(condition), filter { !condition($0) })
    }
}
