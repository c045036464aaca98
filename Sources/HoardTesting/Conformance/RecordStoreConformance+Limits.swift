// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    static var limitChecks: [Check] {
        [
            Check("the limit by count holds after every write", maximumCount: 10) { subject in
                for number in 0..<50 {
                    try await subject.store.insert(subject.record(number), forKey: RecordKey("\(number)"))
                    subject.time.advance(by: .seconds(60))
                    let count = try await subject.store.statistics().count
                    let expected = min(number + 1, 10)
                    try expect(count == expected, "After \(number + 1) writes the store should hold \(expected) records, but holds \(count).")
                }
                let statistics = try await subject.store.statistics()
                try expect(statistics.maximumCount == 10, "statistics() should state the limit of 10 records.")
                try expect(statistics.evictions == 40, "40 records should count as evicted, but \(statistics.evictions) do.")
            },
            Check("the limit by bytes holds after every write", maximumBytes: byteLimit) { subject in
                for number in 0..<100 {
                    let record = subject.record(number, byteCount: 1_000 + number * 97 % 7_000)
                    try await subject.store.insert(record, forKey: RecordKey("\(number % 80)"))
                    subject.time.advance(by: .seconds(60))
                    let bytes = try await subject.store.statistics().bytes
                    try expect(bytes <= byteLimit, "At most \(byteLimit) bytes should be held, but the store holds \(bytes).")
                    try expect(bytes >= record.payload.count, "The bytes held should include the newest payload, but are \(bytes).")
                    try await subject.expectRecord(record, forKey: RecordKey("\(number % 80)"), "Right after its write")
                }
                let statistics = try await subject.store.statistics()
                try expect(statistics.maximumBytes == byteLimit, "statistics() should state the limit of \(byteLimit) bytes.")
                try expect(statistics.evictions > 0, "Records should have been evicted, but none have.")
                try expect(statistics.count > 1, "A store should not evict more than it must, but holds \(statistics.count) records.")
            },
            Check("the least recently used record leaves first", maximumCount: 3) { subject in
                for key: RecordKey in ["a", "b", "c"] {
                    try await subject.store.insert(subject.record(1), forKey: key)
                    subject.time.advance(by: .seconds(60))
                }
                _ = try await subject.store.record(forKey: "a")
                subject.time.advance(by: .seconds(60))
                try await subject.store.insert(subject.record(2), forKey: "d")
                let survivor = try await subject.store.record(forKey: "a")
                try expect(survivor != nil, "The record that was read last should survive, but has been evicted.")
                let victim = try await subject.store.record(forKey: "b")
                try expect(victim == nil, "The record that was not used for longest should be evicted, but is still there.")
                let newcomer = try await subject.store.record(forKey: "d")
                try expect(newcomer != nil, "The newcomer should be kept, but has been evicted.")
            },
            Check("a record that can never fit is refused and takes only its key's older record along", maximumBytes: byteLimit) { subject in
                try await subject.store.insert(subject.record(1), forKey: "key")
                try await subject.store.insert(subject.record(2), forKey: "other")
                try await expect(.recordTooLarge, from: "A write of a record larger than the store") { () async throws(StoreError) in
                    try await subject.store.insert(subject.record(3, byteCount: byteLimit), forKey: "key")
                }
                try await subject.expectRecord(nil, forKey: "key", "After a refused write of the key")
                try await subject.expectRecord(subject.record(2), forKey: "other", "After a refused write of another key")
                let statistics = try await subject.store.statistics()
                try expect(statistics.refusals == 1, "One refusal should be counted, but \(statistics.refusals) are.")
                try expect(statistics.evictions == 0, "Nothing should be evicted for a record that is refused.")
                try expect(statistics.insertions == 2, "A refused write should not count as an insertion.")
            },
        ]
    }

    private static let byteLimit = 128 * 1024
}
