// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    /// The ways to end the freshness of records.
    enum StaleMark: CaseIterable, Sendable {
        case key, tag, everything

        /// Whether a store may remove the records instead, as the protocol's default implementation does.
        var mayRemove: Bool { self != .key }

        /// Marks the record of `key`, which has the tag `marked`.
        func set(_ key: RecordKey, at date: Date, in store: any RecordStore) async throws(StoreError) {
            switch self {
            case .key: try await store.markRecordStale(forKey: key, at: date)
            case .tag: try await store.markRecordsStale(taggedWith: ["marked"], at: date)
            case .everything: try await store.markAllRecordsStale(at: date)
            }
        }
    }

    static var staleMarkChecks: [Check] {
        [
            Check("a record that is marked stale is kept for as long as before") { subject in
                for mark in StaleMark.allCases {
                    var record = subject.record(1, byteCount: 50_000, freshFor: .seconds(60), keptFor: .seconds(100), tags: ["marked", "other"])
                    record.staleIfError = .seconds(30)
                    record.validator = "v"
                    try await subject.store.insert(record, forKey: "key")
                    let endless = subject.record(2, tags: ["marked"])
                    try await subject.store.insert(endless, forKey: "endless")
                    subject.time.advance(by: .seconds(5))
                    let marked = subject.time.now()
                    try await mark.set("key", at: marked, in: subject.store)
                    if mark == .key { try await mark.set("endless", at: marked, in: subject.store) }
                    try await subject.expect(record, staleSince: marked, forKey: "key", mark, "Right after it was marked")
                    try await subject.expect(
                        endless,
                        staleSince: marked,
                        forKey: "endless",
                        mark,
                        "Right after a record that never expires was marked"
                    )
                    subject.time.advance(by: .seconds(94))
                    try await subject.expect(record, staleSince: marked, forKey: "key", mark, "A second before a marked record's time is up")
                    subject.time.advance(by: .seconds(1))
                    try await subject.expectRecord(nil, forKey: "key", "When a marked record's time is up")
                    try await subject.expect(
                        endless,
                        staleSince: marked,
                        forKey: "endless",
                        mark,
                        "Long after a record that never expires was marked"
                    )
                }
            },
            Check("a stale mark on a record concerns that record only, and makes none") { subject in
                try await subject.store.insert(subject.record(1, tags: ["marked"]), forKey: "a")
                try await subject.store.insert(subject.record(2, tags: ["marked"]), forKey: "b")
                try await subject.store.markRecordStale(forKey: "a", at: subject.time.now())
                try await subject.store.markRecordStale(forKey: "absent", at: subject.time.now())
                try await subject.expectRecord(subject.record(2, tags: ["marked"]), forKey: "b", "After another record was marked")
                try await subject.expectRecord(nil, forKey: "absent", "After a key without a record was marked")
                let count = try await subject.store.statistics().count
                try expect(count == 2, "After marks the store should hold the 2 records that were written, but says \(count).")
            },
            Check("a stale mark by tags concerns the records that have at least one of them") { subject in
                let tagsOfKeys: [(key: RecordKey, tags: Set<String>)] = [
                    ("none", []), ("x", ["x"]), ("y", ["y", "w"]), ("xy", ["x", "y"]), ("z", ["z"]), ("upper", ["X"]),
                ]
                for (number, entry) in tagsOfKeys.enumerated() {
                    try await subject.store.insert(subject.record(number, tags: entry.tags), forKey: entry.key)
                }
                let marked = subject.time.now()
                try await subject.store.markRecordsStale(taggedWith: [], at: marked)
                try await subject.store.markRecordsStale(taggedWith: ["x", "y", "unknown"], at: marked)
                for (number, entry) in tagsOfKeys.enumerated() {
                    let record = subject.record(number, tags: entry.tags)
                    if entry.tags.isDisjoint(with: ["x", "y"]) {
                        try await subject.expectRecord(record, forKey: entry.key, "After a mark on tags that “\(entry.key)” does not have")
                    } else {
                        try await subject.expect(record, staleSince: marked, forKey: entry.key, .tag, "After a mark on tags of “\(entry.key)”")
                    }
                }
            },
            Check("a stale mark on everything concerns every record") { subject in
                for number in 0..<20 {
                    try await subject.store.insert(subject.record(number, tags: number % 2 == 0 ? [] : ["tag"]), forKey: RecordKey("\(number)"))
                }
                let marked = subject.time.now()
                try await subject.store.markAllRecordsStale(at: marked)
                for number in 0..<20 {
                    let record = subject.record(number, tags: number % 2 == 0 ? [] : ["tag"])
                    try await subject.expect(record, staleSince: marked, forKey: RecordKey("\(number)"), .everything, "After a mark on everything")
                }
            },
            Check("a stale mark extends nothing") { subject in
                for mark in StaleMark.allCases {
                    let (now, store) = (subject.time.now(), subject.store)
                    let record = subject.record(1, freshFor: .seconds(10), keptFor: .seconds(100), tags: ["marked"])
                    try await store.insert(record, forKey: "key")
                    try await mark.set("key", at: now + .seconds(1_000), in: store)
                    try await subject.expect(record, staleSince: now + .seconds(10), forKey: "key", mark, "After a mark later than its freshness")
                    subject.time.advance(by: .seconds(20))
                    try await mark.set("key", at: subject.time.now(), in: store)
                    try await subject.expect(record, staleSince: now + .seconds(10), forKey: "key", mark, "After a mark on a stale record")
                    try await mark.set("key", at: now + .seconds(5), in: store)
                    try await mark.set("key", at: now + .seconds(7), in: store)
                    try await subject.expect(record, staleSince: now + .seconds(5), forKey: "key", mark, "After a mark earlier than those before")
                    subject.time.advance(by: .seconds(80))
                    try await subject.expectRecord(nil, forKey: "key", "When the time of a record that was marked often is up")
                    try await mark.set("key", at: now + .seconds(1_000), in: store)
                    try await subject.expectRecord(nil, forKey: "key", "After a mark on a record whose time is up")
                    try await store.removeRecord(forKey: "key")
                    try await mark.set("key", at: now + .seconds(1_000), in: store)
                    try await subject.expectRecord(nil, forKey: "key", "After a mark on a record that was removed")
                }
            },
            Check("a stale mark concerns what was written before it and nothing that is written later") { subject in
                for mark in StaleMark.allCases {
                    let store = subject.store
                    let start = subject.time.now()
                    let first = subject.record(1, freshFor: .seconds(1_000), tags: ["marked"])
                    try await store.insert(first, forKey: "first")
                    try await store.insert(first, forKey: "replaced")
                    // The order of writes decides, not the dates: these lie behind and ahead of everything.
                    for date in [start + .seconds(-50), start + .seconds(100)] {
                        try await mark.set("first", at: date, in: store)
                        if mark == .key { try await mark.set("replaced", at: date, in: store) }
                    }
                    let second = subject.record(2, freshFor: .seconds(1_000), tags: ["marked"])
                    try await store.insert(second, forKey: "replaced")
                    try await store.insert(second, forKey: "new")
                    try await subject.expect(first, staleSince: start + .seconds(-50), forKey: "first", mark, "After a mark with an earlier date")
                    try await subject.expectRecord(second, forKey: "replaced", "For a record that was written over a marked one")
                    try await subject.expectRecord(second, forKey: "new", "For a record that was written after a mark")
                    subject.time.advance(by: .seconds(200))
                    try await mark.set("new", at: start + .seconds(200), in: store)
                    try await subject.expect(second, staleSince: start + .seconds(200), forKey: "new", mark, "After the next mark")
                    try await subject.expect(first, staleSince: start + .seconds(-50), forKey: "first", mark, "For a record that was marked before")
                    try await store.removeAll()
                }
            },
            Check("stale marks and removals beside each other") { subject in
                let store = subject.store
                let record = subject.record(1, tags: ["marked", "removed"])
                let marked = subject.time.now() + .seconds(-1)
                for mark in StaleMark.allCases {
                    try await store.insert(record, forKey: "key")
                    try await store.insert(subject.record(2), forKey: "other")
                    try await mark.set("key", at: marked, in: store)
                    try await store.removeRecords(taggedWith: ["removed"])
                    try await subject.expectRecord(nil, forKey: "key", "After a mark and a removal by tag")
                    try await store.insert(["key": record])
                    try await subject.expectRecords(["key": record], forKeys: ["key"], "After a write of a record that was marked and removed")
                    try await store.removeRecords(taggedWith: ["unknown"])
                    try await mark.set("key", at: marked, in: store)
                    if mark.mayRemove { continue }
                    var stale = record
                    _ = stale.endFreshness(at: marked)
                    try await subject.expectRecords(
                        ["key": stale],
                        forKeys: ["key", "absent"],
                        "At a read of several records of which one is marked"
                    )
                }
            },
        ]
    }
}

extension RecordStoreConformance.Subject {
    /// Ends the check unless a marked record is as it was written but no longer fresh since `date`, or gone if the mark allows that.
    func expect(
        _ record: Record,
        staleSince date: Date,
        forKey key: RecordKey,
        _ mark: RecordStoreConformance.StaleMark,
        _ circumstances: String
    ) async throws {
        guard let actual = try await store.record(forKey: key) else {
            return try RecordStoreConformance.expect(mark.mayRemove, "\(circumstances), the store should have the record, but has none.")
        }
        var expected = record
        _ = expected.endFreshness(at: date)
        guard let difference = Self.difference(between: actual, and: expected) else { return }
        throw RecordStoreConformance.UnmetExpectation(message: "\(circumstances), \(difference).")
    }
}
