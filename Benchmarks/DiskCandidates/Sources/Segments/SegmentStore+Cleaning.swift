// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The hand of the clock: it cleans the oldest segment of a log as a whole.
extension SegmentStore {
    /// How many segments' bytes are free before cleaning begins, and before writers wait.
    private static let freeSegmentsBeforeCleaning = 3
    private static let freeSegmentsBeforeWaiting = 1

    private enum Need {
        /// Records have to go.
        case room
        /// More than half of the bytes are of records that have been replaced or removed.
        case compaction
    }

    private var need: Need? {
        let fileBytes = segments.byteCount
        if let maximum = configuration.maximumBytes, fileBytes > maximum - Self.freeSegmentsBeforeCleaning * identity.segmentBytes { return .room }
        let liveBytes = counters.liveBytes.load(ordering: .relaxed)
        return isComplete && fileBytes - liveBytes > liveBytes + 4 * identity.segmentBytes ? .compaction : nil
    }

    func cleanIfNeeded() {
        guard !workers.isStopped, need != nil else { return }
        workers.clean { [self] in clean() }
    }

    /// Waits until there is room, which there always is unless writers are faster than the hand for as long as two segments last.
    func waitForRoom(_ byteCount: Int) throws {
        guard let maximum = configuration.maximumBytes else { return }
        var attempts = 0
        while segments.byteCount + byteCount > maximum - Self.freeSegmentsBeforeWaiting * identity.segmentBytes {
            guard !workers.isStopped, attempts < 10_000 else { throw SegmentError("There is no room") }
            workers.clean { [self] in clean() }
            workers.waitForCleaning()
            workers.waitForSealing()
            attempts += 1
        }
    }

    private func clean() {
        while isComplete, !workers.isStopped, let need, let oldest = segmentToClean(for: need) {
            // Its footer may be under way. If it gets none, its entries are read.
            if oldest.footer.withLock({ $0 == nil }) { workers.waitForSealing() }
            // While the flag is up, removals are written even of keys that are not here, and new records have shadows. So the file's records do not
            // come back if the file stays, and neither do older ones.
            counters.isCleaning.store(true, ordering: .releasing)
            counters.begunSegments.withLock { _ = $0.insert(oldest.name) }
            do {
                try clean(oldest, sparingAll: need == .compaction)
                try delete(oldest)
            } catch {
                // The flag stays up until the segment is gone, whatever else is cleaned meanwhile.
                return
            }
            let isOver = counters.begunSegments.withLock { begun in
                begun.remove(oldest.name)
                return begun.isEmpty
            }
            if isOver { counters.isCleaning.store(false, ordering: .releasing) }
        }
    }

    /// The small log gives way while it is longer than its share.
    private func segmentToClean(for need: Need) -> SegmentFile? {
        let first: LogName
        switch need {
        case .room:
            first = Double(segments.byteCount(of: .small)) > Double(configuration.maximumBytes ?? 0) * configuration.smallShare ? .small : .main
        case .compaction: first = deadByteCount(of: .small) >= deadByteCount(of: .main) ? .small : .main
        }
        return segments.oldest(of: first) ?? segments.oldest(of: first == .small ? .main : .small)
    }

    private func deadByteCount(of log: LogName) -> Int { segments.byteCount(of: log) - segments.liveByteCount(of: log) }

    private func delete(_ oldest: SegmentFile) throws {
        try oldest.file.delete()
        if configuration.synchronizesCommits { try DataFile.synchronize(directory: configuration.directory) }
        segments.removeOldest(of: oldest.name.log)
    }

    private func clean(_ segment: SegmentFile, sparingAll: Bool) throws {
        var places = try places(toClean: segment)
        if segment.name == begunSegment { for number in places.indices { places[number].place = places[number].place.withFrequency(1) } }
        places.sort { $0.place.offset < $1.place.offset }
        ghosts.reserve(recordCount)
        let budget = sparingAll || segment.name.log == .small ? .max : nextBudget()
        var allowance = Allowance(places.compactMap(live), budget: budget, sparesAll: sparingAll)
        var moves = Moves()
        for place in places {
            guard let now = live(place) else {
                if endsWithRemoval(place, in: segment) { moves.removals.append(place.hash) }
                continue
            }
            if allowance.spares(now) {
                moves.records.append(HashedPlace(hash: place.hash, place: now))
                moves.byteCount += now.byteCount
            } else if index.replace(place.hash, now, with: nil) {
                forget(now)
                counters.evicted.wrappingAdd(1, ordering: .relaxed)
                guard segment.name.log == .small else { continue }
                ghosts.insert(place.hash)
                if place.place.isShadow { moves.removals.append(place.hash) }
            }
            if moves.isFull {
                try move(moves, from: segment)
                moves = Moves()
            }
        }
        try move(moves, from: segment)
        if budget != .max { counters.savedBudget.withLock { $0 = allowance.rest } }
    }

    /// Whether the main log needs a removal, as this one ends with its segment.
    ///
    /// A record that was replaced needs none: what replaced it has a shadow, too.
    private func endsWithRemoval(_ place: HashedPlace, in segment: SegmentFile) -> Bool {
        let now = index.find(place.hash, isUse: false)
        // A damaged record, left here as a removal.
        let isDamaged = now.map { $0.isRemoval && $0.isIn(segment.name) } ?? false
        if isDamaged, let now { _ = index.replace(place.hash, now, with: nil) }
        guard segment.name.log == .small, place.place.isShadow else { return false }
        return isDamaged || place.place.isRemoval && now?.log != .main
    }

    /// The places of a segment, the last of each hash, whether its footer can be read or not.
    private func places(toClean segment: SegmentFile) throws -> [HashedPlace] {
        if let places = try segment.footer.withLock({ $0 })?.places(of: segment) { return places }
        let scan = try SegmentScan(segment, validByteCount: segment.footer.withLock { $0 }?.dataEnd)
        if scan.endsTrust {
            // Removals of keys may be lost of which the main log has older records.
            if segment.name.log == .small { giveUpMain() }
            removePlaces(in: [segment.name])
        }
        return scan.places.lastOfEachHash()
    }

    /// Gives up all records of the main log, as removals of some of them are lost.
    func giveUpMain() {
        _ = main.withLock { $0.takeOpenSegment() }
        giveUp(segments.all(of: .main))
    }

    /// Gives up the oldest segments of a log: their records may not be the latest of their keys.
    ///
    /// - Parameter forgotten: The segments, the oldest first.
    func giveUp(_ forgotten: [SegmentFile]) {
        removePlaces(in: forgotten.map(\.name))
        // If one cannot be deleted, there is a gap behind it, and the next opening gives it up.
        for segment in forgotten.reversed() { try? segment.file.delete() }
        for segment in forgotten { segments.removeOldest(of: segment.name.log) }
        counters.begunSegments.withLock { $0.subtract(forgotten.map(\.name)) }
    }

    /// Removes all places in some segments from the index. O(n) in the number of records.
    private func removePlaces(in names: [SegmentName]) {
        index.removeAll { place in
            guard names.contains(where: place.place.isIn) else { return false }
            if !place.place.isRemoval { forget(place.place) }
            return true
        }
    }

    /// The place as the index has it; `nil` if the entry has been replaced, removed or forgotten.
    private func live(_ place: HashedPlace) -> Place? {
        guard let now = index.find(place.hash, isUse: false), now.isSameEntry(as: place.place), !now.isRemoval else { return nil }
        return now
    }

    /// The bytes of the next main segment that may be moved: its share, and the rest of earlier ones, up to four
    /// segments' bytes. So hot records that lie together are kept, and the share holds in the long run.
    private func nextBudget() -> Int {
        counters.savedBudget.withLock { saved in
            saved = min(saved + Int(Double(identity.segmentBytes) * configuration.sparedShare), 4 * identity.segmentBytes)
            return max(saved, 0)
        }
    }

    /// The records and removals that the hand is about to append to the main log.
    private struct Moves {
        var records: [HashedPlace] = []
        var removals: [UInt64] = []
        /// Of the records.
        var byteCount = 0

        var isFull: Bool { byteCount >= 256 << 10 || removals.count >= 4096 }
        var isEmpty: Bool { records.isEmpty && removals.isEmpty }
    }

    private func move(_ moves: Moves, from segment: SegmentFile) throws {
        if moves.isEmpty { return }
        var bytes = GrowingBytes(capacity: 0)
        var starts: [Int] = []
        for place in moves.records {
            starts.append(bytes.count)
            guard try segment.read(into: bytes.extend(by: place.place.byteCount), at: place.place.offset) else {
                throw SegmentError("\(segment.file.path) is too short")
            }
        }
        try main.withLock { log throws in
            guard !log.isClosed else { throw SegmentError("The store is closed") }
            for (place, start) in zip(moves.records, starts) {
                let entry = UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<start + place.place.byteCount])
                try move(place, entry, from: segment, in: &log)
            }
            for hash in moves.removals { try stageRemoval(of: hash, in: &log) }
            try flush(&log)
        }
    }

    /// Without the key, which the hand does not know.
    private func stageRemoval(of hash: UInt64, in log: inout Log) throws {
        let header = EntryHeader(hash: hash, sequence: log.sequence, kind: .removal)
        while try !makeRoom(for: header.entryByteCount, in: &log) { try flush(&log) }
        log.stage(header)
    }

    private func move(_ place: HashedPlace, _ entry: UnsafeRawBufferPointer, from segment: SegmentFile, in log: inout Log) throws {
        // It may have been replaced meanwhile.
        guard let now = index.find(place.hash, isUse: false), now.isSameEntry(as: place.place) else { return }
        guard let header = EntryHeader(entry), header.kind == .record, header.entryByteCount == entry.count,
            header.isValid(in: entry, seed: segment.seed, offset: place.place.offset)
        else {
            counters.damaged.wrappingAdd(1, ordering: .relaxed)
            if index.replace(place.hash, place.place, with: nil) { forget(place.place) }
            if segment.name.log == .small { try stageRemoval(of: place.hash, in: &log) }
            return
        }
        while try !makeRoom(for: entry.count, in: &log) { try flush(&log) }
        let border = EntryHeader.byteCount + header.keyByteCount
        var moved = header
        moved.isShadow = false
        log.sequence = max(log.sequence, header.sequence)
        log.stage(
            moved,
            key: UnsafeRawBufferPointer(rebasing: entry[EntryHeader.byteCount..<border]),
            payload: UnsafeRawBufferPointer(rebasing: entry[border..<header.contentByteCount]),
            former: place.place
        )
        counters.spared.wrappingAdd(1, ordering: .relaxed)
        counters.sparedBytes.wrappingAdd(entry.count, ordering: .relaxed)
    }

    /// Decides which records are moved: those read most often come first, until the budget is used up.
    private struct Allowance {
        private let full: UInt64
        private(set) var rest: Int
        private let sparesAll: Bool

        init(_ live: [Place], budget: Int, sparesAll: Bool) {
            self.sparesAll = sparesAll
            var byteCounts = [Int](repeating: 0, count: 5)
            for place in live { byteCounts[Int(place.frequency)] += place.byteCount }
            var level: UInt64 = 4
            var rest = budget
            while !sparesAll, level > 1, byteCounts[Int(level) - 1] <= rest {
                level -= 1
                rest -= byteCounts[Int(level)]
            }
            full = level
            self.rest = rest
        }

        mutating func spares(_ place: Place) -> Bool {
            if sparesAll || place.frequency >= full { return true }
            guard full > 1, place.frequency == full - 1, rest >= place.byteCount else { return false }
            rest -= place.byteCount
            return true
        }
    }
}
