// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Hoard
import HoardObservability
import MetricsTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CacheMetricsTests {
    private let factory = TestMetrics()

    @Test func requestsAreCountedByCacheTierAndResult() {
        let metrics = CacheMetrics(factory: factory)
        for _ in 0..<3 { metrics.requestAnswered(.hit, tier: .memory, cache: "users") }
        metrics.requestAnswered(.hit, tier: .store("disk"), cache: "users")
        metrics.requestAnswered(.loaded, tier: .loader, cache: "users")
        metrics.requestAnswered(.failed, tier: nil, cache: "users")
        metrics.requestAnswered(.hit, tier: .memory, cache: "books")

        #expect(
            factory.lines == [
                "cache.requests{cache=books, tier=memory, result=hit} 1",
                "cache.requests{cache=users, tier=disk, result=hit} 1",
                "cache.requests{cache=users, tier=loader, result=loaded} 1",
                "cache.requests{cache=users, tier=memory, result=hit} 3",
                "cache.requests{cache=users, tier=none, result=failed} 1",
            ]
        )
    }

    @Test func everyResultHasAMetricOfItsOwn() {
        let metrics = CacheMetrics(factory: factory)
        for result in CacheRequestResult.all { metrics.requestAnswered(result, tier: .memory, cache: "users") }

        #expect(
            factory.lines("cache.requests")
                == CacheRequestResult.all.map { "cache.requests{cache=users, tier=memory, result=\($0)} 1" }.sorted()
        )
    }

    @Test func loadsAreCountedAndTimedByOutcome() throws {
        let metrics = CacheMetrics(factory: factory)
        metrics.loadEnded(.value, duration: .milliseconds(20), cache: "users")
        metrics.loadEnded(.value, duration: .milliseconds(30), cache: "users")
        metrics.loadEnded(.failed, duration: .seconds(2), cache: "users")

        #expect(factory.lines("cache.loads") == ["cache.loads{cache=users, outcome=failed} 1", "cache.loads{cache=users, outcome=value} 2"])
        let timer = try factory.expectTimer("cache.load.duration", [("cache", "users"), ("outcome", "value")])
        #expect(timer.values == [20_000_000, 30_000_000])
    }

    @Test func entriesThatLeaveMemoryAreCountedByCause() {
        let metrics = CacheMetrics(factory: factory)
        metrics.entriesRemoved(.size, count: 7, cache: "users")
        metrics.entriesRemoved(.expired, count: 2, cache: "users")
        metrics.entriesRemoved(.size, count: 1, cache: "users")

        #expect(factory.lines == ["cache.evictions{cache=users, cause=expired} 2", "cache.evictions{cache=users, cause=size} 8"])
    }

    @Test func callsOfStoresAreCountedAndTimed() throws {
        let metrics = CacheMetrics(factory: factory)
        let read = CacheStoreCall(store: "disk", operation: .read, recordCount: 5)
        metrics.storeCallEnded(read, outcome: .found, error: nil, duration: .milliseconds(1))
        metrics.storeCallEnded(read, outcome: .failed, error: StoreError(.corrupt, "Damaged."), duration: .milliseconds(2))
        metrics.storeCallEnded(CacheStoreCall(store: "redis", operation: .remove), outcome: .done, error: nil, duration: .milliseconds(3))

        #expect(
            factory.lines("cache.store.calls") == [
                "cache.store.calls{store=disk, operation=read, outcome=failed} 1",
                "cache.store.calls{store=disk, operation=read, outcome=found} 1",
                "cache.store.calls{store=redis, operation=remove, outcome=done} 1",
            ]
        )
        #expect(try factory.expectTimer("cache.store.duration", [("store", "disk"), ("operation", "read")]).values == [1_000_000, 2_000_000])
    }

    @Test func aCallThatWasNotMadeIsCountedButNotTimed() {
        let metrics = CacheMetrics(factory: factory)
        metrics.storeCallEnded(CacheStoreCall(store: "disk", operation: .read), outcome: .skipped, error: nil, duration: .zero)

        #expect(factory.lines("cache.store.calls") == ["cache.store.calls{store=disk, operation=read, outcome=skipped} 1"])
        #expect(factory.timers.isEmpty)
    }

    @Test func aCircuitIsClosedUntilItIsOpened() throws {
        let metrics = CacheMetrics(factory: factory)
        metrics.storeCallEnded(CacheStoreCall(store: "disk", operation: .read), outcome: .found, error: nil, duration: .zero)
        #expect(factory.lines("cache.circuit") == ["cache.circuit{store=disk} 0"])

        metrics.eventOccurred(TieredCacheEvent(.circuitOpened, store: "disk"))
        metrics.storeCallEnded(CacheStoreCall(store: "disk", operation: .read), outcome: .skipped, error: nil, duration: .zero)
        #expect(factory.lines("cache.circuit") == ["cache.circuit{store=disk} 1"])

        metrics.eventOccurred(TieredCacheEvent(.circuitClosed, store: "disk"))
        #expect(factory.lines("cache.circuit") == ["cache.circuit{store=disk} 0"])
    }

    @Test func aCircuitThatOpensDuringTheFirstCallIsOpen() {
        let hooked = HookedFactory(factory)
        let metrics = CacheMetrics(factory: hooked)
        hooked.beforeNextGauge { metrics.eventOccurred(TieredCacheEvent(.circuitOpened, store: "disk")) }
        metrics.storeCallEnded(CacheStoreCall(store: "disk", operation: .read), outcome: .failed, error: nil, duration: .zero)
        #expect(factory.lines("cache.circuit") == ["cache.circuit{store=disk} 1"])
    }

    @Test func namesBeyondTheLimitShareALabel() {
        let metrics = CacheMetrics(factory: factory, maximumNameCount: 2)
        for number in 1...5 {
            metrics.requestAnswered(.hit, tier: .memory, cache: "cache\(number)")
            metrics.storeCallEnded(CacheStoreCall(store: "store\(number)", operation: .read), outcome: .found, error: nil, duration: .zero)
        }

        #expect(
            factory.lines("cache.requests") == [
                "cache.requests{cache=cache1, tier=memory, result=hit} 1",
                "cache.requests{cache=cache2, tier=memory, result=hit} 1",
                "cache.requests{cache=other, tier=memory, result=hit} 3",
            ]
        )
        #expect(factory.lines("cache.store.calls").map { $0.suffix(2) } == [" 3", " 1", " 1"])
    }

    @Test func storesWithoutEndBelowOneCacheShareALabel() {
        let metrics = CacheMetrics(factory: factory)
        for number in 1...1_000 { metrics.requestAnswered(.hit, tier: .store("store\(number)"), cache: "users") }

        #expect(factory.counters.count == 65)
        #expect(factory.counterTotal(label: "cache.requests") == 1_000)
        #expect(factory.counterTotal(label: "cache.requests", dimensions: [("tier", "other")]) == 936)
    }

    @Test func metricsAreMadeOnceForALabelSet() {
        let counting = CountingFactory()
        let metrics = CacheMetrics(factory: counting)
        for _ in 0..<100 {
            metrics.requestAnswered(.hit, tier: .memory, cache: "users")
            metrics.loadEnded(.value, duration: .zero, cache: "users")
            metrics.entriesRemoved(.size, count: 1, cache: "users")
            metrics.storeCallEnded(CacheStoreCall(store: "disk", operation: .read), outcome: .found, error: nil, duration: .zero)
        }
        // The metrics are requests, loads with their timer, evictions, calls with their timer, and the circuit.
        #expect(counting.madeCount == 7)
    }

    @Test func withoutAFactoryTheOneOfTheTaskIsUsed() {
        let metrics = withMetricsFactory(factory) { CacheMetrics() }
        metrics.requestAnswered(.hit, tier: .memory, cache: "users")
        #expect(factory.lines.count == 1)
    }

    @Test func manyThreadsLoseNoCount() async {
        let metrics = CacheMetrics(factory: factory)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<500 { metrics.requestAnswered(.hit, tier: .memory, cache: "cache\((number + task) % 7)") }
                }
            }
        }
        #expect(factory.counterTotal(label: "cache.requests") == 2_000)
        #expect(factory.counters.count == 7)
    }
}

/// A factory that has something happen while it makes a gauge.
private final class HookedFactory: MetricsFactory {
    private let base: TestMetrics
    private let hook = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: TestMetrics) { self.base = base }

    func beforeNextGauge(_ action: @escaping @Sendable () -> Void) { hook.withLock { $0 = action } }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        hook.withLock { $0.take() }?()
        return base.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { base.makeCounter(label: label, dimensions: dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { base.makeTimer(label: label, dimensions: dimensions) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// A factory that counts the metrics that it makes.
private final class CountingFactory: MetricsFactory {
    private let made = Mutex(0)
    var madeCount: Int { made.withLock { $0 } }

    private func make() -> NOOPMetricsHandler {
        made.withLock { $0 += 1 }
        return .instance
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { make() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { make() }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { make() }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
