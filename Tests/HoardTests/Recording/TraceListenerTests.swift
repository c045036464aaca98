// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

@Suite("TraceListener", .timeLimit(.minutes(5)))
struct TraceListenerTests {
    private final class Audience: Sendable {
        let batches = Mutex<[TraceListener.Batch]>([])
        var events: [TraceEvent] { batches.withLock { $0.flatMap(\.events) } }
        func take(_ batch: TraceListener.Batch) { batches.withLock { $0.append(batch) } }
    }

    private let time = ManualTicker()
    private let audience = Audience()

    @Test func aListenerGetsWhatTheFileGets() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "some.trace")
        let recorder = try CacheTraceRecorder(path: path, ticker: time, clock: time)
        _ = recorder.addListener(share: 1, audience.take)
        let cache = Cache<Int, Int>(maximumCount: 1_000, expiration: .afterWrite(.seconds(60)), ticker: time)
        cache.recordAccesses(with: recorder)
        for key in 0..<20_000 {
            if cache.value(forKey: key % 3_000) == nil { cache.insert(key, forKey: key % 3_000) }
            if key % 1_000 == 0 { time.advance(by: .milliseconds(10)) }
        }
        cache.removeAll()
        try recorder.finish()
        #expect(audience.events == (try RecordedTrace(path: path).events))
        audience.batches.withLock { batches in
            #expect(batches.allSatisfy { $0.events.count <= TraceListener.maximumCount })
            #expect(batches.map(\.isLast) == batches.indices.map { $0 == batches.count - 1 })
            #expect(zip(batches, batches.dropFirst()).allSatisfy { $0.now <= $1.now })
        }
    }

    @Test func aRecorderNeedsNoFile() throws {
        let recorder = CacheTraceRecorder(listenedShare: 0.25, ticker: time)
        #expect(recorder.sampledShare(1) == 0.25)
        _ = recorder.addListener(share: 1, audience.take)
        for _ in 0..<2 { for key in 0..<8_000 { recorder.record(CacheAccess(.hit), forKey: key) } }
        try recorder.finish()
        let counts = Dictionary(audience.events.map { ($0.key, 1) }, uniquingKeysWith: +)
        #expect((1_800...2_200).contains(counts.count))
        #expect(counts.values.allSatisfy { $0 == 2 })
        #expect(recorder.statistics == CacheTraceRecorder.Statistics())
    }

    @Test func aListenerHasWholeKeysOfASmallerShare() throws {
        let recorder = CacheTraceRecorder(listenedShare: 1, ticker: time)
        let number = recorder.addListener(share: 0.1, audience.take)
        for _ in 0..<2 { for key in 0..<8_000 { recorder.record(CacheAccess(.hit), forKey: key) } }
        try recorder.flush()
        let counts = Dictionary(audience.events.map { ($0.key, 1) }, uniquingKeysWith: +)
        #expect((700...900).contains(counts.count))
        #expect(counts.values.allSatisfy { $0 == 2 })
        recorder.removeListener(number)
        recorder.record(CacheAccess(.hit), forKey: 1)
        try recorder.finish()
        #expect(audience.events.count == counts.count * 2)
    }

    @Test func whatIsLostIsTold() throws {
        var configuration = CacheTraceRecorder.Configuration()
        configuration.maximumPendingBytes = 0
        let recorder = CacheTraceRecorder(listenedShare: 1, configuration: configuration, ticker: time)
        _ = recorder.addListener(share: 1, audience.take)
        for key in 0..<100_000 { recorder.record(CacheAccess(.hit), forKey: key) }
        try recorder.finish()
        let lost = audience.batches.withLock { $0.reduce(0) { $0 + $1.lost } }
        #expect(lost > 0)
        #expect(audience.events.count + lost == 100_000)
        #expect(recorder.statistics.lost == lost)
    }
}
