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
            guard change.key.count < 1 << 24, entry <= longest else { throw SegmentError("A record is too long") }
            byteCount += entry
        }
        try waitForRoom(byteCount)
        try small.withLock { log throws in
            guard !log.isClosed else { throw SegmentError("The store is closed") }
            var next = 0
            while next < changes.count {
                next = try stage(changes, from: next, in: &log)
                try flush(&log)
            }
        }
        cleanIfNeeded()
    }

    /// Stages changes as long as the open segment has room.
    ///
    /// - Returns: The index of the next change.
    private func stage(_ changes: [SegmentChange], from first: Int, in log: inout Log) throws -> Int {
        for index in first..<changes.count {
            let change = changes[index]
            let hash = change.key.withUnsafeBytes(identity.hash.hash)
            let isShadow = isShadow(hash)
            // A removal is written if an older record may be found again without it.
            if change.payload == nil, !isShadow, !log.batch.contains(where: { $0.hash == hash }) { continue }
            let byteCount = EntryHeader.entryByteCount(key: change.key.count, payload: change.payload?.count ?? 0)
            guard try makeRoom(for: byteCount, in: &log) else { return index }
            log.sequence += 1
            change.key.withUnsafeBytes { key in
                (change.payload ?? []).withUnsafeBytes { payload in
                    let header = EntryHeader(
                        hash: hash,
                        sequence: log.sequence,
                        payloadByteCount: payload.count,
                        keyByteCount: key.count,
                        kind: change.payload == nil ? .removal : .record,
                        isShadow: isShadow
                    )
                    log.stage(header, key: key, payload: payload)
                }
            }
        }
        return changes.count
    }

    /// Whether the main log may have a record of the key. If in doubt, yes.
    ///
    /// The hand says that it is at work before it takes a record from the index. So what it has taken is seen by the first question or by the last.
    private func isShadow(_ hash: UInt64) -> Bool {
        index.find(hash, isUse: false) != nil || !isComplete || counters.isCleaning.load(ordering: .acquiring)
    }

    /// Opens another segment if the open one is full.
    ///
    /// - Returns: Whether there is room. If not, the batch has to be flushed first.
    func makeRoom(for byteCount: Int, in log: inout Log) throws -> Bool {
        if log.segment != nil {
            if log.hasRoom(for: byteCount, limit: identity.segmentBytes) { return true }
            guard log.batch.isEmpty else { return false }
            if let full = log.takeOpenSegment() {
                workers.seal { [self] in try? seal(full) }
            }
        }
        let segment = try SegmentFile.create(
            in: configuration.directory,
            name: SegmentName(log.name, log.nextNumber),
            store: identity.number,
            firstSequence: log.sequence,
            formerDataEnd: log.formerDataEnd
        )
        segment.isLoaded.store(true, ordering: .releasing)
        segments.append(segment)
        log.nextNumber += 1
        log.segment = segment
        log.end = SegmentFile.headByteCount
        log.writtenBack = 0
        return true
    }

    /// Writes the batch, and makes it known.
    func flush(_ log: inout Log) throws {
        guard let segment = log.segment, !log.batch.isEmpty else { return }
        defer {
            log.batch.removeAll(keepingCapacity: true)
            log.bytes.removeAll()
        }
        log.stageCommit()
        do { try write(log, to: segment) } catch {
            // Nothing of the batch may be found behind a shorter one that is written here next.
            do { try segment.file.truncate(to: log.end) } catch {
                if let full = log.takeOpenSegment() { workers.seal { [self] in try? seal(full) } }
            }
            throw error
        }
        let end = log.end + log.bytes.count
        log.generation += 1
        log.end = end
        segment.byteCount.store(end, ordering: .relaxed)
        for entry in log.batch {
            apply(entry, of: segment)
            log.places.append(HashedPlace(hash: entry.hash, place: entry.place))
        }
        if end - log.writtenBack >= Self.writebackByteCount {
            let begin = log.writtenBack
            log.writtenBack = end
            workers.writeBack { segment.file.beginWriteback(from: begin, byteCount: end - begin) }
        }
    }

    /// Writes the batch, and then how far the segment is valid.
    private func write(_ log: borrowing Log, to segment: SegmentFile) throws {
        try segment.file.write(log.bytes.bytes, at: log.end)
        if configuration.synchronizesCommits { try segment.file.synchronize() }
        try position.write(
            .init(
                generation: log.generation + 1,
                segment: segment.name,
                validByteCount: log.end + log.bytes.count,
                sequence: log.sequence,
                seed: segment.seed
            )
        )
    }

    /// How much gathers before it is sent to the device.
    private static let writebackByteCount = 4 << 20

    private func apply(_ entry: StagedEntry, of segment: SegmentFile) {
        let former: Place?
        if let place = entry.former {
            // In the small log, a use is worth the move; in the main log, each move costs one.
            let rest = place.log == .small || place.frequency == 0 ? 0 : place.frequency - 1
            guard index.replace(entry.hash, place, with: entry.place.withFrequency(rest)) else { return }
            former = place
        } else if segment.name.log == .main {
            // A removal of older records in this log.
            return
        } else if entry.place.isRemoval {
            former = isComplete ? index.remove(entry.hash) : index.set(entry.hash, to: entry.place) { _ in 0 }
        } else {
            former = index.set(entry.hash, to: entry.place) { [ghosts, hash = entry.hash] former in
                guard let former, !former.isRemoval else { return ghosts.remove(hash) ? 1 : 0 }
                return max(former.frequency, former.log == .main ? 1 : 0)
            }
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
        segments.segment(place)?.liveByteCount.wrappingSubtract(place.byteCount, ordering: .relaxed)
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
