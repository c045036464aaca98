// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite("TieredCache: recording", .timeLimit(.minutes(5)))
struct TieredCacheRecordingTests {
    private let fixture = TieredFixture()
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The recording of the steps in `body`. Each step has its own tick, because accesses of
    /// one tick may change places.
    private func lines(_ body: (_ next: () throws -> Void) async throws -> Void) async throws -> [String] {
        let path = directory.path(of: "some.trace")
        let recorder = try CacheTraceRecorder(path: path, ticker: fixture.time, clock: fixture.time)
        fixture.cache.recordAccesses(with: recorder)
        try await body {
            fixture.time.advance(by: .milliseconds(10))
            try recorder.flush()
        }
        fixture.cache.recordAccesses(with: nil)
        try recorder.finish()
        return try RecordedTrace(path: path).lines
    }

    @Test func requestsAreRecordedWithTheTierThatAnswers() async throws {
        let lines = try await lines { next in
            #expect(await fixture.cache.value(forKey: "a") == nil)
            try next()
            #expect(try await fixture.cache.value(forKey: "a") { _ in 1 } == 1)
            try next()
            #expect(await fixture.cache.value(forKey: "a") == 1)
            try next()
            fixture.evict()
            #expect(await fixture.cache.value(forKey: "a") == 1)
            try next()
            fixture.evict()
            try await fixture.upperBase.removeAll()
            #expect(try await fixture.cache.value(forKey: "a") { _ in 2 } == 1)
            try next()
            #expect(await fixture.cache.values(forKeys: ["a", "b"]) == ["a": 1])
        }
        #expect(lines.prefix(6) == ["miss 0", "write 0 lifetime 60000 cost 0", "miss 0", "hit 0", "hit 0 tier 1", "hit 0 tier 2"])
        // Different keys may change places.
        #expect(lines.dropFirst(6).sorted() == ["hit 0", "miss 1"])
    }

    @Test func changesAreRecorded() async throws {
        let lines = try await lines { next in
            await fixture.cache.insert(1, forKey: "a")
            try next()
            await fixture.cache.removeValue(forKey: "a")
            try next()
            await fixture.cache.removeAll()
        }
        #expect(lines == ["write 0 lifetime 60000", "removal 0", "removal all"])
    }

    @Test func anInvalidationByTagIsTheRemovalOfWhatIsAskedForNext() async throws {
        let lines = try await lines { next in
            await fixture.cache.insert(1, forKey: "a", tags: ["t"])
            try next()
            await fixture.cache.insert(2, forKey: "b")
            try next()
            await fixture.cache.removeValues(taggedWith: "t")
            try next()
            #expect(await fixture.cache.value(forKey: "b") == 2)
            try next()
            #expect(await fixture.cache.value(forKey: "a") == nil)
        }
        #expect(lines == ["write 0 lifetime 60000", "write 1 lifetime 60000", "hit 1", "removal 0", "miss 0"])
    }

    @Test func aChangeByAnotherProcessIsTheRemovalOfWhatMemoryHas() async throws {
        let lines = try await lines { next in
            await fixture.cache.insert(1, forKey: "a")
            try next()
            fixture.cache.drop(StoreInvalidation(key: "b"), changedIn: 0)
            fixture.cache.drop(StoreInvalidation(key: "a"), changedIn: 0)
        }
        #expect(lines == ["write 0 lifetime 60000", "removal 0"])
    }

    @Test func aFailedLoadIsAMiss() async throws {
        let lines = try await lines { _ in
            await #expect(throws: TestError.self) { try await fixture.cache.value(forKey: "a") { _ in throw TestError() } }
        }
        #expect(lines == ["miss 0"])
    }

    @Test func valuesInMemoryAreRecordedFirst() async throws {
        await fixture.cache.insert(1, forKey: "a")
        fixture.time.advance(by: .seconds(20))
        let lines = try await lines { _ in #expect(await fixture.cache.value(forKey: "a") == 1) }
        #expect(lines == ["present 0 lifetime 40000", "hit 0"])
    }

    @Test func nothingIsRecordedAfterTheEnd() async throws {
        let lines = try await lines { _ in }
        await fixture.cache.insert(1, forKey: "a")
        #expect(lines.isEmpty)
        #expect(!fixture.cache.isObserved)
    }
}
