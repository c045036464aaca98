// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    /// The checks that a `ListingRecordStore` must pass beside those of a `RecordStore`, with a new random seed. A failure states the seed.
    public static var listingChecks: [Check] { listingChecks(seed: .random(in: .min ... .max)) }

    /// The same with the seed that a failure has stated.
    public static func listingChecks(seed: UInt64) -> [Check] { listingChecks(forStoresWithOwnLimits: true, seed: seed) }

    /// The same, with a new random seed unless one is given, for stores of either kind.
    ///
    /// - Parameter hasOwnLimits: See ``checks(forStoresWithOwnLimits:seed:)``.
    public static func listingChecks(forStoresWithOwnLimits hasOwnLimits: Bool, seed: UInt64 = .random(in: .min ... .max)) -> [Check] {
        pageChecks(hasOwnLimits: hasOwnLimits) + peekChecks + [
            Check("random writes and removals between pages leave no lasting record out and list none twice") { subject in
                var generator = SeededGenerator(seed: seed)
                do {
                    try await listAmongChanges(subject, using: &generator)
                } catch {
                    throw UnmetExpectation("With seed \(seed)", error)
                }
            }
        ]
    }

    private static func pageChecks(hasOwnLimits: Bool) -> [Check] {
        [
            Check("a listing tells everything of a record but its payload") { subject in
                let store = try subject.listingStore
                var record = subject.record(3, byteCount: 300, freshFor: .seconds(60), keptFor: .seconds(120), tags: ["a", "b"])
                record.partition = "alice"
                try await store.insert(record, forKey: "key")
                let page = try await store.recordPage(after: nil, limit: 10)
                try expect(
                    page.records == [RecordSummary(record, key: "key")],
                    "The listing should tell of the record as it is, but tells \(page.records)."
                )
            },
            Check("pages list every record once, whatever their size") { subject in
                let store = try subject.listingStore
                try expect(try await list(store, 5).isEmpty, "An empty store should list nothing.")
                let keys = (0..<23).map { RecordKey("\($0)") }
                for key in keys { try await store.insert(subject.record(1), forKey: key) }
                for limit in [1, 7, 23, 24, 1_000, 0, -3] {
                    let listed = try await list(store, limit)
                    try expect(
                        listed.count == keys.count && Set(listed) == Set(keys),
                        "In pages of \(limit), each of 23 records should be listed once, but \(listed.count) were, \(Set(listed).count) of them different."
                    )
                }
            },
            Check("no page is longer than it may be") { subject in
                let store = try subject.listingStore
                for number in 0..<12 { try await store.insert(subject.record(number), forKey: RecordKey("\(number)")) }
                for limit in [1, 5, 0] {
                    let page = try await store.recordPage(after: nil, limit: limit)
                    try expect(page.records.count <= max(1, limit), "A page of \(limit) should not have \(page.records.count) records.")
                }
            },
            Check("what a read would not find is not listed") { subject in
                let store = try subject.listingStore
                for key: RecordKey in ["stays", "removed", "tagged", "expires", "partition"] {
                    var record = subject.record(1, freshFor: key == "expires" ? .seconds(5) : nil, tags: key == "tagged" ? ["tag"] : [])
                    if key == "partition" { record.partition = "alice" }
                    try await store.insert(record, forKey: key)
                }
                try await expectListed(store, ["stays", "removed", "tagged", "expires", "partition"], "With five records")
                try await store.removeRecord(forKey: "removed")
                try await store.removeRecords(taggedWith: "tag")
                try await store.removePartition("alice")
                subject.time.advance(by: .seconds(5))
                try await expectListed(store, ["stays"], "After four of them have gone")
                try await store.removeAll()
                try await expectListed(store, [], "After everything was removed")
            },
            Check("a listing takes stale marks into account") { subject in
                let store = try subject.listingStore
                let (start, record) = (subject.time.now(), subject.record(1, freshFor: .seconds(60), keptFor: .seconds(600), tags: ["tag"]))
                for key: RecordKey in ["key", "tag"] { try await store.insert(record, forKey: key) }
                subject.time.advance(by: .seconds(1))
                try await store.markRecordStale(forKey: "key", at: subject.time.now())
                subject.time.advance(by: .seconds(1))
                try await store.markRecordsStale(taggedWith: ["tag"], at: subject.time.now())
                for summary in try await store.recordPage(after: nil, limit: 10).records {
                    let expected = start.addingTimeInterval(summary.key == "key" ? 1 : 2)
                    try expect(
                        summary.freshUntil == expected,
                        "The record \(summary.key) should be fresh until it was marked, not until \(summary.freshUntil as Any)."
                    )
                }
            },
            Check("listing \(hasOwnLimits ? "is no use of a record and " : "")counts nothing", maximumCount: hasOwnLimits ? 3 : nil) { subject in
                let store = try subject.listingStore
                for key: RecordKey in ["a", "b", "c"] {
                    try await store.insert(subject.record(1), forKey: key)
                    subject.time.advance(by: .seconds(1))
                }
                // All pending writes are written by now.
                _ = try await list(store, 2)
                let before = try await store.statistics()
                _ = try await list(store, 2)
                _ = try await store.peekRecord(forKey: "a")
                _ = try await store.peekRecord(forKey: "absent")
                try expect(try await store.statistics() == before, "Listing and peeking should leave the statistics as they are.")
                guard hasOwnLimits else { return }
                subject.time.advance(by: .seconds(1))
                try await store.insert(subject.record(1), forKey: "d")
                try await expectListed(store, ["b", "c", "d"], "After the least recently used record made room")
            },
            Check("a listing refuses a cursor that is none of its own") { subject in
                let store = try subject.listingStore
                try await expect(.invalidConfiguration, from: "Listing from nowhere") { () async throws(StoreError) in
                    _ = try await store.recordPage(after: RecordCursor(text: "no cursor"), limit: 1)
                }
            },
            Check("listing and peeking throw closed when the store is closed") { subject in
                let store = try subject.listingStore
                try await store.insert(subject.record(1), forKey: "key")
                await store.close()
                try await expect(.closed, from: "Listing a closed store") { () async throws(StoreError) in
                    _ = try await store.recordPage(after: nil, limit: 1)
                }
                try await expect(.closed, from: "Peeking into a closed store") { () async throws(StoreError) in
                    _ = try await store.peekRecord(forKey: "key")
                }
            },
        ]
    }

    private static var peekChecks: [Check] {
        [
            Check("a peek finds what a read would find") { subject in
                let store = try subject.listingStore
                let record = subject.record(7, byteCount: 70_000, freshFor: .seconds(5), tags: ["tag"])
                try await store.insert(record, forKey: "key")
                var peeked = try await store.peekRecord(forKey: "key")
                try expect(peeked?.payload == record.payload && peeked?.tags == record.tags, "A peek should find the record as it was written.")
                peeked = try await store.peekRecord(forKey: "absent")
                try expect(peeked == nil, "A peek should find nothing where nothing is.")
                subject.time.advance(by: .seconds(5))
                peeked = try await store.peekRecord(forKey: "key")
                try expect(peeked == nil, "A peek should not find a record that has expired.")
            }
        ]
    }

    private static func list(_ store: any ListingRecordStore, _ limit: Int) async throws -> [RecordKey] {
        var keys: [RecordKey] = []
        var cursor: RecordCursor?
        var pageCount = 0
        repeat {
            let page = try await store.recordPage(after: cursor, limit: limit)
            keys += page.records.map(\.key)
            cursor = page.next
            try expectEnd(&pageCount)
        } while cursor != nil
        return keys
    }

    /// A listing of a few records that takes so many pages goes round in circles.
    private static func expectEnd(_ pageCount: inout Int) throws {
        pageCount += 1
        try expect(pageCount < 1_000, "A listing should come to its end, but has none after \(pageCount) pages.")
    }

    private static func expectListed(_ store: any ListingRecordStore, _ expected: Set<RecordKey>, _ circumstances: String) async throws {
        let listed = Set(try await list(store, 2))
        try expect(
            listed == expected,
            "\(circumstances), \(expected.map(\.description).sorted()) should be listed, but \(listed.map(\.description).sorted()) are."
        )
    }

    private static func listAmongChanges(_ subject: Subject, using generator: inout SeededGenerator) async throws {
        let store = try subject.listingStore
        // A list, as the order of a set is another one in each process.
        let lasting = (0..<40).map { RecordKey("lasting \($0)") }
        for (number, key) in lasting.enumerated() {
            try await store.insert(subject.record(1), forKey: RecordKey("passing \(number / 2)"))
            try await store.insert(subject.record(1), forKey: key)
        }
        for _ in 1...6 {
            var seen: [RecordKey: Int] = [:]
            var cursor: RecordCursor?
            var pageCount = 0
            repeat {
                try expectEnd(&pageCount)
                let page = try await store.recordPage(after: cursor, limit: Int.random(in: 1...9, using: &generator))
                for record in page.records { seen[record.key, default: 0] += 1 }
                cursor = page.next
                for _ in 0..<Int.random(in: 0...6, using: &generator) {
                    let key = RecordKey("passing \(Int.random(in: 0..<20, using: &generator))")
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: try await store.removeRecord(forKey: key)
                    case 1: _ = try await store.record(forKey: lasting.randomElement(using: &generator) ?? key)
                    default: try await store.insert(subject.record(Int.random(in: 0..<200, using: &generator)), forKey: key)
                    }
                }
            } while cursor != nil
            for key in lasting { try expect(seen[key] == 1, "The record \(key) should be listed once, not \(seen[key] ?? 0) times.") }
        }
    }
}

extension RecordStoreConformance.Subject {
    fileprivate var listingStore: any ListingRecordStore {
        get throws {
            if let store = store as? any ListingRecordStore { return store }
            throw RecordStoreConformance.UnmetExpectation(message: "The store should be a ListingRecordStore.")
        }
    }
}
