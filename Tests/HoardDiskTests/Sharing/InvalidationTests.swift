// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Hoard
import Testing

@testable import HoardDisk

/// The changes of each other that stores on one directory learn of.
@Suite struct InvalidationTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open() throws -> DiskStore { try workspace.open { $0.invalidationInterval = .milliseconds(1) } }

    /// The given number of next invalidations.
    private func next(_ count: Int, of stream: AsyncStream<StoreInvalidation>) async -> [RecordKey?] {
        var keys: [RecordKey?] = []
        for await invalidation in stream {
            keys.append(invalidation.key)
            if keys.count == count { break }
        }
        return keys
    }

    @Test(.timeLimit(.minutes(5))) func theKeysThatAnotherStoreWroteOrRemovedAreTold() async throws {
        let (first, second) = (try open(), try open())
        let stream = try #require(first.invalidations())
        try await first.insert(workspace.record(), forKey: "own")
        try await second.insert(workspace.record(), forKey: "theirs")
        try await second.removeRecord(forKey: "own")
        try await first.removeRecord(forKey: "theirs")
        try await second.removeRecord(forKey: "never there")
        var told: [RecordKey?] = []
        for await invalidation in stream {
            // A read and a write that notice the same change both report it.
            if !told.contains(invalidation.key) { told.append(invalidation.key) }
            if invalidation.key == "never there" { break }
        }
        #expect(told == ["theirs", "own", "never there"])
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["stale", "partition", "all"]) func aChangeOfManyRecordsIsToldAsAny(kind: String) async throws {
        let (first, second) = (try open(), try open())
        let stream = try #require(first.invalidations())
        switch kind {
        case "stale": try await second.markAllRecordsStale(at: workspace.clock.now())
        case "partition": try await second.removePartition("partition")
        default: try await second.removeAll()
        }
        #expect(await next(1, of: stream) == [nil])
    }

    @Test(.timeLimit(.minutes(5))) func theTagsByWhichAnotherStoreRemovedOrMarkedRecordsAreTold() async throws {
        let (first, second) = (try open(), try open())
        var stream = try #require(first.invalidations()).makeAsyncIterator()
        try await second.removeRecords(taggedWith: ["one", "größe"])
        #expect(await stream.next() == StoreInvalidation(tags: ["one", "größe"]))
        try await second.markRecordsStale(taggedWith: ["two"], at: workspace.clock.now())
        #expect(await stream.next() == StoreInvalidation(tags: ["two"]))
        try await second.markRecordStale(forKey: "key", at: workspace.clock.now())
        #expect(await stream.next() == StoreInvalidation(key: "key"))
        try await second.insert(["a": workspace.record(), "b": workspace.record()])
        #expect(Set([await stream.next(), await stream.next()]) == [StoreInvalidation(key: "a"), StoreInvalidation(key: "b")])
    }

    @Test(.timeLimit(.minutes(5))) func everySubscriberIsTold() async throws {
        let (first, second) = (try open(), try open())
        let streams = [try #require(first.invalidations()), try #require(first.invalidations())]
        try await second.insert(workspace.record(), forKey: "key")
        for stream in streams { #expect(await next(1, of: stream) == ["key"]) }
    }

    @Test(.timeLimit(.minutes(5))) func changesThatWereMissedAreToldAsAny() async throws {
        let first = try workspace.open { $0.invalidationInterval = .seconds(3600) }
        let second = try open()
        let stream = try #require(first.invalidations())
        for number in 0..<ChangeList.keptCount + 130 { try await second.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        #expect(try first.rowCount(of: "changes") < ChangeList.keptCount + 130)
        #expect(try await first.record(forKey: "0") != nil)
        #expect(await next(1, of: stream) == [nil])
        // The store reports later changes one by one again.
        try await second.insert(workspace.record(), forKey: "later")
        #expect(try await first.record(forKey: "later") != nil)
        #expect(await next(1, of: stream) == ["later"])
    }

    @Test func aReadingThatNoticesChangesTellsThem() async throws {
        let first = try workspace.open { $0.invalidationInterval = .seconds(3600) }
        let second = try open()
        let stream = try #require(first.invalidations())
        try await second.insert(workspace.record(), forKey: "key")
        #expect(try await first.record(forKey: "unknown") == nil)
        #expect(await next(1, of: stream) == ["key"])
    }

    @Test func aWritingThatNoticesChangesTellsThem() async throws {
        let first = try workspace.open { $0.invalidationInterval = .seconds(3600) }
        let second = try open()
        let stream = try #require(first.invalidations())
        try await second.insert(workspace.record(), forKey: "key")
        try await first.insert(workspace.record(), forKey: "own")
        #expect(await next(1, of: stream) == ["key"])
    }

    @Test(arguments: [Duration.milliseconds(20), .milliseconds(1_500), .seconds(10_000_000_000), .seconds(Int64.max)])
    func theNextLookForChangesIsNeverInThePast(interval: Duration) {
        let now = DispatchTime(uptimeNanoseconds: 1_000)
        #expect(now + interval.dispatchInterval > now)
    }

    @Test func shortIntervalsAreExact() {
        #expect(Duration.milliseconds(20).dispatchInterval == .nanoseconds(20_000_000))
        #expect(Duration.milliseconds(1_500).dispatchInterval == .milliseconds(1_500))
    }

    @Test func aSlowSubscriberIsToldThatAnyRecordMayHaveChanged() async throws {
        let subscribers = InvalidationSubscribers()
        let stream = subscribers.makeStream()
        let count = InvalidationSubscribers.bufferedCount
        var list = ChangeList()
        for number in 0..<count + 5 { list.add(RecordKey("\(number)")) }
        subscribers.announce(list)
        subscribers.finish()
        var keys: [RecordKey?] = []
        for await invalidation in stream { keys.append(invalidation.key) }
        #expect(keys.count == count)
        #expect(keys.contains(nil))
        let firstKept = try #require(keys.firstIndex { $0 != nil })
        // The list has each key, or a later "any" covers it.
        let lastAny = try #require(keys.lastIndex(of: nil))
        #expect(firstKept < lastAny)
    }

    @Test func subscribersThatAreGoneAreForgotten() async throws {
        let subscribers = InvalidationSubscribers()
        var stream: AsyncStream<StoreInvalidation>? = subscribers.makeStream()
        #expect(stream != nil && !subscribers.isEmpty)
        stream = nil
        #expect(subscribers.isEmpty)
    }

    @Test(.timeLimit(.minutes(5))) func theStreamsEndWhenTheStoreIsClosed() async throws {
        let store = try open()
        let stream = try #require(store.invalidations())
        await store.close()
        #expect(await next(1, of: stream).isEmpty)
        let late = try #require(store.invalidations())
        #expect(await next(1, of: late).isEmpty)
    }

    @Test(.timeLimit(.minutes(5))) func theStreamsEndWhenTheStoreIsReleased() async throws {
        func subscribe() throws -> AsyncStream<StoreInvalidation>? { try open().invalidations() }
        let stream = try #require(try subscribe())
        #expect(await next(1, of: stream).isEmpty)
    }

    @Test(.timeLimit(.minutes(5))) func aReplacedDirectoryIsToldAsAny() async throws {
        let store = try open()
        let stream = try #require(store.invalidations())
        try await store.insert(workspace.record(), forKey: "key")
        try FileManager.default.removeItem(atPath: workspace.directory)
        try await store.insert(workspace.record(), forKey: "key")
        #expect(await next(1, of: stream) == [nil])
    }
}
