// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FaultyStoreScriptTests {
    private let time = ManualTicker()
    private let base: MemoryStore
    private let store: FaultyStore
    private let record: Record

    init() {
        base = MemoryStore(clock: time)
        store = FaultyStore(base, ticker: time)
        record = Record(payload: Data([1]), created: time.now())
    }

    @Test func aDelayBeforeTheWorkHoldsTheWorkBack() async throws {
        store.setScript { _ in .init(delay: .seconds(1)) }
        let write = Task { [store, record] in try await store.insert(record, forKey: "a") }
        await time.sleepers(1)
        #expect(time.nextDeadline == 1_000_000_000)
        #expect(try await base.record(forKey: "a") == nil)
        time.advance(by: .seconds(1))
        try await write.value
        #expect(try await base.record(forKey: "a") != nil)
    }

    @Test func aDelayAfterTheWorkHoldsTheAnswerBack() async throws {
        store.setScript { _ in .init(delayAfterwards: .seconds(1), errorAfterwards: StoreError(.unavailable, "Lost.")) }
        let write = Task { [store, record] in try await store.insert(record, forKey: "a") }
        await time.sleepers(1)
        #expect(try await base.record(forKey: "a") != nil)
        time.advance(by: .seconds(1))
        #expect((await error(of: { try await write.value }) as? StoreError)?.code == .unavailable)
    }

    @Test func aCancelledCallWaitsNoLonger() async throws {
        store.setScript { _ in .init(delay: .seconds(1)) }
        let write = Task { [store, record] in try await store.insert(record, forKey: "a") }
        await time.sleepers(1)
        write.cancel()
        try await write.value
        #expect(time.nanoseconds() == 0)
        #expect(try await base.record(forKey: "a") != nil)
    }

    @Test func delaysMayBeLongerThanTime() async throws {
        time.advance(by: .seconds(1))
        store.setScript { _ in .init(delay: .seconds(Int64.max)) }
        let read = Task { [store] in try await store.record(forKey: "a") }
        await time.sleepers(1)
        #expect(time.nextDeadline == .max)
        read.cancel()
        _ = try await read.value
    }

    @Test func aPartialFailureDoesTheFirstRecords() async throws {
        let keys: [RecordKey] = ["a", "b", "c"]
        store.setScript { _ in .init(partialError: StoreError(.unavailable, "Half."), partialCount: 2) }
        let write = await error(of: { try await store.insert(["c": record, "a": record, "b": record]) })
        #expect((write as? StoreError)?.code == .unavailable)
        #expect(Set(try await base.records(forKeys: keys).keys) == ["a", "b"])
        #expect(await error(of: { try await store.removeRecords(forKeys: ["b", "x", "a"]) }) is StoreError)
        #expect(Set(try await base.records(forKeys: keys).keys) == ["a"])
        // The script does not concern a call for one record.
        try await store.insert(record, forKey: "c")
        #expect(try await base.record(forKey: "c") != nil)
    }

    /// The fates of the first hundred reads.
    private func fates(_ script: @escaping FaultyStore.Script) async -> [String] {
        let answers = Shared<[String]>([])
        store.setScript { call in
            let behavior = script(call)
            answers.update { answers in
                answers.append(
                    "\(behavior.delay) \(behavior.error == nil) \(behavior.partialCount) \(behavior.delayAfterwards) \(behavior.errorAfterwards == nil)"
                )
            }
            return .pass
        }
        for _ in 0..<100 { _ = try? await store.record(forKey: "a") }
        return answers.value
    }

    @Test func theSameSeedMeansTheSameFates() async {
        let first = await fates(FaultyStore.seededScript(seed: 5))
        #expect(Set(first).count > 20)
        // The numbers of the calls go on in the same store. A new store begins again.
        #expect(await FaultyStoreScriptTests().fates(FaultyStore.seededScript(seed: 5)) == first)
        #expect(await FaultyStoreScriptTests().fates(FaultyStore.seededScript(seed: 6)) != first)
    }

    @Test func ratesAreKept() async throws {
        let counts = Shared<[String: Int]>([:])
        let script = FaultyStore.seededScript(
            seed: 1,
            rates: .init(errorBefore: 0.1, errorAfterwards: 0.3, partial: 0.5, delayBefore: 0.2, delayAfterwards: 0.7, delays: .zero ... .seconds(1))
        )
        store.setScript { call in
            let behavior = script(call)
            counts.update { counts in
                if behavior.error != nil { counts["errorBefore", default: 0] += 1 }
                if behavior.errorAfterwards != nil { counts["errorAfterwards", default: 0] += 1 }
                if behavior.partialError != nil { counts["partial", default: 0] += 1 }
                if behavior.delay > .zero { counts["delayBefore", default: 0] += 1 }
                if behavior.delayAfterwards > .zero { counts["delayAfterwards", default: 0] += 1 }
                if max(behavior.delay, behavior.delayAfterwards) > .seconds(1) { counts["too long", default: 0] += 1 }
            }
            return .pass
        }
        for _ in 0..<10_000 { _ = try await store.record(forKey: "a") }
        let expected = ["errorBefore": 1_000, "errorAfterwards": 3_000, "partial": 5_000, "delayBefore": 2_000, "delayAfterwards": 7_000]
        for (fault, count) in expected {
            // Six standard deviations at most.
            #expect(abs(counts.value[fault, default: 0] - count) < 300, "\(fault)")
        }
        #expect(counts.value["too long"] == nil)
    }

    @Test func anOutageFailsEightCallsInARow() async {
        store.setScript(
            FaultyStore.seededScript(seed: 3, rates: .init(errorBefore: 0, errorAfterwards: 0, delayBefore: 0, delayAfterwards: 0, outages: 0.5))
        )
        var failed: [Bool] = []
        for _ in 0..<807 { failed.append(await error(of: { try await store.record(forKey: "a") }) != nil) }
        // The first block has only seven calls, because calls are numbered from 1.
        let blocks = stride(from: 7, to: 807, by: 8).map { Set(failed[$0..<($0 + 8)]) }
        #expect(blocks.allSatisfy { $0.count == 1 })
        #expect((30...70).contains(blocks.count { $0 == [true] }))
    }

    @Test func callsThatAreNeverAnsweredWaitUntilTheGateIsOpened() async throws {
        let healing = Gate()
        let rates = FaultyStore.FaultRates(errorBefore: 0, errorAfterwards: 0, partial: 0, delayBefore: 0, delayAfterwards: 0, never: 0.5)
        store.setScript(FaultyStore.seededScript(seed: 4, rates: rates, until: healing))
        let answered = Counter()
        let calls = (0..<100).map { number in
            Task { [store, record] in
                try await store.insert(record, forKey: RecordKey("\(number)"))
                answered.increment()
            }
        }
        try await waitUntil { answered.value + healing.arrivalCount == 100 }
        #expect((20...80).contains(healing.arrivalCount))
        // Some of the calls that wait have done their work.
        let done = try await base.statistics().count
        #expect(done > answered.value && done < 100)
        for call in calls { call.cancel() }
        store.heal()
        try await store.insert(record, forKey: "healed")
        #expect(answered.value + healing.arrivalCount == 100)
        healing.open()
        for call in calls { try await call.value }
        #expect(try await base.statistics().count == 101)
    }

    @Test func answersComeOutOfOrder() async throws {
        store.setScript(FaultyStore.seededScript(seed: 8, rates: .init(errorBefore: 0, errorAfterwards: 0, partial: 0, delayAfterwards: 1)))
        let order = Shared<[Int]>([])
        try await SeededExecutor(seed: 1, time: time).run { [store] in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        _ = try? await store.record(forKey: "a")
                        order.update { $0.append(number) }
                    }
                }
            }
        }
        #expect(order.value.sorted() == Array(0..<20))
        #expect(order.value != order.value.sorted())
        #expect(time.nanoseconds() > 0)
    }
}
