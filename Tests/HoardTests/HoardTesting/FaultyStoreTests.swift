// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FaultyStoreTests {
    private let base = MemoryStore(name: "base")
    private let store: FaultyStore
    private let record = Record(payload: Data([1]), created: Date(timeIntervalSince1970: 0), staleUntil: .forever, tags: ["t"])

    init() {
        store = FaultyStore(base)
    }

    /// Calls one operation.
    private func call(_ operation: FaultyStore.Operation) async throws {
        switch operation {
        case .record: _ = try await store.record(forKey: "a")
        case .records: _ = try await store.records(forKeys: ["a", "b"])
        case .insert: try await store.insert(record, forKey: "a")
        case .insertMany: try await store.insert(["a": record, "b": record])
        case .removeMany: try await store.removeRecords(forKeys: ["b", "a"])
        case .markStale: try await store.markRecordStale(forKey: "a", at: record.created)
        case .markTaggedStale: try await store.markRecordsStale(taggedWith: ["t", "u"], at: record.created)
        case .markAllStale: try await store.markAllRecordsStale(at: record.created)
        case .removeRecord: try await store.removeRecord(forKey: "a")
        case .removeTagged: try await store.removeRecords(taggedWith: "t")
        case .removePartition: try await store.removePartition("p")
        case .removeAll: try await store.removeAll()
        default: _ = try await store.statistics()
        }
    }

    @Test(arguments: RecordStoreConformance.checks)
    func passesEverythingOn(_ check: RecordStoreConformance.Check) async throws {
        try await check.run { configuration in
            FaultyStore(
                MemoryStore(
                    maximumCount: configuration.maximumCount,
                    maximumBytes: configuration.maximumBytes,
                    clock: configuration.clock
                )
            )
        }
    }

    @Test(arguments: RecordStoreConformance.immediateChecks)
    func passesReadsAtOnceOn(_ check: RecordStoreConformance.Check) async throws {
        try await check.run { configuration in
            FaultyStore(
                MemoryStore(
                    maximumCount: configuration.maximumCount,
                    maximumBytes: configuration.maximumBytes,
                    clock: configuration.clock
                ),
                answersAtOnce: true
            )
        }
    }

    @Test func readsAtOnceOnlyWhatHasToWaitForNothing() async throws {
        let time = ManualTicker()
        let base = MemoryStore()
        try await base.insert(record, forKey: "a")
        #expect(try FaultyStore(base).immediateRecord(forKey: "a") == .unavailable)
        let store = FaultyStore(base, answersAtOnce: true, ticker: time)
        #expect(try store.immediateRecord(forKey: "b") == .absent)
        store.setScript { _ in .init(delay: .seconds(1)) }
        #expect(try store.immediateRecord(forKey: "a") == .unavailable)
        let gate = store.hold(.record)
        #expect(try store.immediateRecord(forKey: "a") == .unavailable)
        gate.open()
        #expect(store.callCount(.record) == 1)
        store.fail(.record)
        #expect(throws: StoreError.self) { try store.immediateRecord(forKey: "a") }
        store.fail(.record, afterwards: true)
        #expect(throws: StoreError.self) { try store.immediateRecord(forKey: "a") }
        #expect(store.callCount(.record) == 3)
    }

    @Test func nameIsThatOfTheWrappedStoreUnlessGiven() {
        #expect(store.name == "base")
        #expect(FaultyStore(base, name: "other").name == "other")
        #expect(store.invalidations() == nil)
    }

    @Test(arguments: FaultyStore.Operation.all)
    func operationThatIsToldToFailFailsAndNoOther(_ operation: FaultyStore.Operation) async throws {
        try await call(.insert)
        store.fail(operation, with: .full)
        let thrown = await error { try await call(operation) } as? StoreError
        #expect(thrown?.code == .full)
        for other in FaultyStore.Operation.all where other != operation { try await call(other) }
        store.heal()
        try await call(operation)
    }

    @Test(arguments: FaultyStore.Operation.all)
    func callsAreCountedWhateverBecomesOfThem(_ operation: FaultyStore.Operation) async throws {
        try await call(operation)
        store.fail(operation)
        _ = await error { try await call(operation) }
        #expect(store.callCount(operation) == 2)
        #expect(FaultyStore.Operation.all.allSatisfy { $0 == operation || store.callCount($0) == 0 })
    }

    @Test func failureBeforehandLeavesTheWrappedStoreAloneAndOneAfterwardsDoesNot() async throws {
        store.fail(.insert)
        #expect(await error { try await call(.insert) } is StoreError)
        #expect(try await base.record(forKey: "a") == nil)
        store.fail(.insert, afterwards: true)
        #expect(await error { try await call(.insert) } is StoreError)
        #expect(try await base.record(forKey: "a") != nil)
    }

    @Test func withoutNamesEveryOperationFails() async {
        store.fail()
        for operation in FaultyStore.Operation.all {
            #expect(await error { try await call(operation) } is StoreError, "\(operation)")
        }
    }

    @Test func heldOperationWaitsForItsGate() async throws {
        let gate = store.hold(.insert)
        async let written: Void = call(.insert)
        await gate.arrivals(1)
        #expect(try await store.record(forKey: "a") == nil)
        gate.open()
        try await written
        #expect(try await store.record(forKey: "a") != nil)
    }

    @Test func operationHeldAfterwardsHasBeenDone() async throws {
        let gate = store.hold(.insert, afterwards: true)
        async let written: Void = call(.insert)
        await gate.arrivals(1)
        #expect(try await store.record(forKey: "a") != nil)
        gate.open()
        try await written
    }

    @Test func healingDoesNotOpenGates() async throws {
        let gate = store.hold(.record)
        async let read: Void = call(.record)
        await gate.arrivals(1)
        store.heal()
        try await call(.record)
        #expect(gate.arrivalCount == 1)
        gate.open()
        try await read
    }

    @Test func scriptSeesEveryCallAndDecides() async throws {
        let seen = Shared<[String]>([])
        store.setScript { call in
            seen.update { $0.append("\(call.operation) \(call.key?.description ?? "-") \(call.tag ?? "-") \(call.number)") }
            return call.operation == .record && call.number == 2 ? .fail(StoreError(.corrupt, "Scripted.")) : .pass
        }
        try await call(.record)
        #expect((await error { try await call(.record) } as? StoreError)?.code == .corrupt)
        try await call(.record)
        try await call(.removeTagged)
        try await call(.removeAll)
        #expect(seen.value == ["record a - 1", "record a - 2", "record a - 3", "removeTagged - t 1", "removeAll - - 1"])
    }

    @Test func scriptSeesAllKeysAndTagsOfACall() async throws {
        let seen = Shared<[String]>([])
        store.setScript { call in
            let keys = call.operation == .insertMany ? call.keys.map(\.description).sorted() : call.keys.map(\.description)
            seen.update { $0.append("\(call.operation) \(keys.joined(separator: ",")) \(call.tags.sorted().joined(separator: ","))") }
            return .pass
        }
        for operation in [FaultyStore.Operation.records, .insertMany, .removeMany, .markStale, .markTaggedStale, .markAllStale] {
            try await call(operation)
        }
        #expect(seen.value == ["records a,b ", "insertMany a,b ", "removeMany b,a ", "markStale a ", "markTaggedStale  t,u", "markAllStale  "])
    }

    @Test func severalRecordsAreOneCall() async throws {
        try await call(.insertMany)
        #expect(try await store.records(forKeys: ["a", "b"]).count == 2)
        try await call(.markTaggedStale)
        #expect(try await store.record(forKey: "a")?.freshUntil == record.created)
        try await call(.removeMany)
        #expect(try await base.statistics().count == 0)
        #expect(store.callCount(.insertMany) == 1 && store.callCount(.records) == 1 && store.callCount(.removeMany) == 1)
        #expect(store.callCount(.insert) == 0 && store.callCount(.record) == 1 && store.callCount(.removeRecord) == 0)
    }

    @Test func laterSettingsGoBeforeTheScriptAndANewScriptBeforeAll() async throws {
        store.setScript { _ in .fail(StoreError(.corrupt, "Scripted.")) }
        store.fail(.record, with: .full)
        #expect((await error { try await call(.record) } as? StoreError)?.code == .full)
        #expect((await error { try await call(.insert) } as? StoreError)?.code == .corrupt)
        store.setScript { _ in .pass }
        try await call(.record)
    }

    @Test func behaviorCanWaitAndThenFail() async throws {
        let gate = Gate()
        store.setScript { _ in .init(gate: gate, error: StoreError(.unavailable, "Scripted.")) }
        async let failure = error { try await call(.insert) }
        await gate.arrivals(1)
        gate.open()
        #expect(await failure is StoreError)
        #expect(try await base.record(forKey: "a") == nil)
    }

    @Test func readsAtOnceByTwoCallersHaveNumbersOfTheirOwn() throws {
        let store = FaultyStore(base, answersAtOnce: true)
        let numbers = Shared<[Int]>([])
        store.setScript { [weak store] call in
            let isFirst = numbers.update { numbers in
                numbers.append(call.number)
                return numbers.count == 1
            }
            // The other caller comes while the script is asked about the first.
            if isFirst { _ = try? store?.immediateRecord(forKey: "b") }
            return .pass
        }
        #expect(try store.immediateRecord(forKey: "a") == .absent)
        #expect(numbers.value == [1, 1, 2])
        #expect(store.callCount(.record) == 2)
    }

    @Test func closeIsCountedAndPassedOnThoughEverythingFails() async {
        store.fail()
        await store.close()
        #expect(store.callCount(.close) == 1)
        #expect((await error { try await base.statistics() } as? StoreError)?.code == .closed)
    }
}
