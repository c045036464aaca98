// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension SegmentStore {
    /// Copies a record's payload into `buffer`, in one read, and counts a use.
    ///
    /// - Returns: The payload's length; `nil` if there is no such record.
    /// - Throws: If the buffer is too short, or the file cannot be read.
    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        try key.withUnsafeBytes { try read($0, hash: identity.hash.hash($0), into: buffer) }
    }

    private func read(_ key: UnsafeRawBufferPointer, hash: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        // The record may move once between the index and the file, and rarely twice.
        for _ in 0..<8 {
            let isComplete = isComplete
            var place = index.find(hash, isUse: true)
            if place == nil, !isComplete {
                place = try findInFooters(hash)
                // A complete index has forgotten the removals, and the key may have been removed meanwhile.
                if self.isComplete { continue }
            }
            guard let place, !place.isRemoval else { return nil }
            guard let segment = segments.segment(place) else { continue }
            switch try read(key, hash: hash, at: place, of: segment, into: buffer) {
            case .payload(let count): return count
            case .otherKey: return nil
            case .damaged:
                guard index.find(hash, isUse: false).map({ $0.isSameEntry(as: place) }) ?? !isComplete else { continue }
                discard(hash, place)
                return nil
            }
        }
        return nil
    }

    private enum Reading {
        case payload(Int), otherKey, damaged
    }

    private func read(
        _ key: UnsafeRawBufferPointer,
        hash: UInt64,
        at place: Place,
        of segment: SegmentFile,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Reading {
        let border = EntryHeader.byteCount + key.count
        guard place.byteCount >= border else { return .otherKey }
        return try withUnsafeTemporaryAllocation(byteCount: border, alignment: 8) { head throws in
            // The payload goes where it is wanted. Up to 15 zeros may be behind it; they are left out
            // if there is no room for them.
            let most = place.byteCount - border
            let body = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(most, buffer.count)])
            guard try segment.file.read(into: head, body, at: place.offset) else { return .damaged }
            guard let header = EntryHeader(UnsafeRawBufferPointer(head)), header.kind == .record, header.hash == hash,
                header.entryByteCount == place.byteCount
            else { return .damaged }
            guard header.keyByteCount == key.count else { return .otherKey }
            guard header.payloadByteCount <= body.count else { throw SegmentError("The buffer is too short for the record") }
            let sum = EntryHeader.checksum(
                headerAndKey: UnsafeRawBufferPointer(head),
                payload: UnsafeRawBufferPointer(rebasing: body[..<header.payloadByteCount]),
                seed: segment.seed,
                offset: place.offset
            )
            guard UnsafeRawBufferPointer(head).number(at: 0) == sum else { return .damaged }
            return head[EntryHeader.byteCount...].elementsEqual(key) ? .payload(header.payloadByteCount) : .otherKey
        }
    }

    /// Looks into the footers, the newest first, as the index does not know everything yet.
    private func findInFooters(_ hash: UInt64) throws -> Place? {
        for segment in segments.newestFirst {
            guard let footer = segment.footer.withLock({ $0 }) else {
                // The entries are in the index, or will be when they have been scanned.
                if !segment.isLoaded.load(ordering: .acquiring) { workers.waitForCleaning() }
                if let place = index.find(hash, isUse: true) { return place }
                continue
            }
            switch try footer.find(hash, in: segment) {
            case .found(let place): return place
            case .absent: continue
            case .damaged:
                // The segment will be scanned.
                workers.waitForCleaning()
                return index.find(hash, isUse: true)
            }
        }
        return nil
    }

    /// Makes a damaged record a miss.
    private func discard(_ hash: UInt64, _ place: Place) {
        counters.damaged.wrappingAdd(1, ordering: .relaxed)
        // In the small log a removal stays until its segment is cleaned, as the main log may have an older record.
        guard isComplete, index.replace(hash, place, with: place.log == .small ? place.removal : nil) else { return }
        forget(place)
    }
}
