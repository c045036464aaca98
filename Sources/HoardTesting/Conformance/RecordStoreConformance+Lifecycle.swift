// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    static var lifecycleChecks: [Check] {
        [
            Check("statistics count by their rules") { subject in
                let store = subject.store
                try await store.insert(subject.record(1), forKey: "a")
                try await store.insert(subject.record(2), forKey: "a")
                try await store.insert(subject.record(3, freshFor: .seconds(60)), forKey: "b")
                for _ in 0..<3 { _ = try await store.record(forKey: "a") }
                for _ in 0..<2 { _ = try await store.record(forKey: "absent") }
                var statistics = try await store.statistics()
                try expect(statistics.insertions == 3, "Three writes should be 3 insertions, but are \(statistics.insertions).")
                try expect(statistics.hits == 3, "Three reads that found a record should be 3 hits, but are \(statistics.hits).")
                try expect(statistics.misses == 2, "Two reads that found none should be 2 misses, but are \(statistics.misses).")
                try expect(statistics.count == 2, "Two keys should be 2 records, but are \(statistics.count).")

                subject.time.advance(by: .seconds(60))
                _ = try await store.record(forKey: "b")
                statistics = try await store.statistics()
                try expect(statistics.hits == 3 && statistics.misses == 3, "A read of an expired record should be a miss.")
                try expect(
                    statistics.count + statistics.expirations == 2,
                    "An expired record should be held or counted as expired, but count is \(statistics.count) "
                        + "and expirations is \(statistics.expirations)."
                )

                try await store.removeRecord(forKey: "a")
                try await store.removeAll()
                statistics = try await store.statistics()
                try expect(statistics.evictions == 0, "A removal, a replacement or an expiration should not be an eviction.")
                try expect(statistics.refusals == 0 && statistics.corruptions == 0, "Nothing was refused and nothing was corrupt.")
            },
            Check("the name is short and constant") { subject in
                let name = subject.store.name
                try expect((1...64).contains(name.utf8.count), "A store's name should have 1 to 64 bytes, but has \(name.utf8.count).")
                try await subject.store.insert(subject.record(), forKey: "key")
                try expect(subject.store.name == name, "A store's name should be constant, but has changed.")
            },
            Check("a closed store throws closed, and closing it again does nothing") { subject in
                let store = subject.store
                try await store.insert(subject.record(), forKey: "key")
                await store.close()
                await store.close()
                try await expect(.closed, from: "A read of a closed store") { () async throws(StoreError) in
                    _ = try await store.record(forKey: "key")
                }
                try await expect(.closed, from: "A write to a closed store") { () async throws(StoreError) in
                    try await store.insert(subject.record(), forKey: "key")
                }
                try await expect(.closed, from: "A removal from a closed store") { () async throws(StoreError) in
                    try await store.removeRecord(forKey: "key")
                }
                try await expect(.closed, from: "A removal by tag from a closed store") { () async throws(StoreError) in
                    try await store.removeRecords(taggedWith: "tag")
                }
                try await expect(.closed, from: "A removal of a partition of a closed store") { () async throws(StoreError) in
                    try await store.removePartition("partition")
                }
                try await expect(.closed, from: "A removal of everything from a closed store") { () async throws(StoreError) in
                    try await store.removeAll()
                }
                try await expect(.closed, from: "A read of several records of a closed store") { () async throws(StoreError) in
                    _ = try await store.records(forKeys: ["key", "other"])
                }
                try await expect(.closed, from: "A write of several records to a closed store") { () async throws(StoreError) in
                    try await store.insert(["key": subject.record(), "other": subject.record()])
                }
                try await expect(.closed, from: "A removal of several records from a closed store") { () async throws(StoreError) in
                    try await store.removeRecords(forKeys: ["key", "other"])
                }
                try await expect(.closed, from: "A stale mark on a record of a closed store") { () async throws(StoreError) in
                    try await store.markRecordStale(forKey: "key", at: subject.time.now())
                }
                try await expect(.closed, from: "A stale mark by tag in a closed store") { () async throws(StoreError) in
                    try await store.markRecordsStale(taggedWith: ["tag"], at: subject.time.now())
                }
                try await expect(.closed, from: "A stale mark on everything in a closed store") { () async throws(StoreError) in
                    try await store.markAllRecordsStale(at: subject.time.now())
                }
                try await expect(.closed, from: "statistics() of a closed store") { () async throws(StoreError) in
                    _ = try await store.statistics()
                }
            },
        ]
    }
}
