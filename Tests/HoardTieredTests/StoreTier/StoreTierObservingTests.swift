// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// The calls that an observer is told of.
@Suite(.timeLimit(.minutes(5))) struct StoreTierObservingTests {
    private let fixture = StoreTierFixture(.init(failuresToOpen: 3))
    private var store: ScriptedStore { fixture.store }
    private var observer: CallObserver { fixture.observer }

    @Test func everyCallIsToldAndEnclosed() async {
        await fixture.insert(1, "a")
        _ = await fixture.read("a")
        _ = await fixture.read("b")
        _ = await fixture.tier.records(forKeys: ["a", "b"])
        _ = await fixture.tier.records(forKeys: ["b", "c", "d"])
        await fixture.markStale("a", "b")
        await fixture.remove("a", "b", "c")
        await fixture.removeTagged("x", "y")
        await fixture.tier.removeAll {}
        #expect(
            observer.calls == [
                "write 1 done", "read 1 found", "read 1 notFound", "read 2 found", "read 3 notFound", "remove 2 done", "remove 3 done",
                "remove 1 done", "remove 1 done",
            ]
        )
        #expect(
            observer.enclosedCalls == [
                "scripted write 1", "scripted read 1", "scripted read 1", "scripted read 2", "scripted read 3", "scripted remove 2",
                "scripted remove 3", "scripted remove 1", "scripted remove 1",
            ]
        )
    }

    @Test func failuresAreToldWithTheirErrors() async {
        store.fail("insert", "record", with: .full)
        await fixture.insert(1, "a")
        _ = await fixture.read("a")
        #expect(observer.calls == ["write 1 failed full", "remove 1 done", "read 1 failed full"])
    }

    @Test func refusedRecordIsNoFailure() async {
        store.fail("insert", with: .recordTooLarge)
        await fixture.insert(1, "a")
        #expect(observer.calls == ["write 1 done recordTooLarge"])
    }

    @Test func slowCallsAreToldAtTheDeadlineAndOnlyThen() async throws {
        let gate = store.hold()
        let fixture = fixture
        let operations: [@Sendable () async -> Void] = [
            { _ = await fixture.read("a") }, { await fixture.insert(1, "a") }, { await fixture.removeTagged("x") },
        ]
        for operation in operations {
            let task = Task { await operation() }
            await gate.arrivals(observer.calls.count + 1)
            fixture.ticker.advance(by: .seconds(1))
            await task.value
        }
        #expect(observer.calls == ["read 1 timedOut 1.0 seconds", "write 1 timedOut 1.0 seconds", "remove 1 timedOut 1.0 seconds"])
        gate.open()
        try await waitUntil { fixture.tier.health.overdueCalls == 0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(observer.calls.count == 3)
    }

    @Test func skippedCallsAreToldAndNotEnclosed() async {
        fixture.put(1, "a")
        store.fail("remove")
        await fixture.remove("a")
        store.heal()
        observer.forget()
        _ = await fixture.read("a")
        _ = await fixture.tier.records(forKeys: ["a", "b", "c"])
        #expect(observer.calls == ["read 1 skipped", "read 1 skipped", "read 2 notFound"])
        store.fail()
        for _ in 0..<3 { _ = await fixture.read("b") }
        observer.forget()
        _ = await fixture.read("b")
        await fixture.insert(1, "c")
        await fixture.remove("c", "d")
        await fixture.removeTagged("x")
        #expect(observer.calls == ["read 1 skipped", "write 1 skipped", "remove 2 skipped", "remove 1 skipped"])
        #expect(observer.enclosedCalls.isEmpty)
    }

    @Test func replaysAreTold() async throws {
        store.fail("remove")
        await fixture.remove("a")
        store.heal()
        observer.forget()
        fixture.ticker.advance(by: .seconds(2))
        try await waitUntil { observer.calls == ["remove 1 done"] }
        #expect(observer.enclosedCalls == ["scripted remove 1"])
    }

    @Test func listingsAreTold() async throws {
        let memory = MemoryStore()
        let tier = StoreTier(store: memory, configuration: .init(), ticker: fixture.ticker, observer: observer) { _ in }
        _ = await tier.page(after: nil, limit: 10)
        try await memory.insert(StoreTierFixture.record(1), forKey: "a")
        _ = await tier.page(after: nil, limit: 10)
        _ = await tier.peek(forKey: "a")
        _ = await tier.peek(forKey: "b")
        #expect(observer.calls == ["read 1 notFound", "read 1 found", "read 1 found", "read 1 notFound"])
    }

    @Test func withoutAnObserverEverythingWorks() async {
        let tier = StoreTier(store: store, configuration: .init(), ticker: fixture.ticker, observer: nil) { _ in }
        await tier.insert([.init(key: "a", record: StoreTierFixture.record(1)) { .wanted }])
        guard case .record = await tier.record(forKey: "a") else {
            Issue.record("The record was not found.")
            return
        }
    }

    @Test func eventsSayWhatHappenedAndNameNoKeys() async throws {
        let texts = Shared<[String]>([])
        let ticker = ManualTicker()
        let tier = StoreTier(store: store, configuration: .init(failuresToOpen: 2, maximumJournalCount: 1), ticker: ticker, observer: nil) { event in
            texts.update { $0.append(event.description) }
        }
        store.fail()
        await tier.remove([.init(key: "secret") { .wanted }])
        await tier.removeRecords(taggedWith: ["private"]) {}
        store.heal()
        ticker.advance(by: .seconds(2))
        // The tier reports an event after the change that it is about can be seen.
        try await waitUntil { tier.health.isSound && texts.value.contains("The scripted store has answered and is used again.") }
        #expect(
            Set(texts.value) == [
                "The scripted store failed to remove and is passed by: The script says so.",
                "The scripted store fails again and again; it is left alone for 2.0 seconds.",
                "The scripted store has missed more invalidations than are remembered; nothing is read from it until it has been emptied.",
                "The scripted store works again.",
                "The scripted store has answered and is used again.",
            ]
        )
    }
}
