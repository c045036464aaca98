// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Foundation
import Hoard
import HoardObservability
import HoardTesting
import InMemoryTracing
import Logging
import MetricsTestKit
import Synchronization
import Testing
import Tracing

/// The examples of `docs/observability.md`, run. Each line of its Swift blocks stands here too; a test checks that.
@Suite(.timeLimit(.minutes(5))) struct ObservabilityGuideTests {
    struct User: Codable, Equatable {
        let id: String
    }

    struct Database {
        func user(_ id: String) async throws -> User { User(id: id) }
    }

    private let factory = TestMetrics()

    @Test func anObserverIsGivenToStacksAndCaches() async throws {
        let tracer = InMemoryTracer()
        let disk = MemoryStore(name: "disk")
        let database = Database()
        let id = "42"
        try await withMetricsFactory(factory) {
            let metrics = CacheMetrics()
            let observer = CacheObservers(metrics, CacheLogger(Logger(label: "cache")), CacheTracer(tracer))

            let stores = StoreStack([disk], observer: observer)
            let users = TieredCache<String, User>(
                name: "users",
                configuration: .init(maximumCount: 10_000, freshFor: .seconds(300)),
                stores: stores,
                codec: .json,
                observer: observer
            )

            let user = try await users.value(forKey: id) { id in
                try await tracer.withSpan("database.user") { _ in try await database.user(id) }
            }
            #expect(user == User(id: "42"))
        }

        #expect(factory.lines("cache.requests") == ["cache.requests{cache=users, tier=loader, result=loaded} 1"])
        let spans = Dictionary(tracer.finishedSpans.map { ($0.operationName, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(spans["database.user"]?.parentSpanID == spans["cache.load"]?.spanID)
    }

    @Test func aReporterIsGivenWhatHasToBeAsked() async {
        let metrics = CacheMetrics(factory: factory)
        let sessions = Cache<String, Int>(maximumCount: 10)
        let disk = MemoryStore(name: "disk")
        let users = TieredCache<String, User>(configuration: .init(maximumCount: 10), stores: [disk], codec: .json)
        sessions["a"] = 1
        _ = sessions["a"]
        await users.insert(User(id: "42"), forKey: "42")

        let reporter = CacheMetrics.Reporter(metrics)
        reporter.register(sessions, as: "sessions")  // a Cache: size, requests, loads, evictions
        reporter.register(users, as: "users")  // a TieredCache: the size of its memory tier
        reporter.register(disk)  // a store: records and bytes

        let reporting = Task { await reporter.run(every: .seconds(10)) }

        reporting.cancel()
        await reporting.value
        #expect(factory.lines("cache.entries") == ["cache.entries{cache=sessions} 1", "cache.entries{cache=users} 1"])
        #expect(factory.lines("cache.store.entries") == ["cache.store.entries{store=disk} 1"])
        #expect(factory.lines("cache.requests") == ["cache.requests{cache=sessions, tier=memory, result=hit} 1"])
    }

    struct StaleAlarm: CacheObserver {
        let ring: @Sendable (String) -> Void

        func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {
            if result == .stale { ring(cache) }
        }
    }

    @Test func anObserverOfOnesOwnNeedsNoMoreThanWhatItWants() async throws {
        let time = ManualTicker()
        let journal = RecordingObserver.Journal()
        var policy = CachePolicy(freshFor: .seconds(60))
        policy.staleIfError = .seconds(3_600)
        let users = TieredCache<String, User>(
            configuration: .init(maximumCount: 10, policy: policy),
            stores: [],
            codec: .json,
            clock: time,
            ticker: time,
            observer: StaleAlarm { journal.write($0) }
        )
        await users.insert(User(id: "42"), forKey: "42")
        time.advance(by: .seconds(90))
        let user = try await users.value(forKey: "42") { _ in throw CancellationError() }

        #expect(user == User(id: "42"))
        #expect(journal.lines == ["default"])
    }

    @Test func everyLineOfTheGuidesExamplesIsRunHere() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: root.appendingPathComponent("docs/observability.md"), encoding: .utf8)
        let source = squeezed(try String(contentsOfFile: #filePath, encoding: .utf8))
        let blocks = guide.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        try #require(blocks.count == 4)
        for line in blocks.flatMap({ $0.split(separator: "\n") }) where !line.hasPrefix("import ") {
            #expect(source.contains(squeezed(String(line))), "not run: \(line)")
        }
    }

    @Test func everyMetricAndEveryWordOfALabelIsInTheGuide() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: root.appendingPathComponent("docs/observability.md"), encoding: .utf8)
        let metrics = CacheMetrics(factory: factory)
        for result in CacheRequestResult.all { metrics.requestAnswered(result, tier: nil, cache: "users") }
        for outcome in [CacheLoadOutcome.value, .notModified, .absent, .failed, .cancelled] {
            metrics.loadEnded(outcome, duration: .zero, cache: "users")
        }
        for operation in [CacheStoreCall.Operation.read, .write, .remove] {
            for outcome in [CacheStoreOutcome.found, .notFound, .done, .failed, .timedOut, .skipped] {
                metrics.storeCallEnded(CacheStoreCall(store: "disk", operation: operation), outcome: outcome, error: nil, duration: .zero)
            }
        }
        for cause in [RemovalCause.size, .expired, .replaced, .explicit] { metrics.entriesRemoved(cause, count: 1, cache: "users") }

        let labels = factory.counters.flatMap { [($0.label, $0.dimensions)] } + factory.timers.map { ($0.label, $0.dimensions) }
        for (label, dimensions) in labels {
            for word in [label] + dimensions.map(\.0) + dimensions.map(\.1).filter({ $0 != "users" && $0 != "disk" }) {
                #expect(guide.contains("`\(word)`"), "\(word) of \(label)")
            }
        }
        #expect(labels.count > 30)
    }

    /// The text without runs of spaces, so that only the words count.
    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
