// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardModels
import HoardTesting
import Testing

@MainActor @Suite("ObservedMutation", .timeLimit(.minutes(5)))
struct ObservedMutationTests {
    private let fixture = ModelFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    /// A mutation that adds to the value of “a” at the server. The server waits for the fixture's gate.
    private func addition(confirms: Bool = true) -> ObservedMutation<Int, Int> {
        let cache = cache
        let confirmed: (@Sendable (Int) -> Int?)?
        if confirms { confirmed = { output in output } } else { confirmed = nil }
        return ObservedMutation<Int, Int> { [fixture] number in
            let new = try await fixture.load("a") + number
            fixture.set(new, forKey: "a")
            return new
        } changes: { number in
            [.update(cache, forKey: "a", to: { $0.map { $0 + number } }, confirmed: confirmed)]
        }
    }

    private func closeGate() -> Gate {
        let gate = Gate()
        fixture.gate.update { $0 = gate }
        return gate
    }

    @Test func theExpectedValueIsShownAtOnceAndConfirmed() async throws {
        fixture.set(1, forKey: "a")
        await cache.insert(1, forKey: "a", tags: ["t"])
        let model = ObservedValue(cache, forKey: "a", refresh: .never, load: fixture.load)
        model.start()
        let (gate, add) = (closeGate(), addition())
        let call = Task { try await add(5) }
        try await fixture.until { model.value == 6 }
        #expect(add.isRunning)
        gate.open()
        #expect(try await call.value == 6)
        #expect(!add.isRunning)
        #expect(add.output == 6)
        #expect(await cache.value(forKey: "a") == 6)
        // The value has the same labels as before.
        model.stop()
        await cache.removeValues(taggedWith: "t")
        #expect(await cache.value(forKey: "a") == nil)
    }

    @Test func aRefusedChangeIsTakenBack() async throws {
        await cache.insert(1, forKey: "a")
        let model = ObservedValue(cache, forKey: "a", refresh: .never, load: fixture.load)
        model.start()
        defer { model.stop() }
        let (gate, add) = (closeGate(), addition())
        fixture.setAway(true)
        let call = Task { try await add(5) }
        try await fixture.until { model.value == 6 }
        gate.open()
        await #expect(throws: ModelFixture.Unreachable.self) { try await call.value }
        #expect(add.error is ModelFixture.Unreachable)
        try await fixture.until { model.value == 1 }
        #expect(await cache.value(forKey: "a") == 1)
    }

    @Test func whatCameMeanwhileIsNotOverwrittenByTheOldValue() async throws {
        await cache.insert(1, forKey: "a")
        let (gate, add) = (closeGate(), addition())
        fixture.setAway(true)
        let call = Task { try await add(5) }
        try await fixture.until { cache.memoryValue(forKey: "a") == 6 }
        await cache.insert(50, forKey: "a")
        gate.open()
        _ = await call.result
        let lookup = await cache.lookup(forKey: "a")
        #expect(lookup?.value == 50)
        // The value may rest on the change that the server refused.
        #expect(lookup?.isFresh == false)
    }

    @Test func aLoadThatBeganBeforeDoesNotHideTheExpectedValue() async throws {
        await cache.insert(1, forKey: "a")
        fixture.set(1, forKey: "a")
        let loading = Gate()
        let reload = Task { [cache] in
            try await cache.value(forKey: "a", policy: cache.policy.with { $0.skipping = .reads }) { _ in
                await loading.pass()
                return 1
            }
        }
        await loading.arrivals(1)
        let (gate, add) = (closeGate(), addition())
        let call = Task { try await add(5) }
        try await fixture.until { cache.memoryValue(forKey: "a") == 6 }
        loading.open()
        _ = try await reload.value
        #expect(cache.memoryValue(forKey: "a") == 6)
        gate.open()
        _ = try await call.value
    }

    @Test func withoutAnAnswerTheValueIsLoadedAgain() async throws {
        fixture.set(1, forKey: "a")
        await cache.insert(1, forKey: "a")
        let add = addition(confirms: false)
        try await add(5)
        #expect(await cache.lookup(forKey: "a") == nil)
    }

    @Test func aConfirmedValueIsNotStoredAfterItsPartitionWasRemoved() async throws {
        fixture.set(1, forKey: "a")
        await cache.insert(1, forKey: "a", partition: "p")
        let (gate, add) = (closeGate(), addition())
        let call = Task { try await add(5) }
        try await fixture.until { cache.memoryValue(forKey: "a") == 6 }
        await cache.removePartition("p")
        gate.open()
        #expect(try await call.value == 6)
        #expect(await cache.lookup(forKey: "a") == nil)
    }

    @Test func refusedChangesThatRestOnEachOtherAreAllTakenBack() async throws {
        let cache = cache
        for order in [[0, 1], [1, 0]] {
            let gates = [Gate(), Gate()]
            let mutations = gates.map { gate in
                ObservedMutation<Int, Int> { _ in
                    await gate.pass()
                    throw ModelFixture.Unreachable()
                } changes: { number in
                    [.update(cache, forKey: "a", to: { $0.map { $0 + number } })]
                }
            }
            await cache.insert(1, forKey: "a")
            let calls = mutations.map { mutation in Task { try await mutation(10) } }
            try await fixture.until { cache.memoryValue(forKey: "a") == 21 }
            for number in order {
                gates[number].open()
                _ = await calls[number].result
            }
            let value = await cache.lookup(forKey: "a")?.value
            #expect(value == nil || value == 1, "\(order)")
        }
    }

    @Test func aValueThatWasNotThereIsTakenAwayAgain() async throws {
        let cache = cache
        fixture.setAway(true)
        let gate = closeGate()
        let create = ObservedMutation<Int, Int> { [fixture] _ in
            try await fixture.load("a")
        } changes: { number in
            [.update(cache, forKey: "a", to: { _ in number })]
        }
        let call = Task { try await create(3) }
        try await fixture.until { cache.memoryValue(forKey: "a") == 3 }
        gate.open()
        _ = await call.result
        #expect(await cache.lookup(forKey: "a") == nil)
    }

    @Test func tagsAreMarkedAndKeysAreRemovedWhenTheServerAccepts() async throws {
        let cache = cache
        fixture.set(1, forKey: "a")
        await cache.insert(1, forKey: "list", tags: ["lists"])
        await cache.insert(1, forKey: "gone")
        let delete = ObservedMutation<Int, Int> { [fixture] _ in
            try await fixture.load("a")
        } changes: { _ in
            [.markStale(taggedWithAny: ["lists"], in: cache), .remove("gone", from: cache)]
        }
        fixture.setAway(true)
        _ = try? await delete(0)
        #expect(await cache.value(forKey: "list") == 1)
        #expect(await cache.value(forKey: "gone") == 1)
        fixture.setAway(false)
        try await delete(0)
        #expect(await cache.value(forKey: "list") == nil)
        #expect(await cache.value(forKey: "gone") == nil)
    }
}
