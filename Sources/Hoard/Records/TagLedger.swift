// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The removals and stale marks of a ``MemoryStore``'s records by tag, by partition or of all, judged against when each record was written.
///
/// A counter orders writes, removals and stale marks. A removal by tag notes the counter with the tag and touches no record. A read of a record
/// that was written before finds that it is gone. A removal by partition works in the same way. The ledger keeps a tag or partition for as long
/// as the store holds a record that has it, so the ledger is no larger than the store's contents.
struct TagLedger: Sendable {
    private struct Tag: Sendable {
        var recordCount = 0
        /// Records that were written before this are gone.
        var removalSequence: Int64 = 0
        var staleMarks = StaleMarks()
    }

    private struct Partition: Sendable {
        var recordCount = 0
        /// Records that were written before this are gone.
        var removalSequence: Int64 = 0
    }

    private var tags: [String: Tag] = [:]
    private var partitions: [ExactText: Partition] = [:]
    private var marksOnEverything = StaleMarks()
    private var latestSequence: Int64 = 0
    /// The sequence of the latest removal or stale mark. Records that were written later are not concerned by any.
    private var latestChange: Int64 = 0

    /// The number of tags that are known.
    var tagCount: Int { tags.count }
    /// The number of partitions that are known.
    var partitionCount: Int { partitions.count }

    private mutating func nextSequence() -> Int64 {
        latestSequence += 1
        return latestSequence
    }

    /// The number of a write that is about to be made.
    mutating func beginWrite() -> Int64 { nextSequence() }

    /// A record with these tags, and of this partition, is held from now on. O(number of tags).
    mutating func retain(_ names: Set<String>, partition: String? = nil) {
        for name in names { tags[name, default: Tag()].recordCount += 1 }
        if let partition { partitions[ExactText(partition), default: Partition()].recordCount += 1 }
    }

    /// A record with these tags, and of this partition, is no longer held. O(number of tags).
    mutating func release(_ names: Set<String>, partition: String? = nil) {
        if let partition, let index = partitions.index(forKey: ExactText(partition)) {
            partitions.values[index].recordCount -= 1
            if partitions.values[index].recordCount == 0 { partitions.remove(at: index) }
        }
        for name in names {
            guard let index = tags.index(forKey: name) else { continue }
            tags.values[index].recordCount -= 1
            if tags.values[index].recordCount == 0 { tags.remove(at: index) }
        }
    }

    /// Removes all records that have at least one of the tags now. O(number of tags).
    mutating func removeRecords(taggedWith names: Set<String>) {
        latestChange = nextSequence()
        for name in names {
            // A removal says more than any mark before it.
            tags[name]?.staleMarks = StaleMarks()
            tags[name]?.removalSequence = latestChange
        }
    }

    /// Removes all records of a partition. O(1).
    mutating func removePartition(_ name: String) {
        latestChange = nextSequence()
        partitions[ExactText(name)]?.removalSequence = latestChange
    }

    /// Ends the freshness of all records that have at least one of the tags now. O(number of tags).
    mutating func markStale(taggedWith names: Set<String>, at date: Date) {
        latestChange = nextSequence()
        for name in names { tags[name]?.staleMarks.add(.init(sequence: latestChange, date: date)) }
    }

    /// Ends the freshness of all records that are held now. O(1).
    mutating func markAllStale(at date: Date) {
        latestChange = nextSequence()
        marksOnEverything.add(.init(sequence: latestChange, date: date))
    }

    /// Whether a record has gone with one of its tags or its partition. O(number of its tags), O(1) if nothing has been done since it was written.
    func isRemoved(_ names: Set<String>, partition: String? = nil, writtenAt sequence: Int64) -> Bool {
        guard sequence < latestChange else { return false }
        if let partition, partitions[ExactText(partition)]?.removalSequence ?? 0 > sequence { return true }
        return names.contains { (tags[$0]?.removalSequence ?? 0) > sequence }
    }

    /// When a record has been said to cease to be fresh; `nil` if nothing has been said of it. O(number of its tags).
    func freshnessEnd(of names: Set<String>, writtenAt sequence: Int64) -> Date? {
        guard sequence < latestChange else { return nil }
        let ends = names.compactMap { tags[$0]?.staleMarks.freshnessEnd(forSequence: sequence) }
        return (ends + [marksOnEverything.freshnessEnd(forSequence: sequence)].compactMap { $0 }).min()
    }

    /// No record is held any more.
    mutating func removeAll() {
        tags = [:]
        partitions = [:]
        marksOnEverything = StaleMarks()
    }
}
