// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct StoreStackTests {
    private let near = ScriptedStore(name: "near")
    private let far = ScriptedStore(name: "far")
    private let ticker = ManualTicker()

    private final class EventObserver: CacheObserver {
        let kinds = Shared<[TieredCacheEvent.Kind]>([])
        func eventOccurred(_ event: TieredCacheEvent) { kinds.update { $0.append(event.kind) } }
    }

    @Test func configurationHasTheDocumentedDefaults() {
        let configuration = StoreStack.Configuration()
        #expect(configuration.deadline == .seconds(1))
        #expect(configuration.failuresToOpen == 5)
        #expect(configuration.openFor == .seconds(2))
        #expect(configuration.maximumOpenFor == .seconds(60))
        #expect(configuration.maximumJournalCount == 10_000)
        #expect(configuration.retryAfter == .seconds(2))
        #expect(configuration == StoreStack.Configuration())
    }

    @Test func contradictionsAreRefused() async {
        await #expect(processExitsWith: .failure) { _ = StoreStack.Configuration(deadline: .zero) }
        await #expect(processExitsWith: .failure) { _ = StoreStack.Configuration(failuresToOpen: 0) }
        await #expect(processExitsWith: .failure) { _ = StoreStack.Configuration(openFor: .seconds(3), maximumOpenFor: .seconds(2)) }
        await #expect(processExitsWith: .failure) { _ = StoreStack.Configuration(retryAfter: .zero) }
        await #expect(processExitsWith: .failure) { _ = StoreStack.Configuration(maximumJournalCount: -1) }
    }

    @Test func healthIsThatOfEachStore() async {
        let stack = StoreStack([near, far], configuration: .init(failuresToOpen: 2), ticker: ticker)
        #expect(stack.health.map(\.store) == ["near", "far"])
        #expect(stack.health.map(\.isSound) == [true, true])
        far.fail()
        for _ in 0..<2 { await stack.tiers[1].remove([.init(key: "a") { .wanted }]) }
        let health = stack.health
        #expect(health[0] == StoreHealth(store: "near"))
        #expect(health[1].circuit == .open)
        #expect(health[1].failures == 2)
        #expect(health[1].pendingInvalidations == 1)
        #expect(health[1].circuit.description == "open")
        #expect(!health[1].isInvalid && !health[1].isSound)
    }

    @Test func consecutiveFailuresAreCounted() async {
        let stack = StoreStack([near], ticker: ticker)
        near.fail()
        for _ in 0..<3 { _ = await stack.tiers[0].record(forKey: "a") }
        #expect(stack.health[0].consecutiveFailures == 3)
        near.heal()
        _ = await stack.tiers[0].record(forKey: "a")
        #expect(stack.health[0].consecutiveFailures == 0)
        #expect(stack.health[0].failures == 3)
    }

    @Test func oneNamespaceIsRemovedByOneCallOfEachStore() async {
        let stack = StoreStack([near, far], ticker: ticker)
        for store in [near, far] {
            store.put(StoreTierFixture.record(1, tags: ["\u{0}users"]), forKey: "a")
            store.put(StoreTierFixture.record(1, tags: ["\u{0}orders"]), forKey: "b")
        }
        await stack.removeNamespace("users")
        for store in [near, far] {
            #expect(store.calls.count == 1)
            #expect(store.records.keys.map(\.description) == ["b"])
        }
    }

    @Test func eventsGoToTheObserverAndTheFunction() async {
        let observer = EventObserver()
        let kinds = Shared<[TieredCacheEvent.Kind]>([])
        let stack = StoreStack([near], configuration: .init(failuresToOpen: 1), ticker: ticker, observer: observer) { event in
            kinds.update { $0.append(event.kind) }
        }
        near.fail()
        _ = await stack.tiers[0].record(forKey: "a")
        #expect(kinds.value == [.storeFailed, .circuitOpened])
        #expect(observer.kinds.value == kinds.value)
    }

    @Test func closingClosesTheStoresOnce() async {
        let stack = StoreStack([near, far], ticker: ticker)
        await stack.close()
        await stack.close()
        #expect(near.calls == ["close()"] && far.calls == ["close()"])
    }

    @Test func stackMayBeEmpty() async {
        let stack = StoreStack([])
        #expect(stack.health.isEmpty)
        await stack.removeNamespace("users")
        await stack.close()
    }
}
