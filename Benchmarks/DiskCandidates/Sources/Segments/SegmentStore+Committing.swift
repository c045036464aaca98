// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension SegmentStore {
    /// Makes changes, in their order. When it returns, they survive `kill -9`.
    ///
    /// If it throws, any of the changes may have been made.
    public func commit(_ changes: [SegmentChange]) throws {
        let longest = identity.segmentBytes - SegmentFile.headByteCount - EntryHeader.entryByteCount(key: 0, payload: 8)
        var byteCount = 0
        for change in changes {
            let entry = EntryHeader.entryByteCount(key: change.key.count, payload: change.payload?.count ?? 0)
            guard change.key.count <= Int(UInt16.max), entry <= longest else { throw SegmentError("A record is too long") }
            byteCount += entry
        }
        try waitForRoom(byteCount)
        try writer.withLock { writer throws in
            guard !writer.isClosed else { throw SegmentError("The store is closed") }
            var next = 0
            while next < changes.count {
                next = try stage(changes, from: next, in: &writer)
                try flush(&writer)
            }
        }
        cleanIfNeeded()
    }

    /// Stages changes as long as the open segment has room.
    ///
    /// - Returns: The index of the next change.
    private func stage(_ changes: [SegmentChange], from first: Int, in writer: inout Writer) throws -> Int {
        for index in first..<changes.count {
            let change = changes[index]
            let hash = change.key.withUnsafeBytes(identity.hash.hash)
            if change.payload == nil, !needsRemoval(hash, writer) { continue }
            let byteCount = EntryHeader.entryByteCount(key: change.key.count, payload: change.payload?.count ?? 0)
            guard try makeRoom(for: byteCount, in: &writer) else { return index }
            writer.sequence += 1
            change.key.withUnsafeBytes { key in
                (change.payload ?? []).withUnsafeBytes { payload in
                    writer.stage(hash, change.payload == nil ? .removal : .record, key: key, payload: payload, sequence: writer.sequence)
                }
            }
        }
        return changes.count
    }

    /// A removal is written if an older record may be found again without it.
    private func needsRemoval(_ hash: UInt64, _ writer: borrowing Writer) -> Bool {
        !isComplete || counters.isCleaning.load(ordering: .acquiring) || index.find(hash, isUse: false) != nil
            || writer.batch.contains { $0.hash == hash }
    }

    /// Opens another segment if the open one is full.
    ///
    /// - Returns: Whether there is room. If not, the batch has to be flushed first.
    func makeRoom(for byteCount: Int, in writer: inout Writer) throws -> Bool {
        if writer.segment != nil {
            if writer.hasRoom(for: byteCount, limit: identity.segmentBytes) { return true }
            guard writer.batch.isEmpty else { return false }
            if let full = writer.takeOpenSegment() {
                workers.seal { [self] in try? seal(full) }
            }
        }
        let segment = try SegmentFile.create(
            in: configuration.directory,
            number: writer.nextNumber,
            store: identity.number,
            firstSequence: writer.sequence,
            formerDataEnd: writer.formerDataEnd
        )
        segment.isLoaded.store(true, ordering: .releasing)
        segments.append(segment)
        writer.nextNumber += 1
        writer.segment = segment
        writer.end = SegmentFile.headByteCount
        writer.writtenBack = 0
        return true
    }

    /// Writes the batch, and makes it known.
    func flush(_ writer: inout Writer) throws {
        guard let segment = writer.segment, !writer.batch.isEmpty else { return }
        defer {
            writer.batch.removeAll(keepingCapacity: true)
            writer.bytes.removeAll()
        }
        if journal == nil { writer.stageCommit() }
        do { try write(writer, to: segment) } catch {
            // Nothing of the batch may be found behind a shorter one that is written here next.
            do { try segment.file.truncate(to: writer.end) } catch {
                if let full = writer.takeOpenSegment() { workers.seal { [self] in try? seal(full) } }
            }
            throw error
        }
        let end = writer.end + writer.bytes.count
        writer.generation += 1
        writer.end = end
        segment.byteCount.store(end, ordering: .relaxed)
        for entry in writer.batch {
            apply(entry, of: segment)
            writer.places.append(HashedPlace(hash: entry.hash, place: entry.place))
        }
        if end - writer.writtenBack >= Self.writebackByteCount {
            let begin = writer.writtenBack
            writer.writtenBack = end
            workers.writeBack { segment.file.beginWriteback(from: begin, byteCount: end - begin) }
        }
    }

    /// Writes the batch, and then how far the segment is valid.
    private func write(_ writer: borrowing Writer, to segment: SegmentFile) throws {
        try segment.file.write(writer.bytes.bytes, at: writer.end)
        if configuration.synchronizesCommits { try segment.file.synchronize() }
        let end = writer.end + writer.bytes.count
        if let journal {
            try journal.commit(
                segment: segment.number,
                validByteCount: end,
                sequence: writer.sequence,
                recordCount: counters.records.load(ordering: .relaxed),
                byteCount: counters.liveBytes.load(ordering: .relaxed),
                hashes: writer.batch.map(\.hash)
            )
        } else {
            try position?.write(
                .init(generation: writer.generation + 1, segment: segment.number, validByteCount: end, sequence: writer.sequence, seed: segment.seed)
            )
        }
    }

    /// How much gathers before it is sent to the device.
    private static let writebackByteCount = 4 << 20

    private func apply(_ entry: StagedEntry, of segment: SegmentFile) {
        let former: Place?
        if let place = entry.former {
            let rest = place.frequency == 0 ? 0 : place.frequency - 1
            guard index.replace(entry.hash, place, with: entry.place.withFrequency(rest)) else { return }
            former = place
        } else if entry.place.isRemoval {
            former = isComplete ? index.remove(entry.hash) : index.set(entry.hash, to: entry.place)
        } else {
            former = index.set(entry.hash, to: entry.place)
        }
        if let former, !former.isRemoval { forget(former) }
        if !entry.place.isRemoval { count(entry.place, in: segment) }
    }

    /// Counts a record at its new place.
    func count(_ place: Place, in segment: SegmentFile) {
        segment.liveByteCount.wrappingAdd(place.byteCount, ordering: .relaxed)
        counters.liveBytes.wrappingAdd(place.byteCount, ordering: .relaxed)
        counters.records.wrappingAdd(1, ordering: .relaxed)
    }

    /// Ceases to count a record at its place.
    func forget(_ place: Place) {
        segments.segment(place.slot)?.liveByteCount.wrappingSubtract(place.byteCount, ordering: .relaxed)
        counters.liveBytes.wrappingSubtract(place.byteCount, ordering: .relaxed)
        counters.records.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Writes the footer of a segment.
    func seal(_ full: FullSegment) throws {
        let footer = try Footer.write(full.places, to: full.segment, dataEnd: full.dataEnd, lastSequence: full.lastSequence)
        full.segment.footer.withLock { $0 = footer }
        if configuration.synchronizesCommits { try full.segment.file.synchronize() }
        cleanIfNeeded()
    }
}
