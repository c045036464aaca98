// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// When tags were last removed or marked stale, for judging entries in memory when they are read.
///
/// Eras number the invalidations. An entry remembers the era in which it was published; a tag that was invalidated later
/// concerns it. So an invalidation costs O(1) for each tag, however many entries have it, and a reader looks here only
/// when there has been an invalidation since it looked last.
///
/// Not thread-safe: its owner guards it. Memory is bounded: when there are too many tags, the older half is forgotten, and
/// all entries with tags that were published before count as removed.
struct TagMarks: Sendable {
    /// What has become of an entry since it was published.
    struct Verdict: Sendable, Equatable {
        var isRemoved = false
        /// The tick at which its freshness has ended.
        var staleSince: Int64?

        mutating func add(_ mark: Mark, bornEra: UInt64) {
            if mark.removed > bornEra { isRemoved = true }
            if let tick = mark.staleTick(ofEntryBornIn: bornEra) { staleSince = min(staleSince ?? .max, tick) }
        }
    }

    struct Mark: Sendable {
        var removed: UInt64 = 0
        /// When freshness was ended, oldest first. Of those that concern an entry, the first counts.
        private var stale: [(era: UInt64, tick: Int64)] = []

        /// The era of the newest invalidation.
        var newest: UInt64 { max(removed, stale.last?.era ?? 0) }

        func staleTick(ofEntryBornIn bornEra: UInt64) -> Int64? { stale.first { $0.era > bornEra }?.tick }

        mutating func addStale(era: UInt64, tick: Int64) {
            stale.append((era, tick))
            // The two oldest become one that ends what both ended, at the earlier time.
            if stale.count > TagMarks.maximumStaleCount {
                stale.replaceSubrange(0..<2, with: CollectionOfOne((era: stale[1].era, tick: stale[0].tick)))
            }
        }
    }

    /// The most stale marks remembered for a tag.
    static var maximumStaleCount: Int { 8 }

    private let maximumCount: Int
    private(set) var era: UInt64 = 1
    private var marks: [String: Mark] = [:]
    private var markOfEverything = Mark()
    /// The era of the last invalidation that concerns entries without tags too.
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

    /// Everything is removed. Nothing needs to be remembered of single tags: all entries that were published before count as removed, also for a reader who
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
        // The era of the newest tag that is forgotten: what was published in it has seen that.
        let median = newest[newest.count / 2]
        marks = marks.filter { $0.value.newest > median }
        floor = max(floor, median)
    }
}
