// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardObservability
import HoardTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

/// The reports of a `TieredCache` to its observers, as they arrive in metrics, logs and traces.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheObservationTests {
    private let emissions = Emissions()
    private let time = ManualTicker()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private func cache(
        stores: [any RecordStore],
        maximumCount: Int = 100,
        change: (inout CachePolicy) -> Void = { _ in }
    ) -> TieredCache<String, String> {
        TieredCache(
            name: "users",
            configuration: .init(maximumCount: maximumCount, policy: CachePolicy(freshFor: .seconds(60)).with(change)),
            stores: StoreStack(stores, ticker: time, observer: emissions.observer),
            codec: .string,
            clock: time,
            ticker: time,
            observer: emissions.observer
        )
    }

    @Test func aMissALoadAndAHitAreThreeFacts() async throws {
        let users = cache(stores: [MemoryStore(name: "disk", clock: time)])
        _ = await users.value(forKey: "a")
        _ = try await users.value(forKey: "a") { _ in "value" }
        _ = try await users.value(forKey: "a") { _ in "another" }

        #expect(
            emissions.factory.lines("cache.requests") == [
                "cache.requests{cache=users, tier=loader, result=loaded} 1",
                "cache.requests{cache=users, tier=memory, result=hit} 1",
                "cache.requests{cache=users, tier=none, result=miss} 1",
            ]
        )
        #expect(emissions.factory.lines("cache.loads") == ["cache.loads{cache=users, outcome=value} 1"])
        #expect(
            emissions.factory.lines("cache.store.calls") == [
                "cache.store.calls{store=disk, operation=read, outcome=notFound} 2",
                "cache.store.calls{store=disk, operation=write, outcome=done} 1",
            ]
        )
    }

    @Test func aHitInAStoreIsCountedUnderItsName() async {
        let disk = MemoryStore(name: "disk", clock: time)
        await cache(stores: [disk]).insert("value", forKey: "a")
        #expect(await cache(stores: [disk]).value(forKey: "a") == "value")

        #expect(emissions.factory.lines("cache.requests") == ["cache.requests{cache=users, tier=disk, result=hit} 1"])
    }

    @Test func callersThatShareALoadAreManyRequestsAndOneLoad() async throws {
        let users = cache(stores: [])
        let gate = Gate()
        async let first = users.value(forKey: "a") { _ in
            await gate.pass()
            return "value"
        }
        await gate.arrivals(1)
        async let second = users.value(forKey: "a") { _ in
            await gate.pass()
            return "value"
        }
        gate.open()
        _ = try await (first, second)

        #expect(emissions.factory.counterTotal(label: "cache.requests") == 2)
        #expect(emissions.factory.lines("cache.loads") == ["cache.loads{cache=users, outcome=value} 1"])
    }

    @Test func staleNegativeAndFailedAnswersAreToldApart() async throws {
        let users = cache(stores: []) { policy in
            policy.staleIfError = .seconds(3_600)
            policy.negativeFor = .seconds(10)
        }
        await users.insert("value", forKey: "a")
        time.advance(by: .seconds(90))
        _ = try await users.value(forKey: "a") { _ in throw Failure(description: "down") }
        _ = try? await users.value(forKey: "b") { _ in throw Failure(description: "down") }
        for _ in 0..<2 { _ = try await users.valueIfExists(forKey: "c") { _ in .absent() } }

        #expect(
            emissions.factory.lines("cache.requests") == [
                "cache.requests{cache=users, tier=memory, result=stale} 1",
                "cache.requests{cache=users, tier=none, result=failed} 1",
                "cache.requests{cache=users, tier=none, result=miss} 1",
                "cache.requests{cache=users, tier=none, result=negative} 1",
            ]
        )
        #expect(
            emissions.factory.lines("cache.loads") == ["cache.loads{cache=users, outcome=absent} 1", "cache.loads{cache=users, outcome=failed} 2"]
        )
    }

    @Test func whatLeavesMemoryIsCountedByCause() async {
        let users = cache(stores: [], maximumCount: 1_000)
        for number in 0..<3_000 { await users.insert("value", forKey: "\(number)") }
        await users.insert("value", forKey: "2999")
        await users.removeValue(forKey: "2999")

        let evictions = emissions.factory.counterTotal(label: "cache.evictions", dimensions: [("cause", "size")])
        #expect(evictions == Int64(users.memoryStatistics.evictions) && evictions > 1_000)
        #expect(emissions.factory.counterTotal(label: "cache.evictions", dimensions: [("cause", "explicit")]) == 1)
    }

    @Test func loadsAndCallsOfStoresAreSpansOfTheRequest() async throws {
        let users = cache(stores: [MemoryStore(name: "disk", clock: time)])
        let tracer = emissions.tracer
        _ = try await tracer.withSpan("request") { _ in
            try await users.value(forKey: "a") { _ in tracer.withSpan("query") { _ in "value" } }
        }
        await users.flush()

        let spans = Dictionary(tracer.finishedSpans.map { ($0.operationName, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(Set(spans.keys) == ["request", "cache.store.read", "cache.load", "query", "cache.store.write"])
        #expect(spans["cache.load"]?.parentSpanID == spans["request"]?.spanID)
        #expect(spans["cache.store.read"]?.parentSpanID == spans["request"]?.spanID)
        #expect(spans["query"]?.parentSpanID == spans["cache.load"]?.spanID)
        #expect(Set(tracer.finishedSpans.map(\.traceID)).count == 1)
    }

    @Test func aStoreThatFailsIsSeenEverywhere() async throws {
        let store = FaultyStore(MemoryStore(name: "disk", clock: time))
        let users = cache(stores: [store])
        store.fail()
        for number in 0..<20 { _ = try await users.value(forKey: "\(number)") { _ in "value" } }

        #expect(emissions.factory.counterTotal(label: "cache.store.calls", dimensions: [("operation", "read"), ("outcome", "failed")]) > 0)
        #expect(emissions.factory.counterTotal(label: "cache.store.calls", dimensions: [("operation", "read"), ("outcome", "skipped")]) > 0)
        #expect(emissions.factory.lines("cache.circuit") == ["cache.circuit{store=disk} 1"])
        #expect(emissions.handler.entries.filter { $0.level >= .info }.map(\.message) == ["Cache store is failing"])
        let span = try #require(emissions.tracer.finishedSpans.first { $0.operationName == "cache.store.read" })
        #expect(span.status?.code == .error)
        #expect(emissions.factory.lines("cache.requests") == ["cache.requests{cache=users, tier=loader, result=loaded} 20"])
    }

    @Test func noKeyTagOrValueIsSentOut() async throws {
        let store = FaultyStore(MemoryStore(name: "disk", clock: time))
        let users = cache(stores: [store]) { $0.staleIfError = .seconds(3_600) }
        let (key, tag, value) = ("planted-key", "planted-tag", "planted-value")

        for isFailing in [false, true] {
            if isFailing { store.fail() }
            _ = try? await users.value(forKey: key) { key in throw Failure(description: "no \(key)") }
            _ = try await users.valueIfExists(forKey: key) { _ in .value(value, tags: [tag], validator: "planted-validator") }
            await users.insert(value, forKey: key, tags: [tag])
            _ = await users.values(forKeys: [key, "planted-key-2"])
            _ = await users.lookup(forKey: key)
            await users.markStale(taggedWith: tag)
            _ = try? await users.value(forKey: key) { key in throw Failure(description: "no \(key)") }
            await users.removeValues(taggedWith: tag)
            await users.removeValue(forKey: key)
            await users.removeAll()
        }

        let text = emissions.text
        #expect(!text.contains("planted"), "\(text.split(separator: "\n").filter { $0.contains("planted") })")
        for expected in ["cache.requests{cache=users", "Cache store is failing", "cache.store.remove", "Failure"] {
            #expect(text.contains(expected), "\(expected) is missing")
        }
    }
}
