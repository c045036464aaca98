// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Remembers when tags were last removed or marked stale, and judges entries in memory by it when they are read.
///
/// Eras number the invalidations. An entry remembers the era in which it was published, and later invalidations of its tags apply to it. So an
/// invalidation costs O(1) for each tag, however many entries have it. A reader looks here only if there has been an invalidation since the
/// entry's last check.
///
/// Not thread-safe: its owner guards it. Memory is bounded: with too many tags, the older half is forgotten, and entries with tags that were
/// published before count as removed.
struct TagMarks: Sendable {
    /// The effect of the invalidations since an entry was published.
    struct Verdict: Sendable, Equatable {
        var isRemoved = false
        /// The tick at which the entry became stale.
        var staleSince: Int64?

        mutating func add(_ mark: Mark, bornEra: UInt64) {
            if mark.removed > bornEra { isRemoved = true }
            if let tick = mark.staleTick(ofEntryBornIn: bornEra) { staleSince = min(staleSince ?? .max, tick) }
        }
    }

    struct Mark: Sendable {
        var removed: UInt64 = 0
        /// The marks as stale, oldest first. The first one after an entry's publication counts.
        private var stale: [(era: UInt64, tick: Int64)] = []

        /// The era of the newest invalidation.
        var newest: UInt64 { max(removed, stale.last?.era ?? 0) }

        func staleTick(ofEntryBornIn bornEra: UInt64) -> Int64? { stale.first { $0.era > bornEra }?.tick }

        mutating func addStale(era: UInt64, tick: Int64) {
            stale.append((era, tick))
            // The two oldest marks become one, which covers the entries of both and has the earlier time.
            if stale.count > TagMarks.maximumStaleCount {
                stale.replaceSubrange(0..<2, with: CollectionOfOne((era: stale[1].era, tick: stale[0].tick)))
            }
        }
    }

    /// The most marks as stale that are remembered for a tag.
    static var maximumStaleCount: Int { 8 }

    private let maximumCount: Int
    private(set) var era: UInt64 = 1
    private var marks: [String: Mark] = [:]
    private var markOfEverything = Mark()
    /// The era of the last invalidation that also applies to entries without tags.
    private(set) var eraOfEverything: UInt64 = 1
    /// Entries that were published before this era count as removed.
    private var eraOfRemoval: UInt64 = 0
    /// Entries with tags that were published before this era count as removed.
    private var floor: UInt64 = 0

    init(maximumCount: Int = 10_000) {
        self.maximumCount = maximumCount
    }

    /// The number of tags remembered.
    var count: Int { marks.count }

    mutating func remove(_ tags: Set<String>) {
        era += 1
        for tag in tags { marks[tag, default: Mark()].removed = era }
        limit()
    }

    mutating func markStale(_ tags: Set<String>, at tick: Int64) {
        era += 1
        for tag in tags {
            marks[tag, default: Mark()].addStale(era: era, tick: tick)
        }
        limit()
    }

    mutating func markAllStale(at tick: Int64) {
        era += 1
        eraOfEverything = era
        markOfEverything.addStale(era: era, tick: tick)
    }

    /// Removes everything, and forgets the single tags: all entries that were published before count as removed. That holds for a reader, too, that
    /// has found one of them just before it left memory.
    mutating func removeAll() {
        era += 1
        eraOfEverything = era
        eraOfRemoval = era
        marks = [:]
        markOfEverything = Mark()
    }

    func verdict(onEntryBornIn bornEra: UInt64, tags: Set<String>) -> Verdict {
        var verdict = Verdict()
        verdict.add(markOfEverything, bornEra: bornEra)
        if bornEra < eraOfRemoval || (!tags.isEmpty && bornEra < floor) { verdict.isRemoved = true }
        for tag in tags {
            if let mark = marks[tag] { verdict.add(mark, bornEra: bornEra) }
        }
        return verdict
    }

    private mutating func limit() {
        guard marks.count > maximumCount else { return }
        let newest = marks.values.map(\.newest).sorted()
        // The era of the newest tag that is forgotten. Entries published in this era came after that invalidation.
        let median = newest[newest.count / 2]
        marks = marks.filter { $0.value.newest > median }
        floor = max(floor, median)
    }
}
