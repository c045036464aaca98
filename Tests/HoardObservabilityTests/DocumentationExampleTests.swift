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
import Testing

/// The examples of the module's doc comments, run. Each of their lines stands here too; a test checks that.
@Suite(.timeLimit(.minutes(5))) struct DocumentationExampleTests {
    struct User: Codable, Equatable {
        let id: String
    }

    private let factory = TestMetrics()
    private let disk = MemoryStore(name: "disk")

    @Test func metricsObserveACache() async throws {
        try await withMetricsFactory(factory) {
            let metrics = CacheMetrics()
            let users = TieredCache<String, User>(
                configuration: .init(maximumCount: 10_000, policy: CachePolicy(freshFor: .seconds(60))),
                stores: [disk],
                codec: .json,
                observer: metrics
            )
            let user = try await users.value(forKey: "42") { id in User(id: id) }
            #expect(user == User(id: "42"))
        }
        #expect(factory.lines("cache.loads") == ["cache.loads{cache=default, outcome=value} 1"])
    }

    @Test func aReporterRunsUntilItIsCancelled() async {
        let metrics = CacheMetrics(factory: factory)
        let sessions = Cache<String, Int>(maximumCount: 10)
        let disk = disk
        let running = Task {
            let reporter = CacheMetrics.Reporter(metrics)
            reporter.register(sessions, as: "sessions")
            reporter.register(disk)
            await reporter.run(every: .seconds(10))
        }
        running.cancel()
        await running.value
        #expect(factory.lines("cache.entries") == ["cache.entries{cache=sessions} 0"])
    }

    @Test func observersAreCombined() async throws {
        let tracer = InMemoryTracer()
        var logger = Logger(label: "users")
        logger.logLevel = .notice
        do {
            let observer = CacheObservers(CacheMetrics(), CacheLogger(logger), CacheTracer(tracer))
            #expect(try await observer.withLoad(cache: "users") { 42 } == 42)
        }
        do {
            let observer = CacheLogger(logger)
            #expect(observer.interval == .seconds(60))
        }
        do {
            let observer = CacheTracer(tracer)
            #expect(try await observer.withLoad(cache: "users") { 42 } == 42)
        }
        #expect(tracer.finishedSpans.map(\.operationName) == ["cache.load", "cache.load"])
    }

    @Test func everyLineOfTheExamplesIsRunHere() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let tests = squeezed(try String(contentsOfFile: #filePath, encoding: .utf8))
        let folder = root.appendingPathComponent("Sources/HoardObservability").resolvingSymlinksInPath().path
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            let source = try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
            var isExample = false
            for line in source.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                if line == "/// ```swift" || line == "/// ```" {
                    isExample = line == "/// ```swift"
                } else if isExample {
                    count += 1
                    #expect(tests.contains(squeezed(String(line.dropFirst(4)))), "not run: \(line) (\(path))")
                }
            }
        }
        #expect(count > 10)
    }

    /// The text without runs of spaces, so that only the words count.
    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
