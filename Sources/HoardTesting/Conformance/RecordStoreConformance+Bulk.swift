// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    /// Reading, writing and removing several records in one call.
    static var bulkChecks: [Check] {
        [
            Check("a read of several records returns those that are there, each once") { subject in
                let store = subject.store
                try expect(try await store.records(forKeys: []).isEmpty, "A read of no keys should return nothing.")
                try await store.insert(subject.record(1), forKey: "a")
                try await store.insert(subject.record(2, byteCount: 200_000), forKey: "b")
                try await store.insert(subject.record(3, tags: ["gone"]), forKey: "tagged")
                try await store.insert(subject.record(4, freshFor: .seconds(10)), forKey: "expired")
                try await store.insert(subject.record(5, freshFor: .seconds(10), keptFor: .seconds(100)), forKey: "stale")
                let (a, b) = (subject.record(1), subject.record(2, byteCount: 200_000))
                let stale = subject.record(5, freshFor: .seconds(10), keptFor: .seconds(100))
                try await store.removeRecords(taggedWith: "gone")
                subject.time.advance(by: .seconds(10))
                try await subject.expectRecords(
                    ["b": b, "a": a, "stale": stale],
                    forKeys: ["b", "absent", "a", "tagged", "b", "a", "expired", "stale"],
                    "At a read of eight keys"
                )
                let statistics = try await store.statistics()
                try expect(statistics.hits == 3, "Three records that were found should be 3 hits, but are \(statistics.hits).")
                try expect(statistics.misses == 3, "Three keys without a record should be 3 misses, but are \(statistics.misses).")
            },
            Check("a read of several records is a use of each", maximumCount: 4) { subject in
                for key: RecordKey in ["a", "b", "c", "d"] {
                    try await subject.store.insert(subject.record(1), forKey: key)
                    subject.time.advance(by: .seconds(60))
                }
                _ = try await subject.store.records(forKeys: ["c", "a"])
                subject.time.advance(by: .seconds(60))
                try await subject.store.insert(subject.record(2), forKey: "e")
                subject.time.advance(by: .seconds(60))
                try await subject.store.insert(subject.record(2), forKey: "f")
                let left = try await subject.store.records(forKeys: ["a", "b", "c", "d", "e", "f"])
                try expect(
                    Set(left.keys) == ["a", "c", "e", "f"],
                    "The two records that were not read should be evicted, but there are \(left.keys.map(\.description).sorted())."
                )
            },
            Check("a write of several records replaces each one whole") { subject in
                let store = subject.store
                try await store.insert([:])
                var old = subject.record(1, byteCount: 2_000, freshFor: .seconds(60), tags: ["old"])
                old.validator = "old"
                try await store.insert(old, forKey: "0")
                try await store.insert(subject.record(7), forKey: "other")
                var records: [RecordKey: Record] = [:]
                for number in 0..<300 {
                    records[RecordKey("\(number)")] = subject.record(number, byteCount: number == 5 ? 100_000 : 20, tags: ["tag \(number % 3)"])
                }
                try await store.insert(records)
                try await subject.expectRecords(records, forKeys: Array(records.keys), "After a write of 300 records")
                try await subject.expectRecord(records["5"], forKey: "5", "After a write of 300 records, one by one")
                try await store.removeRecords(taggedWith: "old")
                try await subject.expectRecord(records["0"], forKey: "0", "After a removal by a tag that only the older record had")
                try await subject.expectRecord(subject.record(7), forKey: "other", "After a write of other keys")
                let statistics = try await store.statistics()
                try expect(statistics.count == 301, "301 keys should be 301 records, but are \(statistics.count).")
                try expect(statistics.insertions == 302, "302 records written should be 302 insertions, but are \(statistics.insertions).")
                try await store.removeRecords(taggedWith: ["tag 0", "tag 2"])
                let left = records.filter { $0.value.tags == ["tag 1"] }
                try await subject.expectRecords(left, forKeys: Array(records.keys), "After the removal of two of three tags")
            },
            Check("a record that can never fit keeps no other of the same write away", maximumBytes: 128 * 1024) { subject in
                try await subject.store.insert(subject.record(1), forKey: "large")
                try await subject.store.insert(subject.record(2), forKey: "other")
                try await subject.store.insert([
                    "a": subject.record(3), "large": subject.record(4, byteCount: 128 * 1024), "b": subject.record(5),
                ])
                try await subject.expectRecords(
                    ["a": subject.record(3), "b": subject.record(5), "other": subject.record(2)],
                    forKeys: ["a", "b", "large", "other"],
                    "After a write with a record larger than the store"
                )
                let statistics = try await subject.store.statistics()
                try expect(statistics.refusals == 1, "One refusal should be counted, but \(statistics.refusals) are.")
                try expect(statistics.insertions == 4, "A refused record should not count as an insertion, nor another as refused.")
                try expect(statistics.evictions == 0, "Nothing should be evicted for a record that is refused.")
            },
            Check("the limit by count holds after a write of several records", maximumCount: 10) { subject in
                var records: [RecordKey: Record] = [:]
                for number in 0..<50 { records[RecordKey("\(number)")] = subject.record(number) }
                try await subject.store.insert(records)
                let statistics = try await subject.store.statistics()
                try expect(statistics.count == 10, "Ten of 50 records should be held, but \(statistics.count) are.")
                try expect(statistics.evictions == 40, "40 records should count as evicted, but \(statistics.evictions) do.")
                let left = try await subject.store.records(forKeys: Array(records.keys))
                try expect(left.count == 10, "Ten of 50 records should be there to be read, but \(left.count) are.")
            },
            Check("a removal of several records removes those and no others") { subject in
                for number in 0..<10 { try await subject.store.insert(subject.record(number), forKey: RecordKey("\(number)")) }
                try await subject.store.removeRecords(forKeys: [])
                try await subject.store.removeRecords(forKeys: ["3", "absent", "7", "3", "0"])
                for number in 0..<10 {
                    let expected = [0, 3, 7].contains(number) ? nil : subject.record(number)
                    try await subject.expectRecord(expected, forKey: RecordKey("\(number)"), "After the removal of the keys 0, 3 and 7 at once")
                }
                let count = try await subject.store.statistics().count
                try expect(count == 7, "After the removal of three of ten records the store should hold 7, but says \(count).")
            },
            Check("one key that is too long fails a call with several keys") { subject in
                let store = subject.store
                let key = RecordKey(bytes: [UInt8](repeating: 0x61, count: RecordKey.maximumByteCount + 1))
                try await expect(.keyTooLong, from: "A read of several keys of which one is too long") { () async throws(StoreError) in
                    _ = try await store.records(forKeys: ["a", key])
                }
                try await expect(.keyTooLong, from: "A write of several keys of which one is too long") { () async throws(StoreError) in
                    try await store.insert(["a": subject.record(1), key: subject.record(2)])
                }
                let count = try await store.statistics().count
                try expect(count <= 1, "A record with a key that is too long should not be stored, but is.")
            },
        ]
    }
}

extension RecordStoreConformance.Subject {
    /// Ends the check unless a read of all keys at once returns exactly these records.
    func expectRecords(_ expected: [RecordKey: Record], forKeys keys: [RecordKey], _ circumstances: String) async throws {
        let actual = try await store.records(forKeys: keys)
        for key in Set(keys).union(actual.keys) {
            guard let difference = Self.difference(between: actual[key], and: expected[key]) else { continue }
            throw RecordStoreConformance.UnmetExpectation(message: "\(circumstances), for the key “\(key)”, \(difference).")
        }
    }
}
