// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The keys, tags and partitions that a store should have removed or marked as stale, but could not.
///
/// A key in the journal must not be read from its store before it has been removed there. A record counts as absent if one of its tags or
/// its partition is in the journal. A mark that was missed is kept as a removal, which is always safe. The journal is bounded: when it
/// overflows, the store as a whole counts as invalid until everything has been removed from it. The journal lives in memory; a process that
/// ends while its store is failing cannot make the removals good.
///
/// Each entry has the number of the change that was missed. A removal that is made good settles the entries up to its own number, so that
/// the entries of changes missed while it was under way stay.
struct InvalidationJournal: Sendable {
    /// The most keys, tags and partitions remembered one by one.
    let maximumCount: Int

    private(set) var keys: [RecordKey: UInt64] = [:]
    private(set) var tags: [String: UInt64] = [:]
    private(set) var partitions: [ExactText: UInt64] = [:]
    /// The number of the last change that concerns everything in the store.
    private(set) var everything: UInt64?

    init(maximumCount: Int = 10_000) {
        self.maximumCount = maximumCount
    }

    var isEmpty: Bool { keys.isEmpty && tags.isEmpty && partitions.isEmpty && everything == nil }
    var coversEverything: Bool { everything != nil }
    /// Keys, tags and partitions together.
    var count: Int { keys.count + tags.count + partitions.count }

    /// Whether the key must not be read.
    func contains(_ key: RecordKey) -> Bool {
        coversEverything || keys[key] != nil
    }

    /// Whether a record with these tags counts as absent. O(number of tags of the record or of the journal, the lesser).
    func containsAny(of tags: Set<String>) -> Bool {
        if coversEverything { return true }
        if self.tags.isEmpty || tags.isEmpty { return false }
        return self.tags.count < tags.count ? self.tags.keys.contains { tags.contains($0) } : tags.contains { self.tags[$0] != nil }
    }

    /// Whether a record of this partition counts as absent. O(1).
    func contains(partition: String?) -> Bool {
        coversEverything || (partition.map { partitions[ExactText($0)] != nil } ?? false)
    }

    /// - Returns: Whether the journal has overflowed by this.
    @discardableResult
    mutating func add(_ key: RecordKey, number: UInt64) -> Bool {
        keys[key] = max(number, keys[key] ?? 0)
        return overflowed(by: number)
    }

    /// - Returns: Whether the journal has overflowed by this.
    @discardableResult
    mutating func add(tags: Set<String>, number: UInt64) -> Bool {
        for tag in tags { self.tags[tag] = max(number, self.tags[tag] ?? 0) }
        return overflowed(by: number)
    }

    /// - Returns: Whether the journal has overflowed by this.
    @discardableResult
    mutating func add(partition: String, number: UInt64) -> Bool {
        let name = ExactText(partition)
        partitions[name] = max(number, partitions[name] ?? 0)
        return overflowed(by: number)
    }

    mutating func addEverything(number: UInt64) {
        everything = max(number, everything ?? 0)
        dropEntries(upTo: number)
    }

    /// The store holds nothing under `key` that was invalid when the change `number` was made.
    mutating func settle(_ key: RecordKey, upTo number: UInt64) {
        guard let entry = keys[key], entry <= number else { return }
        keys[key] = nil
    }

    /// The store holds nothing with these tags that was invalid when the change `number` was made.
    mutating func settle(tags: Set<String>, upTo number: UInt64) {
        for tag in tags {
            if let entry = self.tags[tag], entry <= number { self.tags[tag] = nil }
        }
    }

    /// The store holds nothing of this partition that was invalid when the change `number` was made.
    mutating func settle(partition: String, upTo number: UInt64) {
        let name = ExactText(partition)
        if let entry = partitions[name], entry <= number { partitions[name] = nil }
    }

    /// The store holds nothing that was there when the change `number` was made. O(number of entries).
    mutating func settleEverything(upTo number: UInt64) {
        if let entry = everything, entry <= number { everything = nil }
        dropEntries(upTo: number)
    }

    private mutating func overflowed(by number: UInt64) -> Bool {
        guard count > maximumCount else { return false }
        let isNew = everything == nil
        // The entries may have greater numbers than the one that was too many; everything has to be as new as the newest.
        let newest = max(keys.values.max() ?? 0, tags.values.max() ?? 0, partitions.values.max() ?? 0, number)
        addEverything(number: newest)
        return isNew
    }

    private mutating func dropEntries(upTo number: UInt64) {
        keys = keys.filter { $0.value > number }
        tags = tags.filter { $0.value > number }
        partitions = partitions.filter { $0.value > number }
    }
}
