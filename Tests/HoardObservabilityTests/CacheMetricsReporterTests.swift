// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Hoard
import HoardObservability
import HoardTesting
import MetricsTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CacheMetricsReporterTests {
    private let factory = TestMetrics()
    private let time = ManualTicker()
    private var reporter: CacheMetrics.Reporter { CacheMetrics.Reporter(CacheMetrics(factory: factory), ticker: time) }

    struct Failure: Error {}

    @Test func aCacheIsReportedByWhatItHasCounted() async {
        let reporter = reporter
        let cache = Cache<String, Int>(maximumCount: 2, expiration: .afterWrite(.seconds(60)), ticker: time)
        reporter.register(cache, as: "numbers")
        cache["a"] = 1
        _ = cache.value(forKey: "a")
        _ = cache.value(forKey: "a")
        _ = cache.value(forKey: "b")
        _ = try? await cache.value(forKey: "c") { _ in throw Failure() }
        _ = try? await cache.value(forKey: "d") { _ in 4 }

        await reporter.report()

        #expect(
            factory.lines == [
                "cache.entries{cache=numbers} 2",
                "cache.loads{cache=numbers, outcome=failed} 1",
                "cache.loads{cache=numbers, outcome=value} 1",
                "cache.requests{cache=numbers, tier=memory, result=hit} 2",
                "cache.requests{cache=numbers, tier=none, result=miss} 3",
            ]
        )
    }

    @Test func aSecondReportCountsWhatIsNew() async throws {
        let reporter = reporter
        let cache = Cache<String, Int>(maximumCount: 2)
        cache["a"] = 1
        _ = cache.value(forKey: "a")
        reporter.register(cache, as: "numbers")
        await reporter.report()
        await reporter.report()
        _ = cache.value(forKey: "a")
        await reporter.report()

        let hits = try factory.expectCounter("cache.requests", [("cache", "numbers"), ("tier", "memory"), ("result", "hit")])
        #expect(hits.values == [1, 1])
    }

    @Test func negativeEntriesEvictionsAndExpirationsAreReported() async throws {
        let reporter = reporter
        let cache = Cache<Int, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: time)
        reporter.register(cache, as: "numbers")
        _ = try await cache.valueIfExists(forKey: 0) { _ in .absent(expiresAfter: .seconds(10)) }
        _ = cache.value(forKey: 0)
        for key in 1...300 { cache.insert(key, forKey: key) }
        time.advance(by: .seconds(120))
        for key in 1...300 { _ = cache.value(forKey: key) }
        await reporter.report()

        let statistics = cache.statistics
        #expect(statistics.evictions > 0 && statistics.expirations > 0)
        #expect(factory.counterTotal(label: "cache.requests", dimensions: [("result", "negative"), ("tier", "none")]) == 1)
        #expect(factory.counterTotal(label: "cache.evictions", dimensions: [("cause", "size")]) == Int64(statistics.evictions))
        #expect(factory.counterTotal(label: "cache.evictions", dimensions: [("cause", "expired")]) == Int64(statistics.expirations))
    }

    @Test func aCacheWithALimitByWeightReportsItsWeight() async {
        let reporter = reporter
        let cache = Cache<String, String>(configuration: .init(maximumWeight: 1_000, weigher: { _, value in value.utf8.count }))
        reporter.register(cache, as: "pages")
        cache["a"] = String(repeating: "x", count: 123)
        await reporter.report()
        #expect(factory.lines == ["cache.bytes{cache=pages} 123", "cache.entries{cache=pages} 1"])
    }

    @Test func aCacheThatHasGoneIsReportedAsEmptyOnce() async throws {
        let reporter = reporter
        var cache: Cache<String, Int>? = Cache(maximumCount: 2)
        cache?["a"] = 1
        if let cache { reporter.register(cache, as: "numbers") }
        await reporter.report()
        cache = nil
        await reporter.report()
        await reporter.report()

        #expect(try factory.expectGauge("cache.entries", [("cache", "numbers")]).values == [1, 0])
    }

    @Test func aCacheThatGoesDuringAReportIsReportedAsEmptyByTheNext() async {
        let factory = DroppingFactory()
        let reporter = CacheMetrics.Reporter(CacheMetrics(factory: factory), ticker: time)
        factory.makeCache { cache in
            cache[1] = 1
            reporter.register(cache, as: "numbers")
        }
        for _ in 0..<3 { await reporter.report() }
        #expect(factory.recorded == [1, 0])
    }

    @Test func aTieredCacheReportsTheSizeOfItsMemory() async {
        let reporter = reporter
        let cache = TieredCache<String, String>(
            configuration: .init(maximumWeight: 1_000, weigher: { _, value in value.utf8.count }),
            stores: [],
            codec: .string
        )
        reporter.register(cache, as: "pages")
        await cache.insert("four", forKey: "a")
        await cache.insert("four", forKey: "b")
        await reporter.report()
        #expect(factory.lines == ["cache.bytes{cache=pages} 8", "cache.entries{cache=pages} 2"])
    }

    @Test func aStoreReportsWhatItHolds() async throws {
        let reporter = reporter
        let store = MemoryStore(name: "disk")
        reporter.register(store)
        let cache = TieredCache<String, String>(configuration: .init(maximumCount: 10), stores: [store], codec: .string)
        await cache.insert("value", forKey: "a")
        await reporter.report()

        let bytes = try await store.statistics().bytes
        #expect(factory.lines == ["cache.store.bytes{store=disk} \(bytes)", "cache.store.entries{store=disk} 1"])
    }

    @Test func aStoreThatCannotSayKeepsItsLastFigures() async throws {
        let reporter = reporter
        let store = FaultyStore(MemoryStore(name: "disk"))
        reporter.register(store)
        await reporter.report()
        store.fail(.statistics)
        await reporter.report()
        store.heal()
        await reporter.report()
        #expect(try factory.expectGauge("cache.store.entries", [("store", "disk")]).values == [0, 0])
    }

    @Test func itReportsNowAtEveryIntervalAndWhenItIsCancelled() async throws {
        let reporter = reporter
        let cache = Cache<String, Int>(maximumCount: 10)
        reporter.register(cache, as: "numbers")
        let running = Task { await reporter.run(every: .seconds(10)) }

        await time.sleepers(1)
        cache["a"] = 1
        time.advance(by: .seconds(9))
        #expect(try factory.expectGauge("cache.entries", [("cache", "numbers")]).values == [0])
        time.advance(by: .seconds(1))
        await time.sleepers(1)
        #expect(try factory.expectGauge("cache.entries", [("cache", "numbers")]).values == [0, 1])
        cache["b"] = 2
        running.cancel()
        await running.value
        #expect(try factory.expectGauge("cache.entries", [("cache", "numbers")]).values == [0, 1, 2])
    }

    @Test func theLastReportAsksStoresThatRefuseCancelledTasks() async throws {
        let reporter = reporter
        let store = FaultyStore(MemoryStore(name: "disk"))
        store.setScript { _ in Task.isCancelled ? .fail(StoreError(.unavailable, "The task was cancelled.")) : .pass }
        reporter.register(store)
        let running = Task { await reporter.run(every: .seconds(10)) }
        await time.sleepers(1)
        running.cancel()
        await running.value
        #expect(try factory.expectGauge("cache.store.entries", [("store", "disk")]).values == [0, 0])
    }

    @Test func reportsAtTheSameTimeCountNothingTwice() async {
        let reporter = reporter
        let cache = Cache<Int, Int>(maximumCount: 10)
        reporter.register(cache, as: "numbers")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for key in 0..<100 {
                        _ = cache.value(forKey: key)
                        await reporter.report()
                    }
                }
            }
        }
        #expect(factory.counterTotal(label: "cache.requests") == 400)
    }
}

/// A factory that keeps a cache until one of its gauges is told a value.
private final class DroppingFactory: MetricsFactory, RecorderHandler {
    private let cache = Mutex<Cache<Int, Int>?>(nil)
    private let values = Mutex<[Int64]>([])
    var recorded: [Int64] { values.withLock { $0 } }

    func makeCache(_ use: (Cache<Int, Int>) -> Void) {
        let new = Cache<Int, Int>(maximumCount: 2)
        use(new)
        cache.withLock { $0 = new }
    }

    func record(_ value: Int64) {
        values.withLock { $0.append(value) }
        _ = cache.withLock { $0.take() }
    }

    func record(_ value: Double) {}

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { self }
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { NOOPMetricsHandler.instance }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
