// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance {
    /// The checks that an `EvictingRecordStore` must pass beside those of a `RecordStore`, with a new random seed. A failure states the seed.
    public static var evictionChecks: [Check] { evictionChecks(seed: .random(in: .min ... .max)) }

    /// The same with the seed that a failure has stated.
    public static func evictionChecks(seed: UInt64) -> [Check] {
        countingChecks + evictingChecks + [
            Check("random evictions by tag do what they do in a plain list") { subject in
                var model = EvictionModel(generator: SeededGenerator(seed: seed), subject: subject, store: try subject.evictingStore)
                for step in 1...300 {
                    do {
                        try await model.step()
                    } catch {
                        throw UnmetExpectation("With seed \(seed), at step \(step)", error)
                    }
                }
            }
        ]
    }

    private static var countingChecks: [Check] {
        [
            Check("the records with a tag are counted that a read would find") { subject in
                let store = try subject.evictingStore
                for number in 0..<6 {
                    let tags: Set<String> = number < 2 ? ["a"] : number < 4 ? ["a", "b"] : ["b"]
                    var record = subject.record(number, freshFor: number == 1 ? .seconds(60) : nil, tags: tags)
                    if number == 5 { record.partition = "alice" }
                    try await store.insert(record, forKey: RecordKey("\(number)"))
                }
                try await store.insert(subject.record(9), forKey: "untagged")
                try await expectCounts(store, a: 4, b: 4, "After seven writes")
                try await store.insert(subject.record(10, tags: ["b"]), forKey: "0")
                try await expectCounts(store, a: 3, b: 5, "After a record lost a tag and got another")
                subject.time.advance(by: .seconds(60))
                try await expectCounts(store, a: 2, b: 5, "After a record expired")
                try await store.removePartition("alice")
                try await expectCounts(store, a: 2, b: 4, "After a partition was removed")
                try await store.removeRecord(forKey: "0")
                try await expectCounts(store, a: 2, b: 3, "After a record was removed")
                try await store.removeRecords(taggedWith: "a")
                try await expectCounts(store, a: 0, b: 1, "After the other tag was removed")
                try await store.removeAll()
                try await expectCounts(store, a: 0, b: 0, "After everything was removed")
            },
            Check("counting, evicting and noting uses throw closed when the store is closed") { subject in
                let store = try subject.evictingStore
                try await store.insert(subject.record(1, tags: ["a"]), forKey: "key")
                await store.close()
                try await expect(.closed, from: "Counting in a closed store") { () async throws(StoreError) in
                    _ = try await store.recordCount(taggedWith: "a")
                }
                try await expect(.closed, from: "Evicting from a closed store") { () async throws(StoreError) in
                    try await store.removeLeastRecentlyUsedRecords(taggedWith: "a", keeping: 0)
                }
                try await expect(.closed, from: "Noting a use in a closed store") { () async throws(StoreError) in
                    try await store.noteUses(ofRecordsForKeys: ["key"])
                }
                await store.flush()
            },
        ]
    }

    private static var evictingChecks: [Check] {
        [
            Check("the least recently used record with the tag leaves first, and no other") { subject in
                let store = try subject.evictingStore
                try await store.insert(subject.record(0, tags: ["other"]), forKey: "oldest")
                for key: RecordKey in ["a", "b", "c", "d"] {
                    subject.time.advance(by: .seconds(1))
                    try await store.insert(subject.record(1, tags: ["tag"]), forKey: key)
                }
                subject.time.advance(by: .seconds(1))
                _ = try await store.record(forKey: "a")
                // Neither counting nor a look at the statistics is a use.
                _ = try await store.recordCount(taggedWith: "tag")
                _ = try await store.statistics()
                var removed = try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 3)
                try expect(removed == 1, "One record should leave, but \(removed) did.")
                try await expectKeys(subject, ["a", "c", "d", "oldest"], missing: ["b"], "After one eviction")
                removed = try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 3)
                try expect(removed == 0, "With as many records as are to be kept none should leave, but \(removed) did.")
                removed = try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: -1)
                try expect(removed == 3, "A negative number should keep none; 3 records should leave, but \(removed) did.")
                try await expectKeys(subject, ["oldest"], missing: ["a", "c", "d"], "After all with the tag were evicted")
                removed = try await store.removeLeastRecentlyUsedRecords(taggedWith: "unknown", keeping: 0)
                try expect(removed == 0, "An unknown tag should remove nothing.")
                let evictions = try await store.statistics().evictions
                try expect(evictions == 4, "Four records should count as evicted, but \(evictions) do.")
            },
            Check("a noted use is a use, and changes nothing else") { subject in
                let store = try subject.evictingStore
                let records = ["a", "b", "c"].map {
                    (RecordKey($0), subject.record(1, freshFor: .seconds(100), keptFor: .seconds(200), tags: ["tag"]))
                }
                for (key, record) in records { try await store.insert(record, forKey: key) }
                subject.time.advance(by: .seconds(1))
                // The last one named is the most recently used one.
                try await store.noteUses(ofRecordsForKeys: ["b", "absent", "a"])
                try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 2)
                try await subject.expectRecord(nil, forKey: "c", "After the use of the others was noted")
                try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 1)
                try await subject.expectRecord(nil, forKey: "b", "After the use of the other was noted later")
                try await subject.expectRecord(records[0].1, forKey: "a", "After its use was noted")
                try await subject.expectRecord(nil, forKey: "absent", "After the use of a record that is not there was noted")
                subject.time.advance(by: .seconds(200))
                try await store.noteUses(ofRecordsForKeys: ["a"])
                try await subject.expectRecord(nil, forKey: "a", "After the use of an expired record was noted")
            },
        ]
    }

    private static func expectCounts(_ store: any EvictingRecordStore, a: Int, b: Int, _ circumstances: String) async throws {
        let counts = (try await store.recordCount(taggedWith: "a"), try await store.recordCount(taggedWith: "b"))
        try expect(counts == (a, b), "\(circumstances), \(a) records should have the tag a and \(b) the tag b, but \(counts.0) and \(counts.1) do.")
    }

    private static func expectKeys(_ subject: Subject, _ present: [RecordKey], missing: [RecordKey], _ circumstances: String) async throws {
        let found = try await subject.store.records(forKeys: present + missing)
        try expect(
            Set(found.keys) == Set(present),
            "\(circumstances), \(present) should be there, but \(found.keys.sorted { "\($0)" < "\($1)" }) are."
        )
    }

    /// Records in the order of their last uses, oldest first, and the random operations that compare a store with that.
    private struct EvictionModel {
        struct Entry {
            let key: RecordKey
            let record: Record
        }

        var generator: SeededGenerator
        let subject: Subject
        let store: any EvictingRecordStore
        var entries: [Entry] = []

        init(generator: SeededGenerator, subject: Subject, store: any EvictingRecordStore) {
            self.generator = generator
            self.subject = subject
            self.store = store
        }

        mutating func step() async throws {
            let key = RecordKey("\(Int.random(in: 0..<16, using: &generator))")
            let tag = Bool.random(using: &generator) ? "x" : "y"
            entries.removeAll { [subject] in $0.record.isExpired(at: subject.time.now()) }
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45: try await insert(key)
            case 45..<55: try await read(key)
            case 55..<72: try await noteUses()
            case 72..<76:
                try await store.removeRecord(forKey: key)
                entries.removeAll { $0.key == key }
            case 76:
                try await store.removeRecords(taggedWith: tag)
                entries.removeAll { $0.record.tags.contains(tag) }
            case 77:
                try await store.removePartition(tag)
                entries.removeAll { $0.record.partition == tag }
            case 78..<82: await store.flush()
            case 82..<88: subject.time.advance(by: .seconds(Int.random(in: 1...5, using: &generator)))
            default: try await evict(tag)
            }
            entries.removeAll { [subject] in $0.record.isExpired(at: subject.time.now()) }
            for tag in ["x", "y"] {
                let (count, expected) = (try await store.recordCount(taggedWith: tag), entries.count { $0.record.tags.contains(tag) })
                try expect(count == expected, "\(expected) records should have the tag \(tag), but \(count) do.")
            }
        }

        private mutating func insert(_ key: RecordKey) async throws {
            let tags = Set(["x", "y"].filter { _ in Bool.random(using: &generator) })
            let lifetime: Duration? = Int.random(in: 0..<8, using: &generator) == 0 ? .seconds(Int.random(in: 1...30, using: &generator)) : nil
            var record = subject.record(Int.random(in: 0..<1_000, using: &generator), freshFor: lifetime, tags: tags)
            record.partition = [nil, "x", "y"].randomElement(using: &generator) ?? nil
            try await store.insert(record, forKey: key)
            entries.removeAll { $0.key == key }
            entries.append(Entry(key: key, record: record))
        }

        private mutating func read(_ key: RecordKey) async throws {
            try await subject.expectRecord(entries.first { $0.key == key }?.record, forKey: key, "At a read")
            use(key)
        }

        private mutating func noteUses() async throws {
            let keys = (0..<Int.random(in: 0...4, using: &generator)).map { _ in RecordKey("\(Int.random(in: 0..<16, using: &generator))") }
            try await store.noteUses(ofRecordsForKeys: keys)
            for key in keys { use(key) }
        }

        private mutating func evict(_ tag: String) async throws {
            let tagged = entries.filter { $0.record.tags.contains(tag) }
            // Few at a time, so that there are always some between which to choose; now and then all.
            let keeping = Int.random(in: 0..<10, using: &generator) == 0 ? 0 : tagged.count - Int.random(in: -1...2, using: &generator)
            let victims = tagged.dropLast(max(0, keeping)).map(\.key)
            let removed = try await store.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: keeping)
            try expect(removed == victims.count, "\(victims.count) records should leave, but \(removed) did.")
            entries.removeAll { victims.contains($0.key) }
            // In an order of its own, which is the order of uses from now on.
            for number in (0..<16).shuffled(using: &generator) { try await read(RecordKey("\(number)")) }
        }

        private mutating func use(_ key: RecordKey) {
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
            entries.append(entries.remove(at: index))
        }
    }
}

extension RecordStoreConformance.Subject {
    fileprivate var evictingStore: any EvictingRecordStore {
        get throws {
            if let store = store as? any EvictingRecordStore { return store }
            throw RecordStoreConformance.UnmetExpectation(message: "The store should be an EvictingRecordStore.")
        }
    }
}
