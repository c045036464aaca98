// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The hand of the clock: it cleans the oldest segment as a whole.
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
        while isComplete, !workers.isStopped, let need, let oldest = segments.oldest, let footer = oldest.footer.withLock({ $0 }) {
            counters.isCleaning.store(true, ordering: .releasing)
            defer { counters.isCleaning.store(false, ordering: .releasing) }
            do {
                try clean(oldest, footer, sparingAll: need == .compaction)
                // While the flag is up, removals are written even of keys that are not here. So the file's
                // records do not come back if the file stays.
                try oldest.file.delete()
                try journal?.remove(segment: oldest.number)
                segments.removeOldest()
            } catch {
                return
            }
        }
    }

    private func clean(_ segment: SegmentFile, _ footer: Footer, sparingAll: Bool) throws {
        guard var places = try footer.places(of: segment) else {
            let slot = UInt32(truncatingIfNeeded: segment.number & (Place.slotCount - 1))
            index.removeAll { place in
                guard place.place.slot == slot else { return false }
                if !place.place.isRemoval { forget(place.place) }
                return true
            }
            return
        }
        places.sort { $0.place.offset < $1.place.offset }
        let live = places.compactMap { place -> HashedPlace? in
            guard let now = index.find(place.hash, isUse: false), now.isSameEntry(as: place.place), !now.isRemoval else { return nil }
            return HashedPlace(hash: place.hash, place: now)
        }
        let budget = spareBudget(spent: 0)
        var allowance = Allowance(live, budget: sparingAll ? .max : budget, sparingAll)
        defer { if !sparingAll { _ = spareBudget(spent: budget - allowance.rest) } }
        var spared: [HashedPlace] = []
        var byteCount = 0
        for place in live {
            if allowance.spares(place.place) {
                spared.append(place)
                byteCount += place.place.byteCount
                if byteCount >= Self.movedByteCount {
                    try move(spared, from: segment)
                    spared.removeAll(keepingCapacity: true)
                    byteCount = 0
                }
            } else if index.replace(place.hash, place.place, with: nil) {
                forget(place.place)
                counters.evicted.wrappingAdd(1, ordering: .relaxed)
            }
        }
        try move(spared, from: segment)
    }

    /// The bytes that may be spared in this segment: its share, and the rest of earlier ones, up to four
    /// segments' bytes. So hot records that lie together are spared, and the share holds in the long run.
    ///
    /// - Parameter spent: The bytes that have been spared in a segment whose budget was asked for before;
    ///   0 asks for the next one's.
    private func spareBudget(spent: Int) -> Int {
        counters.savedBudget.withLock { saved in
            if spent != 0 {
                saved -= spent
            } else {
                saved = min(saved + Int(Double(identity.segmentBytes) * configuration.sparedShare), 4 * identity.segmentBytes)
            }
            return max(saved, 0)
        }
    }

    /// How much is moved at once, while writers wait.
    private static let movedByteCount = 256 << 10

    /// Appends records again.
    private func move(_ places: [HashedPlace], from segment: SegmentFile) throws {
        var bytes = GrowingBytes(capacity: 0)
        var starts: [Int] = []
        for place in places {
            starts.append(bytes.count)
            guard try segment.read(into: bytes.extend(by: place.place.byteCount), at: place.place.offset) else {
                throw SegmentError("\(segment.file.path) is too short")
            }
        }
        try writer.withLock { writer throws in
            guard !writer.isClosed else { throw SegmentError("The store is closed") }
            for (place, start) in zip(places, starts) {
                let entry = UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<start + place.place.byteCount])
                try move(place, entry, from: segment, in: &writer)
            }
            try flush(&writer)
        }
    }

    private func move(_ place: HashedPlace, _ entry: UnsafeRawBufferPointer, from segment: SegmentFile, in writer: inout Writer) throws {
        // It may have been replaced meanwhile.
        guard let now = index.find(place.hash, isUse: false), now.isSameEntry(as: place.place) else { return }
        guard let header = EntryHeader(entry), header.kind == .record, header.entryByteCount == entry.count,
            header.isValid(in: entry, seed: segment.seed, offset: place.place.offset)
        else {
            counters.damaged.wrappingAdd(1, ordering: .relaxed)
            if index.replace(place.hash, place.place, with: nil) { forget(place.place) }
            return
        }
        while try !makeRoom(for: entry.count, in: &writer) { try flush(&writer) }
        let border = EntryHeader.byteCount + header.keyByteCount
        writer.stage(
            header.hash,
            .record,
            key: UnsafeRawBufferPointer(rebasing: entry[EntryHeader.byteCount..<border]),
            payload: UnsafeRawBufferPointer(rebasing: entry[border..<header.contentByteCount]),
            sequence: header.sequence,
            former: place.place
        )
        counters.spared.wrappingAdd(1, ordering: .relaxed)
        counters.sparedBytes.wrappingAdd(entry.count, ordering: .relaxed)
    }

    /// Decides which records are spared: those read most often come first, until the budget is used up.
    private struct Allowance {
        private let full: UInt64
        private(set) var rest: Int
        private let sparesAll: Bool

        init(_ live: [HashedPlace], budget: Int, _ sparesAll: Bool) {
            self.sparesAll = sparesAll
            var byteCounts = [Int](repeating: 0, count: 5)
            for place in live { byteCounts[Int(place.place.frequency)] += place.place.byteCount }
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
