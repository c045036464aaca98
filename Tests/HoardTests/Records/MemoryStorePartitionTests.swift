// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// A memory store removes exactly the records of a partition. The conformance suite lets a store remove more.
@Suite(.timeLimit(.minutes(5))) struct MemoryStorePartitionTests {
    private let time = ManualTicker()

    private func record(_ number: Int, partition: String?, tags: Set<String> = []) -> Record {
        Record(payload: Data("\(number)".utf8), created: time.now(), staleUntil: .forever, tags: tags, partition: partition)
    }

    @Test func nothingElseGoes() async throws {
        let store = MemoryStore(clock: time)
        try await store.insert(["a": record(1, partition: "ann"), "b": record(2, partition: "bob"), "c": record(3, partition: nil, tags: ["ann"])])
        try await store.removePartition("ann")
        #expect(try await store.record(forKey: "a") == nil)
        #expect(try await store.records(forKeys: ["a", "b", "c"]).mapValues(\.partition) == ["b": "bob", "c": nil])
        try await store.removeRecords(taggedWith: "bob")
        #expect(try await store.record(forKey: "b") != nil)
    }

    @Test func noRecordIsTouchedByARemoval() async throws {
        let store = MemoryStore(clock: time)
        for number in 0..<1_000 { try await store.insert(record(number, partition: "ann"), forKey: RecordKey("\(number)")) }
        try await store.removePartition("ann")
        #expect(try await store.statistics().count == 1_000, "they are dropped when somebody looks")
        #expect(try await store.record(forKey: "7") == nil)
        #expect(try await store.statistics().count == 999)
        #expect(try await store.statistics().evictions == 0)
    }

    @Test func aPartitionsNameIsCharged() async throws {
        let store = MemoryStore(maximumBytes: MemoryStore.overheadBytesPerRecord + 10, clock: time)
        try await store.insert(record(1, partition: "12345678"), forKey: "a")
        await #expect(throws: StoreError.self) { try await store.insert(record(1, partition: "123456789"), forKey: "a") }
        #expect(try await store.statistics().bytes == 0)
    }

    @Test func randomOperationsDoWhatTheyDoInADictionary() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let store = MemoryStore(maximumCount: 20, clock: time)
        var model: [RecordKey: Record] = [:]
        for step in 0..<5_000 {
            let key = RecordKey("\(Int.random(in: 0..<12, using: &generator))")
            let partition = "p\(Int.random(in: 0..<3, using: &generator))"
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<8:
                let new = record(
                    step,
                    partition: Bool.random(using: &generator) ? partition : nil,
                    tags: Bool.random(using: &generator) ? ["p0"] : []
                )
                try await store.insert(new, forKey: key)
                model[key] = new
            case 8:
                try await store.removeRecord(forKey: key)
                model[key] = nil
            case 9:
                try await store.removePartition(partition)
                model = model.filter { $0.value.partition != partition }
            case 10:
                try await store.removeRecords(taggedWith: partition)
                model = model.filter { !$0.value.tags.contains(partition) }
            default:
                #expect(try await store.record(forKey: key)?.payload == model[key]?.payload, "seed \(seed), step \(step)")
            }
        }
    }
}
