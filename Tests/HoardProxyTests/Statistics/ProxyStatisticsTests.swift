// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardTesting
import Testing

@testable import HoardProxy

@Suite("ProxyStatistics", .timeLimit(.minutes(1)))
struct ProxyStatisticsTests {
    private let time = ManualTicker()

    private func makeStatistics(cacheByteCount: Int = 1 << 20, configure: (inout ProxyStatistics.Configuration) -> Void = { _ in }) -> ProxyStatistics
    {
        var configuration = ProxyStatistics.Configuration(version: "1.2.3", cacheByteCount: cacheByteCount)
        configure(&configuration)
        return ProxyStatistics(configuration, hasher: fixedHasher(), ticker: time, wallClock: time)
    }

    @Test func theJSONHasAllThatTheDashboardReads() throws {
        let statistics = makeStatistics()
        for _ in 0..<3 { statistics.record(get("/a", outcome: .miss, tier: .origin)) }
        let snapshot = statistics.snapshot(
            .init(
                memory: .init(bytes: 1, limit: 2, entries: 3),
                disk: .init(bytes: 4, limit: nil, entries: 5),
                evictions: .init(memory: .init(capacity: 1, expired: 2, removed: 3, replaced: 4), disk: .init(capacity: 1, expired: 2)),
                connections: .init(open: 1, limit: 10, accepted: 5),
                origins: [.init(name: "origin", servers: [.init(url: "http://localhost", state: "healthy")])],
                accessLog: .init(written: 3, dropped: 0, lost: 0)
            )
        )
        let data = try JSONEncoder().encode(snapshot)
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let expected: Set = [
            "time", "uptimeSeconds", "version", "requests", "bytes", "latency", "memory", "disk", "process", "evictions", "connections", "origins",
            "history", "longHistory",
            "hottest", "largest", "missRatioCurve", "accessLog",
        ]
        #expect(Set(json.keys) == expected)
        func keys(_ value: Any?) -> Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
        func first(_ value: Any?) -> Any? { (value as? [Any])?.first }
        let requests = json["requests"] as? [String: Any]
        #expect(keys(requests) == ["total", "byOutcome", "byStatus", "refused"])
        #expect(
            keys(requests?["byOutcome"]) == [
                "hit", "staleHit", "validatedHit", "collapsedHit", "miss", "generated", "failure", "bypass", "abandoned",
            ]
        )
        #expect(keys(requests?["byStatus"]) == ["1xx", "2xx", "3xx", "4xx", "5xx"])
        #expect(keys(json["bytes"]) == ["served", "fromOrigin", "saved"])
        let latency = json["latency"] as? [String: Any]
        #expect(keys(latency) == ["memory", "store", "origin", "none"])
        #expect(keys(latency?["origin"]) == ["count", "p50", "p90", "p99", "p999", "max"])
        #expect(keys(first(json["history"])) == ["time", "seconds", "requests", "hits", "bytes", "bytesFromOrigin", "p50", "p99", "errors"])
        #expect(keys(first(json["hottest"])) == ["uri", "requests", "bytes"])
        #expect(keys(first(json["largest"])) == ["uri", "bytes"])
        let curve = json["missRatioCurve"] as? [String: Any]
        #expect(keys(curve) == ["sampleRate", "sampledRequests", "points", "currentBytes", "currentMissRatio"])
        #expect(keys(first(curve?["points"])) == ["bytes", "missRatio"])
        let server = keys(first((first(json["origins"]) as? [String: Any])?["servers"]))
        #expect(server.isSuperset(of: ["url", "state", "requests", "failures", "inProgress", "connections"]))
        #expect(try JSONDecoder().decode(ProxyStatistics.Snapshot.self, from: data) == snapshot)
    }

    @Test func nothingIsZeroAndHasNoCurve() {
        let snapshot = makeStatistics().snapshot()
        #expect(snapshot.requests.total == 0)
        #expect(snapshot.history.count == 1)
        #expect(snapshot.missRatioCurve == nil)
        #expect(snapshot.hottest.isEmpty && snapshot.largest.isEmpty)
        #expect(snapshot.latency.memory.max == 0)
        #expect(snapshot.memory == nil)
    }

    @Test func requestsOfManyThreadsAreAllCounted() async {
        let statistics = makeStatistics()
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<200 {
                        statistics.record(
                            get("/\(worker)/\(step % 20)", bytes: 10, outcome: step < 20 ? .miss : .hit, tier: step < 20 ? .origin : .memory)
                        )
                        if step % 100 == 0 { _ = statistics.snapshot() }
                    }
                }
            }
        }
        let snapshot = statistics.snapshot()
        #expect(snapshot.requests.total == 1_600)
        #expect(snapshot.requests.byOutcome["hit"] == 1_440)
        #expect(snapshot.requests.byStatus["2xx"] == 1_600)
        #expect(snapshot.bytes == .init(served: 16_000, fromOrigin: 1_600, saved: 14_400))
        #expect(snapshot.latency.memory.count == 1_440 && snapshot.latency.origin.count == 160)
        #expect(snapshot.missRatioCurve?.sampledRequests == 1_600)
        #expect(snapshot.missRatioCurve?.currentMissRatio == 0.1)
    }

    @Test func latenciesAreToldByTierInMicroseconds() {
        let statistics = makeStatistics()
        statistics.record(report(outcome: .hit, tier: .memory, firstByte: .microseconds(50)))
        statistics.record(report(outcome: .hit, tier: .store, firstByte: .milliseconds(2)))
        statistics.record(report(.invalid, status: 400, outcome: nil, firstByte: .seconds(1)))
        let latency = statistics.snapshot().latency
        #expect(abs(latency.memory.p50 - 50) < 1 && latency.memory.max == 50)
        #expect(abs(latency.store.p999 - 2_000) < 40 && latency.store.max == 2_000)
        #expect(latency.none.count == 1 && latency.none.max == 1_000_000)
        #expect(latency.origin.count == 0)
    }

    @Test func historyMovesOnByItself() async throws {
        let statistics = makeStatistics()
        let running = Task { await statistics.run() }
        for second in 1...12 {
            statistics.record(get("/a"))
            await time.sleepers(1)
            time.advance(by: .seconds(1))
            // The window is closed by the task that keeps the history, not by looking.
            if second % 5 == 0 { await time.sleepers(1) }
        }
        let snapshot = statistics.snapshot()
        #expect(snapshot.history.map(\.requests) == [5, 5, 2])
        #expect(snapshot.history.map(\.seconds) == [5, 5, 2])
        #expect(snapshot.history.map(\.time) == [1_700_000_000, 1_700_000_005, 1_700_000_010])
        #expect(snapshot.longHistory?.map(\.requests) == [12])
        #expect(snapshot.uptimeSeconds == 12)
        let event = snapshot.withNewestHistory()
        #expect(event.history == [snapshot.history[2]])
        #expect(event.longHistory == nil)
        running.cancel()
        await running.value
    }

    @Test func popularityIsThatOfTheLastMinutes() {
        let statistics = makeStatistics()
        for _ in 0..<10 { statistics.record(get("/a", bytes: 7)) }
        #expect(statistics.snapshot().hottest == [.init(uri: "/a", requests: 10, bytes: 70)])
        for _ in 0..<2 {
            time.advance(by: .seconds(300))
            statistics.advance()
        }
        #expect(statistics.snapshot().hottest.isEmpty)
        #expect(statistics.snapshot().largest == [.init(uri: "/a", bytes: 7)])
        #expect(statistics.snapshot(.init(largest: [.init(uri: "/b", bytes: 9)])).largest == [.init(uri: "/b", bytes: 9)])
    }

    @Test func theCurveAnswersWhatACacheOfTwiceTheSizeWouldMiss() throws {
        // 200 objects of 1,000 bytes with an overhead of 24 in a loop: all miss below 204,800 bytes, and none from there on.
        let statistics = makeStatistics(cacheByteCount: 150_000) { $0.overheadPerEntry = 24 }
        for round in 0..<50 {
            for key in 0..<200 { statistics.record(get("/\(key)", bytes: 1_000, outcome: .miss, tier: .origin)) }
            if round % 10 == 0 { _ = statistics.snapshot() }
        }
        let curve = try #require(statistics.snapshot().missRatioCurve)
        #expect(curve.currentBytes == 150_000 && curve.currentMissRatio == 1)
        #expect(curve.points.count == 41)
        #expect(curve.points.first?.bytes == 150_000 / 64 + 1 && curve.points.last?.bytes == 150_000 * 16)
        #expect(curve.points.contains { $0.bytes == 300_000 } && curve.points.contains { $0.bytes == 75_000 })
        for point in curve.points { #expect(point.missRatio == (point.bytes < 204_800 ? 1 : 0.02), "\(point.bytes)") }
        statistics.cacheByteCount = 300_000
        #expect(statistics.snapshot().missRatioCurve?.currentBytes == 300_000)
    }

    @Test func theSameTargetOnTwoHostsIsOneURLOrTwo() throws {
        let statistics = makeStatistics()
        func ask() {
            for host in ["a.example", "b.example"] {
                statistics.record(
                    report(.head(HTTPRequest(method: .get, scheme: "http", authority: host, path: "/x")), outcome: .miss, tier: .origin)
                )
            }
        }
        ask()
        #expect(statistics.snapshot().hottest.map(\.uri) == ["/x"])
        statistics.distinguishesHosts = true
        ask()
        #expect(Set(statistics.snapshot().hottest.map(\.uri)) == ["/x", "http://a.example/x", "http://b.example/x"])
    }

    @Test func whatIsNotStoredDoesNotBendTheCurve() throws {
        let statistics = makeStatistics()
        for _ in 0..<10 {
            statistics.record(report(outcome: .miss, tier: .origin, isStored: false))
            statistics.record(report(outcome: .bypass, tier: .origin))
        }
        #expect(statistics.snapshot().missRatioCurve == nil)
        #expect(statistics.snapshot().requests.total == 20)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 1_000, .max])
    func sizesOfACurveAreInOrderWhateverTheCacheHas(size: Int) {
        let statistics = makeStatistics(cacheByteCount: size)
        statistics.record(get("/a", outcome: .miss, tier: .origin))
        let points = statistics.snapshot().missRatioCurve?.points ?? []
        #expect(!points.isEmpty)
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.bytes < $1.bytes })
        #expect(points.allSatisfy { $0.bytes > 0 && (0...1).contains($0.missRatio) })
    }

    @Test func aClockThatIsSetBackBendsOnlyTheLabels() {
        let statistics = makeStatistics()
        statistics.record(get("/a"))
        time.advance(by: .seconds(5))
        statistics.advance()
        time.setWallClock(to: Date(timeIntervalSince1970: 1_000))
        statistics.record(get("/a"))
        time.advance(by: .seconds(5))
        let snapshot = statistics.snapshot()
        #expect(snapshot.history.map(\.requests) == [1, 1, 0])
        #expect(snapshot.history.map(\.time) == [1_700_000_000, 1_700_000_005, 1_005])
        #expect(snapshot.time == 1_005 && snapshot.uptimeSeconds == 10)
    }

    @Test func memoryIsBoundedWhateverIsAskedFor() {
        let statistics = makeStatistics { $0.sampledObjectCount = 256 }
        for step in 0..<3_000 {
            statistics.record(get("/\(step)?" + String(repeating: "x", count: 3_000), bytes: step, outcome: .miss, tier: .origin))
        }
        for shard in statistics.shards {
            shard.withState { state in
                #expect(state.sampled.count < StatisticsShard.batchCount)
                let (hottest, largest) = (state.popularity.hottest, state.popularity.largest)
                #expect(hottest.0.counters.count <= PopularURLs.hottestCapacity && hottest.1.counters.isEmpty)
                #expect(hottest.0.counters.allSatisfy { $0.uri.utf8.count <= RequestIdentity.maximumTargetByteCount + 3 })
                #expect(largest.0.entries.count <= PopularURLs.largestCapacity)
            }
        }
        #expect(statistics.estimator.flush { $0.count } <= 256)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm"), "there is no /proc")) func theSystemIsAskedForTheProcess() throws {
        let descriptors = (0..<200).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        let count = try #require(ProcessFigures.openFileCount())
        for descriptor in descriptors { close(descriptor) }
        // Other tests open and close files meanwhile, and nobody knows how many. These are open for the whole time.
        #expect(count >= 200)
        // Nobody else has a directory of the test's own, in which an entry stands for the descriptor that reads it.
        let directory = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for number in 0...200 { #expect(FileManager.default.createFile(atPath: "\(directory)/\(number)", contents: nil)) }
        #expect(ProcessFigures.openFileCount(in: directory) == 200)
        #expect(try #require(ProcessFigures.residentBytes()) > 1 << 20)
        let process = makeStatistics().snapshot().process
        #expect(process.residentBytes != nil && process.openFiles != nil)
    }
}
