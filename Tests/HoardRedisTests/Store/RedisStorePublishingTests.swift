// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

/// Loads that changes by other stores overtake.
@Suite struct RedisStorePublishingTests {
    /// The changes that other stores may make to a key with the tag `tag`, of the partition `ann`.
    enum Change: CaseIterable, Sendable {
        case write, bulkWrite, load, removal, bulkRemoval, tagRemoval, partitionRemoval, removalOfEverything, mark, tagMark, markOnEverything
        case eviction, flush, restart

        /// - Parameter store: The store that makes the change; the other one by default.
        func make(in world: RedisStoreWorld, key: RecordKey, by store: RedisStore? = nil) async throws {
            let store = store ?? world.there
            let other = world.record("other", tags: ["tag"], partition: "ann")
            switch self {
            case .write: try await store.insert(other, forKey: key)
            case .bulkWrite: try await store.insert([key: other, "another": other])
            case .load: _ = try await store.insert(other, forKey: key, ifUnchangedSince: store.position)
            case .removal: try await store.removeRecord(forKey: key)
            case .bulkRemoval: try await store.removeRecords(forKeys: ["another", key])
            case .tagRemoval: try await store.removeRecords(taggedWith: ["tag", "other tag"])
            case .partitionRemoval: try await store.removePartition("ann")
            case .removalOfEverything: try await store.removeAll()
            case .mark: try await store.markRecordStale(forKey: key, at: world.time.now())
            case .tagMark: try await store.markRecordsStale(taggedWith: ["tag"], at: world.time.now())
            case .markOnEverything: try await store.markAllRecordsStale(at: world.time.now())
            case .eviction: world.server.evict { $0 == RedisStoreWorld.name("ttag") || $0 == RedisStoreWorld.name("rkey") }
            case .flush: world.server.flush()
            case .restart: world.server.restart()
            }
        }

        /// Whether it removes a record that no writer has put there.
        var needsRecord: Bool { self == .eviction }
    }

    @Test(.timeLimit(.minutes(2)), arguments: Change.allCases, [true, false])
    func aLoadThatBeganBeforeAChangeIsNotPublished(change: Change, hasRecord: Bool) async throws {
        if change.needsRecord, !hasRecord { return }
        let world = try RedisStoreWorld()
        if hasRecord { try await world.here.insert(world.record("old", tags: ["tag"], partition: "ann"), forKey: "key") }
        _ = try await world.here.record(forKey: "key")
        let position = world.here.position
        try await change.make(in: world, key: "key")
        // It may be written with generations that are gone by now, which is as good.
        _ = try await retrying {
            try await world.here.insert(world.record("late", tags: ["tag"], partition: "ann"), forKey: "key", ifUnchangedSince: position)
        }
        let text = try await retrying { try await world.text(world.there, "key") }
        #expect(text != "late", "After \(change), the load should not be published.")
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [Change.write, .bulkWrite, .removal, .bulkRemoval, .tagRemoval, .partitionRemoval, .removalOfEverything]
    )
    func anOwnChangeOverturnsLoadsBeforeItsReplyIsHandled(change: Change) async throws {
        let world = try RedisStoreWorld()
        try await world.here.insert(world.record("old", tags: ["tag"], partition: "ann"), forKey: "key")
        let position = world.here.position
        let scopes: [RecordScope] = [.tag("tag"), .partition("ann"), .everything]
        let hashes = [KeyHash(record: "key")] + scopes.map { KeyHash($0) }
        let connection = try #require(world.server.connection(1))
        connection.hold()
        let task = startTask { try await change.make(in: world, key: "key", by: world.here) }
        try await waitUntil { world.here.coherence.withLock { state in hashes.contains { state.log.hasChanged($0, since: position.number) } } }
        connection.release()
        try await task.value
        #expect(!(try await world.here.insert(world.record("late", tags: ["tag"], partition: "ann"), forKey: "key", ifUnchangedSince: position)))
    }

    /// The server does not tell of it, and an earlier load that finds the new version must not write over it.
    @Test(.timeLimit(.minutes(2))) func anOwnLoadOfAKeyWithoutARecordOverturnsEarlierOnesBeforeItsReplyIsHandled() async throws {
        let world = try RedisStoreWorld()
        // From here on the generations are known, and that the key has no record.
        try await world.here.insert(world.record("old", tags: ["tag"], partition: "ann"), forKey: "another")
        _ = try await world.here.record(forKey: "key")
        let position = world.here.position
        let connection = try #require(world.server.connection(1))
        connection.hold()
        let task = startTask { try await Change.load.make(in: world, key: "key", by: world.here) }
        try await waitUntil { world.here.coherence.withLock { $0.log.hasChanged(KeyHash(record: "key"), since: position.number) } }
        connection.release()
        try await task.value
        #expect(!(try await world.here.insert(world.record("late", tags: ["tag"], partition: "ann"), forKey: "key", ifUnchangedSince: position)))
        #expect(try await world.text(world.here, "key") == "other")
    }

    @Test func whatIsTakenAwayBecauseItIsOfNoUseIsNotTakenForAPlaceWhereNothingEverWas() async throws {
        let world = try RedisStoreWorld()
        try await world.there.insert(world.record("new"), forKey: "key")
        try await world.there.removeAll()
        #expect(try await world.here.record(forKey: "key") == nil)
        // A write of an older load that is on the way, on the condition that there is nothing, must not succeed now.
        #expect(world.hasTombstone("key"))
        #expect(world.server.expiration(ofKey: world.name("rkey")).map { $0 > 0 } == true)
    }

    /// A connection that has just ended is made again by a task, which may be held up for as long as it likes.
    private func retrying<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        var result: Result?
        try await waitUntil {
            do {
                result = try await body()
                return true
            } catch let error as StoreError {
                guard error.code == .unavailable else { throw error }
                return false
            }
        }
        return try #require(result)
    }

    @Test(arguments: [true, false]) func aLoadDuringWhichNothingChangedIsPublished(hasRecord: Bool) async throws {
        let world = try RedisStoreWorld()
        if hasRecord { try await world.there.insert(world.record("old"), forKey: "key") }
        _ = try await world.here.record(forKey: "key")
        let position = world.here.position
        // The first record with a tag makes the tag's generation. All stores hear of it, and it removes nothing.
        try await world.there.insert(world.record("unrelated", tags: ["tag", "other"], partition: "ann"), forKey: "other")
        #expect(try await world.here.insert(world.record("new", tags: ["tag"], partition: "ann"), forKey: "key", ifUnchangedSince: position))
        #expect(try await world.text(world.there, "key") == "new")
        #expect(try await world.here.statistics().insertions == 1)
    }

    @Test func aLoadForWhichTheServerHasNoRoomIsNotCounted() async throws {
        let world = try RedisStoreWorld()
        try await world.there.insert(world.record("old"), forKey: "key")
        _ = try await world.here.record(forKey: "key")
        let position = world.here.position
        world.server.failNext("EVALSHA", with: "OOM command not allowed when used memory > 'maxmemory'.")
        let error = await #expect(throws: StoreError.self) {
            try await world.here.insert(world.record("new"), forKey: "key", ifUnchangedSince: position)
        }
        #expect(error?.code == .full)
        #expect(try await world.here.statistics().insertions == 0)
    }

    @Test func aLoadOfAKeyThatWasFoundMissingTakesOneRoundTrip() async throws {
        let world = try RedisStoreWorld()
        _ = try await world.here.insert(world.record("warm", tags: ["tag"]), forKey: "warm", ifUnchangedSince: world.here.position)
        _ = try await world.here.record(forKey: "key")
        let before = ["GET", "SET", "GETRANGE", "EXISTS", "EVALSHA"].map { world.server.commandCount($0) }
        #expect(try await world.here.insert(world.record("new", tags: ["tag"]), forKey: "key", ifUnchangedSince: world.here.position))
        let after = ["GET", "SET", "GETRANGE", "EXISTS", "EVALSHA"].map { world.server.commandCount($0) }
        #expect(zip(after, before).map { $0 - $1 } == [0, 1, 0, 0, 0])
    }

    @Test func aLoadIsPublishedOverATombstoneAndOverAnOlderRecord() async throws {
        let world = try RedisStoreWorld()
        try await world.there.removeRecord(forKey: "key")
        for text in ["first", "second", "third"] {
            _ = try await world.here.record(forKey: "key")
            #expect(try await world.here.insert(world.record(text), forKey: "key", ifUnchangedSince: world.here.position))
            #expect(try await world.text(world.there, "key") == text)
        }
    }

    @Test func whatOurOwnScriptsChangeIsToldToOthersAndNotToUs() async throws {
        let world = try RedisStoreWorld()
        try await world.here.insert(world.record("old"), forKey: "key")
        _ = try await world.here.record(forKey: "key")
        _ = try await world.there.record(forKey: "key")
        let (own, others) = (Hearing(world.here), Hearing(world.there))
        #expect(try await world.here.insert(world.record("new"), forKey: "key", ifUnchangedSince: world.here.position))
        try await world.here.markRecordStale(forKey: "key", at: world.time.now())
        _ = try await world.there.record(forKey: "key")
        #expect(world.server.commandCount("EVALSHA") >= 2)
        #expect(own.all.isEmpty)
        #expect(Set(others.all) == [.init(key: "key")])
    }

    @Test func ofSeveralLoadsThoseAreRefusedThatWereOvertaken() async throws {
        let world = try RedisStoreWorld()
        let position = world.here.position
        try await world.there.removeRecord(forKey: "b")
        try await world.there.removeRecords(taggedWith: ["gone"])
        let refused = try await world.here.insert(
            ["a": world.record("a"), "b": world.record("b"), "c": world.record("c", tags: ["gone"]), "d": world.record("d", tags: ["tag"])],
            ifUnchangedSince: position
        )
        #expect(refused == ["b", "c"])
        #expect(Set(try await world.there.records(forKeys: ["a", "b", "c", "d"]).keys) == ["a", "d"])
    }

    @Test func aRecordThatIsTooLargeIsRefusedByItselfAndRemovesItsKeysOlderRecord() async throws {
        let world = try RedisStoreWorld(.init(maximumRecordBytes: 1_000))
        let large = world.record(String(repeating: "x", count: 1_000))
        try await world.here.insert(["large": world.record("old"), "other": world.record("other")])
        await #expect(throws: StoreError.self) { try await world.here.insert(large, forKey: "large") }
        #expect(try await world.there.record(forKey: "large") == nil)
        try await world.here.insert(["large": large, "new": world.record("new")])
        #expect(try await world.here.insert(["large": large, "newer": world.record("newer")], ifUnchangedSince: world.here.position) == [])
        do {
            _ = try await world.here.insert(large, forKey: "large", ifUnchangedSince: world.here.position)
            Issue.record("A record that is too large should be refused.")
        } catch {
            #expect(error.code == .recordTooLarge)
        }
        #expect(Set(try await world.there.records(forKeys: ["large", "other", "new", "newer"]).keys) == ["other", "new", "newer"])
        let statistics = try await world.here.statistics()
        #expect(statistics.refusals == 4 && statistics.insertions == 4 && statistics.count == 3)
    }

    @Test func theLongestRecordIsAccepted() async throws {
        let world = try RedisStoreWorld(.init(maximumRecordBytes: 1_000))
        let overhead = StoredRecord.byteCount(of: world.record(""))
        try await world.here.insert(world.record(String(repeating: "x", count: 1_000 - overhead)), forKey: "key")
        #expect(try await world.there.record(forKey: "key")?.payload.count == 1_000 - overhead)
    }

    @Test func withoutTrackingALoadIsPublishedUnlessItsKeyHasChanged() async throws {
        let world = try RedisStoreWorld(.init(tracking: .off))
        _ = try await world.here.record(forKey: "key")
        let position = world.here.position
        try await world.there.insert(world.record("other"), forKey: "key")
        #expect(try await !world.here.insert(world.record("late"), forKey: "key", ifUnchangedSince: position))
        _ = try await world.here.record(forKey: "key")
        #expect(try await world.here.insert(world.record("new", tags: ["tag"]), forKey: "key", ifUnchangedSince: world.here.position))
        #expect(try await world.text(world.there, "key") == "new")
        // Generations are read each time.
        try await world.there.removeRecords(taggedWith: ["tag"])
        #expect(try await world.here.record(forKey: "key") == nil)
    }
}
