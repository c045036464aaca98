// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("CacheTraceRecorder", .timeLimit(.minutes(5)))
struct CacheTraceRecorderTests {
    private let directory: TemporaryDirectory
    private let time = ManualTicker()

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.path(of: "some.trace") }

    private func recorder(_ change: (inout CacheTraceRecorder.Configuration) -> Void = { _ in }) throws -> CacheTraceRecorder {
        var configuration = CacheTraceRecorder.Configuration()
        change(&configuration)
        return try CacheTraceRecorder(path: path, configuration: configuration, ticker: time, clock: time)
    }

    private func events() throws -> [TraceEvent] { try RecordedTrace(path: path).events }

    private func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    private func text(of path: String) throws -> String { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }

    /// The failure comes while the cache hands over its contents: in the call that begins the recording.
    @Test func recordingCanBeEndedByTheFunctionThatIsToldOfItsFailure() async throws {
        let cache = Cache<Int, Int>(maximumCount: 40_000)
        for key in 0..<40_000 { cache.insert(key, forKey: key) }
        try FileManager.default.createDirectory(atPath: directory.path(of: "gone"), withIntermediateDirectories: true)
        var configuration = CacheTraceRecorder.Configuration()
        configuration.maximumFileBytes = 1 << 16
        let told = Counter()
        let recorder = try CacheTraceRecorder(path: directory.path(of: "gone/a.trace"), configuration: configuration, ticker: time, clock: time) {
            _ in
            told.add()
            cache.recordAccesses(with: nil)
        }
        try FileManager.default.removeItem(atPath: directory.path(of: "gone"))
        // The task that writes has looked, and looks no more: it could be the one that writes what there is much of, and is told.
        await time.sleepers(1)
        cache.recordAccesses(with: recorder)
        #expect(told.value == 1)
        #expect(cache.recordingState.withLock { $0.source == nil })
        #expect(recorder.statistics.failure != nil)
        cache.removeValue(forKey: 1)
    }

    @Test func cachesThatAreGoneLeaveNothingInTheirRecorder() throws {
        let recorder = try recorder()
        let count = recorder.output.drainCount
        for _ in 0..<3 { Cache<Int, Int>(maximumCount: 10).recordAccesses(with: recorder) }
        #expect(recorder.output.drainCount == count)
        try recorder.finish()
    }

    @Test func anyNumberOfFilesCanBeAskedFor() throws {
        for count in [Int.max, .min] {
            let recorder = try recorder { $0.fileCount = count }
            try recorder.finish()
        }
    }

    @Test func readsAndWritesOfACacheAreRecordedInTheirOrder() throws {
        let recorder = try recorder()
        let cache = Cache<String, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: time)
        cache.recordAccesses(with: recorder)
        #expect(cache.value(forKey: "a") == nil)
        cache.insert(1, forKey: "a")
        #expect(cache.value(forKey: "a") == 1)
        #expect(cache.value(forKey: "b") == nil)
        time.advance(by: .seconds(1))
        try recorder.flush()
        cache.removeValue(forKey: "a")
        cache.removeAll()
        #expect(cache.peek("a") == nil)
        try recorder.finish()

        let events = try events()
        #expect(events.map(\.kind) == [.miss, .write, .hit, .miss, .removal, .removal])
        let (a, b) = (events[0].key, events[3].key)
        #expect(a != b)
        #expect(events.map(\.key) == [a, a, a, b, a, TraceEvent.everything])
        #expect(events[1].details == TraceEvent.Details(lifetime: 60_000))
        #expect(events.map(\.tick) == [0, 0, 0, 0, 100, 100])
        #expect(recorder.statistics.written == 6)
        #expect(recorder.statistics.lost == 0)
        #expect(recorder.statistics.byteCount == (try Data(contentsOf: URL(filePath: path)).count))
    }

    @Test func entriesThatAreThereAreRecordedFirst() throws {
        let cache = Cache<Int, Int>(maximumWeight: 1_000_000) { key, _ in key }
        for key in 1...1_400 { cache.insert(0, forKey: key) }
        let recorder = try recorder()
        cache.recordAccesses(with: recorder)
        #expect(cache.value(forKey: 3) != nil)
        cache.insert(0, forKey: 3, weight: 9)
        try recorder.finish()
        let events = try events()
        let present = events.prefix(1_400)
        #expect(present.allSatisfy { $0.kind == .present })
        #expect(Set(present.map(\.key)).count == 1_400)
        #expect(present.reduce(0) { $0 + ($1.details?.size ?? 0) } == 1_400 * 1_401 / 2)
        #expect(events[1_400...].map(\.kind) == [.hit, .write])
        #expect(present.first { $0.key == events[1_400].key }?.details?.size == 3)
        #expect(events.last?.key == events[1_400].key)
        #expect(events.last?.details?.size == 9)
    }

    @Test func aCacheThatIsDividedGoesOnRecording() throws {
        let recorder = try recorder()
        let cache = Cache<Int, Int>(maximumWeight: 1_000_000) { _, _ in 1 }
        cache.recordAccesses(with: recorder)
        for key in 0..<10_000 { cache.insert(key, forKey: key) }
        for key in 0..<10_000 { #expect(cache.value(forKey: key) == key) }
        try recorder.finish()
        let events = try events()
        #expect(events.count { $0.kind == .write } == 10_000)
        #expect(events.count { $0.kind == .hit } == 10_000)
        #expect(Set(events.map(\.key)).count == 10_000)
    }

    @Test func removalsByTagAreRecorded() throws {
        let recorder = try recorder()
        let cache = Cache<Int, Int>(maximumCount: 10)
        cache.recordAccesses(with: recorder)
        for key in 0..<4 { cache.insert(key, forKey: key, tags: key < 2 ? ["low"] : []) }
        cache.removeValues(taggedWith: "low")
        try recorder.finish()
        let events = try events()
        #expect(Set(events.filter { $0.kind == .removal }.map(\.key)) == Set(events.prefix(2).map(\.key)))
    }

    @Test func removalsByUpdatesAreRecorded() throws {
        let recorder = try recorder()
        let cache = Cache<Int, Int>(maximumCount: 10)
        cache.recordAccesses(with: recorder)
        for key in 0..<3 { cache.insert(key, forKey: key) }
        cache.update(forKey: 0) { _ in nil }
        cache.removeValue(forKey: 1) { _ in true }
        cache.removeValue(forKey: 2) { _ in false }
        cache.update(forKey: 3) { _ in nil }
        try recorder.finish()
        let events = try events()
        #expect(events.filter { $0.kind == .removal }.map(\.key) == events.prefix(2).map(\.key))
    }

    @Test func aCacheStopsRecordingWhenItIsTold() throws {
        let recorder = try recorder()
        let cache = Cache<Int, Int>(maximumCount: 10)
        cache.recordAccesses(with: recorder)
        cache.insert(1, forKey: 1)
        cache.recordAccesses(with: nil)
        for _ in 0..<1_000 { _ = cache.value(forKey: 1) }
        try recorder.finish()
        #expect(try events().map(\.kind) == [.write])
    }

    @Test func theSameKeyHasAnotherPseudonymInAnotherRecording() throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        var keys: [UInt64] = []
        for _ in 0..<2 {
            let recorder = try recorder()
            cache.recordAccesses(with: recorder)
            _ = cache.value(forKey: 1)
            try recorder.finish()
            keys += try events().map(\.key)
        }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 2)
    }

    @Test func aShareOfTheKeysIsRecordedWithAllTheirAccesses() throws {
        let recorder = try recorder { $0.sampledShare = 0.25 }
        let cache = Cache<Int, Int>(maximumCount: 10_000)
        cache.recordAccesses(with: recorder)
        for _ in 0..<3 {
            for key in 0..<8_000 { _ = cache.value(forKey: key) }
        }
        try recorder.finish()
        let trace = try RecordedTrace(path: path)
        #expect(trace.header?.sampledKeys == 16_384)
        let counts = Dictionary(trace.events.map { ($0.key, 1) }, uniquingKeysWith: +)
        #expect((1_800...2_200).contains(counts.count))
        #expect(counts.values.allSatisfy { $0 == 3 })
    }

    @Test func accessesOfCachesOfYourOwnHaveDetails() throws {
        let recorder = try recorder()
        let access = CacheAccess(.miss, size: 512, lifetime: .seconds(5), cost: .milliseconds(3), group: "images", tier: 2)
        recorder.record(access, forKey: "/images/1")
        recorder.record(CacheAccess(.hit), forKey: "/images/1")
        recorder.record(CacheAccess(.pass, group: "images"), forKey: "/images/2")
        try recorder.finish()
        let events = try events()
        let first = try #require(events.first { $0.kind == .miss })
        #expect(first.details?.size == 512)
        #expect(first.details?.lifetime == 5_000)
        #expect(first.details?.cost == 3_000)
        #expect(first.details?.tier == 2)
        #expect(events.first { $0.kind == .hit }?.key == first.key)
        #expect(events.first { $0.kind == .pass }?.details?.group == first.details?.group)
        #expect(first.details?.group != nil)
    }

    @Test func aFullFileMakesWayForAnother() throws {
        let recorder = try recorder {
            $0.maximumFileBytes = 1 << 16
            $0.fileCount = 3
        }
        for round in 0..<50 {
            for key in 0..<1_000 { recorder.record(CacheAccess(.hit), forKey: round * 1_000 + key) }
            try recorder.flush()
        }
        try recorder.finish()
        let files = try [path + ".2", path + ".1", path].map { try RecordedTrace(path: $0) }
        #expect(files.map { $0.header?.number ?? 0 } == [3, 4, 5])
        #expect(files.allSatisfy { $0.byteCount <= 1 << 16 })
        #expect(!FileManager.default.fileExists(atPath: path + ".3"))
        // No access is in two files, and none between the oldest and the newest is missing.
        let keys = files.flatMap { $0.events.map(\.key) }
        #expect(Set(keys).count == keys.count)
        #expect(keys.count % 1_000 == 0)
        #expect(recorder.statistics.written == 50_000)
    }

    @Test func anOlderRecordingIsKeptAndAnotherFileIsNotTouched() throws {
        try recorder().finish()
        try recorder().finish()
        #expect(FileManager.default.fileExists(atPath: path + ".1"))
        let other = directory.path(of: "letter.txt")
        try write("Dear reader", to: other)
        let error = #expect(throws: CacheTraceError.self) { try CacheTraceRecorder(path: other) }
        #expect(error?.code == .occupied)
        #expect(try text(of: other) == "Dear reader")
        let missing = #expect(throws: CacheTraceError.self) { try CacheTraceRecorder(path: directory.path(of: "missing/some.trace")) }
        #expect(missing?.code == .io)
    }

    @Test(arguments: [0, 1, 8, TraceFileHeader.byteCount - 1])
    func aFileWithoutAWholeHeadIsBegunAnewAndNoOlderOneGoes(byteCount: Int) throws {
        try recorder().finish()
        try recorder().finish()
        let older = try Data(contentsOf: URL(filePath: path + ".1"))
        let head = try Data(contentsOf: URL(filePath: path)).prefix(byteCount)
        try head.write(to: URL(filePath: path))
        #expect(CacheTraceRecorder.beginsAnew(path))
        let recorder = try recorder()
        recorder.record(CacheAccess(.hit), forKey: 1)
        try recorder.finish()
        #expect(!CacheTraceRecorder.beginsAnew(path))
        #expect(try events().count == 1)
        #expect(try Data(contentsOf: URL(filePath: path + ".1")) == older)
        #expect(!FileManager.default.fileExists(atPath: path + ".2"))
        // Fewer bytes of something else are no such head.
        try write("H", to: path)
        #expect(throws: CacheTraceError.self) { try self.recorder() }
    }

    @Test func aFileWithTheNameOfAnOlderRecordingIsNotTouched() throws {
        try recorder().finish()
        let first = try Data(contentsOf: URL(filePath: path))
        for number in 1...3 {
            let older = "\(path).\(number)"
            try write("Dear reader", to: older)
            let error = #expect(throws: CacheTraceError.self) { try recorder() }
            #expect(error?.code == .occupied)
            #expect(error?.message.contains(older) == true)
            #expect(try text(of: older) == "Dear reader")
            #expect(try Data(contentsOf: URL(filePath: path)) == first)
            try FileManager.default.removeItem(atPath: older)
        }
        // Four files are kept, so this name is never taken.
        try write("Dear reader", to: path + ".4")
        for _ in 0..<6 { try recorder().finish() }
        #expect(try text(of: path + ".4") == "Dear reader")
        try FileManager.default.removeItem(atPath: path + ".1")
        try FileManager.default.createDirectory(atPath: path + ".1", withIntermediateDirectories: false)
        #expect(throws: CacheTraceError.self) { try recorder() }
    }

    @Test func aFailureToWriteEndsTheRecordingAndIsToldOnce() throws {
        var configuration = CacheTraceRecorder.Configuration()
        configuration.maximumFileBytes = 1 << 16
        let failures = Mutex<[CacheTraceError]>([])
        let recorder = try CacheTraceRecorder(path: path, configuration: configuration, ticker: time, clock: time) { error in
            failures.withLock { $0.append(error) }
        }
        try write("Dear reader", to: path + ".1")
        for round in 0..<50 {
            for key in 0..<1_000 { recorder.record(CacheAccess(.hit), forKey: round * 1_000 + key) }
            try? recorder.flush()
        }
        #expect(throws: CacheTraceError.self) { try recorder.finish() }
        #expect(failures.withLock { $0.map(\.code) } == [.io])
        #expect(recorder.statistics.failure == failures.withLock { $0.first?.message })
        #expect(try text(of: path + ".1") == "Dear reader")
        // The file has all that had been written until then.
        #expect(try events().count == recorder.statistics.written)
        #expect(recorder.statistics.written > 0)
        #expect(recorder.statistics.lost > 0)
    }

    @Test func accessesBeyondWhatMayWaitAreLostAndCounted() throws {
        let recorder = try recorder { $0.maximumPendingBytes = 0 }
        // The recorder raises the limit to 65,536 bytes.
        for key in 0..<100_000 { recorder.record(CacheAccess(.hit), forKey: key) }
        try recorder.finish()
        let statistics = recorder.statistics
        #expect(statistics.written + statistics.lost == 100_000)
        #expect(statistics.lost > 0)
        #expect(try events().count == statistics.written)
    }

    @Test func theBackgroundWritesAtEveryInterval() async throws {
        let recorder = try recorder { $0.flushInterval = .milliseconds(100) }
        recorder.record(CacheAccess(.hit), forKey: 1)
        for _ in 0..<11 {
            await time.sleepers(1)
            time.advance(by: .milliseconds(10))
        }
        await time.sleepers(1)
        #expect(try events().count == 1)
        try recorder.finish()
    }

    @Test func aRecorderThatIsLetGoOfWritesWhatItHas() throws {
        do {
            let recorder = try recorder()
            recorder.record(CacheAccess(.hit), forKey: 1)
        }
        #expect(try events().count == 1)
    }

    @Test func threadsThatReadAtOnceLoseNothing() async throws {
        let recorder = try CacheTraceRecorder(path: path)
        let cache = Cache<Int, Int>(maximumCount: 4_096)
        cache.recordAccesses(with: recorder)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<20_000 {
                        let key = (step &* 31 + task) % 8_192
                        if cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
                    }
                }
            }
        }
        let counted = cache.statistics
        cache.recordAccesses(with: nil)
        try recorder.finish()
        let events = try events()
        #expect(events.count { $0.kind == .hit } == counted.hits)
        #expect(events.count { $0.kind == .miss } == counted.misses)
        #expect(events.count { $0.kind == .write } == counted.insertions + counted.refusals)
    }
}
