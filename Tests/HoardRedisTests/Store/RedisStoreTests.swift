// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct RedisStoreTests {
    @Test func aReadOfWhatIsKnownTakesOneRoundTrip() async throws {
        let world = try RedisStoreWorld()
        try await world.there.insert(world.record("value", tags: ["a", "b"], partition: "p"), forKey: "key")
        #expect(try await world.text(world.here, "key") == "value")
        let before = world.server.commandCount("GET")
        for _ in 0..<5 { #expect(try await world.text(world.here, "key") == "value") }
        #expect(world.server.commandCount("GET") - before == 5)
    }

    @Test func onceAMinuteGenerationsAreReadAgainSoThatTheServerNotesThatTheyAreInUse() async throws {
        let world = try RedisStoreWorld()
        try await world.there.insert(world.record("value", tags: ["a", "b"], partition: "p"), forKey: "key")
        #expect(try await world.text(world.here, "key") == "value")
        for _ in 0..<3 {
            world.time.advance(by: .seconds(61))
            let before = world.server.commandCount("GET")
            #expect(try await world.text(world.here, "key") == "value")
            // The record, two tags, the partition and everything.
            #expect(world.server.commandCount("GET") - before == 5)
            #expect(try await world.text(world.here, "key") == "value")
            #expect(world.server.commandCount("GET") - before == 6)
        }
    }

    @Test func whatTheServerHasEvictedIsAMissAndNothingComesBack() async throws {
        for evicted in ["rkey", "tb", "pp", "e"] {
            let world = try RedisStoreWorld()
            try await world.there.insert(world.record("value", tags: ["a", "b"], partition: "p"), forKey: "key")
            _ = try await world.here.record(forKey: "key")
            world.server.evict { $0 == world.name(evicted) }
            #expect(try await world.here.record(forKey: "key") == nil)
            #expect(try await world.there.record(forKey: "key") == nil)
            // A generation that is made anew is another one.
            try await world.here.insert(world.record("new", tags: ["a", "b"], partition: "p"), forKey: "new")
            #expect(try await world.there.record(forKey: "key") == nil)
            #expect(try await world.text(world.there, "new") == "new")
        }
    }

    @Test func aServerThatWasFlushedOrStartedAnewHasNothing() async throws {
        let world = try RedisStoreWorld()
        let hearing = Hearing(world.here)
        try await world.there.insert(world.record("value"), forKey: "key")
        _ = try await world.here.record(forKey: "key")
        hearing.forget()
        world.server.flush()
        #expect(try await world.here.record(forKey: "key") == nil)
        #expect(hearing.all.contains(.everything))
        try await world.there.insert(world.record("value"), forKey: "key")
        #expect(try await world.text(world.here, "key") == "value")
    }

    @Test func whileThereIsNoConnectionEverythingIsToldAgainAndAgain() async throws {
        let world = try RedisStoreWorld(.init(stalenessWindow: .seconds(1)))
        let hearing = Hearing(world.here)
        world.server.stop()
        #expect(hearing.all == [.everything])
        for count in 2...5 {
            await world.time.sleepers(2)
            world.time.advance(by: .seconds(1))
            try await waitUntil { hearing.all.count >= count }
        }
        #expect(hearing.all.allSatisfy { $0 == .everything })
        do {
            _ = try await world.here.record(forKey: "key")
            Issue.record("Without a connection a read should throw.")
        } catch {
            #expect(error.code == .unavailable)
        }
        world.server.start()
        try await waitUntil { world.here.coherence.withLock { $0.isConnected } }
        #expect(try await world.here.record(forKey: "key") == nil)
    }

    @Test(arguments: [
        ("OOM command not allowed when used memory > 'maxmemory'.", StoreError.Code.full), ("NOPERM this user has no permissions", .permissionDenied),
        ("LOADING Redis is loading", .unavailable), ("READONLY You can't write against a read only replica.", .unavailable),
        ("ERR secret-key", .unavailable),
    ]) func whatTheServerRefusesIsAFailure(text: String, code: StoreError.Code) async throws {
        let world = try RedisStoreWorld()
        _ = try await world.here.record(forKey: "key")
        let record = world.record("value")
        let reads: [@Sendable (RedisStore) async throws -> Void] = [
            { _ = try await $0.record(forKey: "key") }, { _ = try await $0.records(forKeys: ["key", "other"]) },
        ]
        let writes: [@Sendable (RedisStore) async throws -> Void] = [
            { try await $0.insert(record, forKey: "key") }, { try await $0.removeRecord(forKey: "key") },
            { try await $0.removeRecords(taggedWith: ["tag"]) },
            { try await $0.removeAll() }, { _ = try await $0.lease(forKey: "key", for: .seconds(1)) },
            { _ = try await $0.insert(record, forKey: "new", ifUnchangedSince: $0.position) },
        ]
        for (command, operations) in [("GET", reads), ("SET", writes)] {
            for operation in operations {
                world.server.failNext(command, with: text)
                do {
                    try await operation(world.here)
                    Issue.record("What the server refuses should be thrown: \(text)")
                } catch let error as StoreError {
                    #expect(error.code == code)
                    #expect(!error.message.contains("secret"))
                }
            }
        }
    }

    @Test func aServerWithoutMemoryLosesWhatIsToBeRemovedAllTheSame() async throws {
        let text = "OOM command not allowed when used memory > 'maxmemory'."
        let removals: [@Sendable (RedisStore) async throws -> Void] = [
            { try await $0.removeRecord(forKey: "key") }, { try await $0.removeRecords(taggedWith: ["tag"]) },
            { try await $0.removePartition("p") }, { try await $0.removeAll() },
        ]
        for removal in removals {
            let world = try RedisStoreWorld()
            try await world.there.insert(world.record("value", tags: ["tag"], partition: "p"), forKey: "key")
            world.server.failNext("SET", with: text)
            do {
                try await removal(world.here)
                Issue.record("A removal that leaves no trace should be reported.")
            } catch let error as StoreError {
                #expect(error.code == .full)
            }
            #expect(try await world.there.record(forKey: "key") == nil)
            #expect(try await world.here.record(forKey: "key") == nil)
        }
    }

    @Test(arguments: [[UInt8]("hello".utf8), [UInt8](repeating: 7, count: 500), [0x48, 0x52, 0x52, 0x02] + [UInt8](repeating: 1, count: 100)])
    func aValueThatCannotBeReadIsAMissIsCountedAndIsRemoved(value: [UInt8]) async throws {
        let world = try RedisStoreWorld()
        world.server.setValue(value, forKey: world.name("rkey"))
        #expect(try await world.here.record(forKey: "key") == nil)
        #expect(world.hasTombstone("key"))
        #expect(try await world.here.statistics().corruptions == 1)
        try await world.here.insert(world.record("value"), forKey: "key")
        #expect(try await world.text(world.there, "key") == "value")
    }

    @Test func aKeyOfAnotherTypeIsAMissAndIsWrittenOver() async throws {
        let world = try RedisStoreWorld()
        try await world.there.insert(world.record("value", tags: ["tag"]), forKey: "key")
        world.server.setList(forKey: world.name("rlist"))
        #expect(Set(try await world.here.records(forKeys: ["list", "key"]).keys) == ["key"])
        #expect(world.hasTombstone("list"))
        world.server.setList(forKey: world.name("rlist"))
        #expect(try await world.here.recordPage(after: nil, limit: 10).records.map(\.key) == ["key"])
        #expect(try await world.here.record(forKey: "list") == nil)
        #expect(world.hasTombstone("list"))
        #expect(try await world.here.statistics().corruptions == 2)
        // A tag without a generation has lost its records.
        world.server.setList(forKey: world.name("ttag"))
        #expect(try await world.here.record(forKey: "key") == nil)
        try await world.here.insert(world.record("new", tags: ["tag"]), forKey: "key")
        #expect(try await world.text(world.there, "key") == "new")
    }

    @Test func aRecordIsFoundThoughOneOfItsGenerationsIsForgottenWhileAnotherIsRead() async throws {
        // Room for fewer generations than the record refers to.
        let world = try RedisStoreWorld(.init(generationCapacity: 2))
        try await world.there.insert(world.record("value", tags: ["a", "b"], partition: "p"), forKey: "key")
        for _ in 0..<5 {
            #expect(try await world.text(world.here, "key") == "value")
            #expect(try await world.here.recordPage(after: nil, limit: 10).records.map(\.key) == ["key"])
        }
    }

    @Test func aDamagedRecordIsAMiss() async throws {
        let world = try RedisStoreWorld()
        try await world.here.insert(world.record("value"), forKey: "key")
        var bytes = try #require(world.server.value(forKey: world.name("rkey")))
        bytes[bytes.count - 1] ^= 1
        world.server.setValue(bytes, forKey: world.name("rkey"))
        #expect(try await world.there.records(forKeys: ["key"]).isEmpty)
        #expect(try await world.there.statistics().corruptions == 1)
    }

    @Test func generationsAreKeptForLongerThanWhatRefersToThem() async throws {
        let world = try RedisStoreWorld()
        let day: Int64 = 86_400_000_000_000
        try await world.here.insert(world.record("short", freshFor: .seconds(60), tags: ["tag"]), forKey: "short")
        #expect(world.server.expiration(ofKey: world.name("ttag")) == 2 * day)
        #expect(world.server.expiration(ofKey: world.name("e")) == -1)
        try await world.there.insert(world.record("long", freshFor: .seconds(5 * 86_400), tags: ["tag"]), forKey: "long")
        #expect(world.server.expiration(ofKey: world.name("ttag")) == 20 * day)
        #expect(try await world.text(world.here, "short") == "short")
        try await world.here.insert(world.record("endless", tags: ["tag"]), forKey: "endless")
        #expect(world.server.expiration(ofKey: world.name("ttag")) == -1)
        #expect(Set(try await world.there.records(forKeys: ["short", "long", "endless"]).keys) == ["short", "long", "endless"])
    }

    @Test func aTagThatIsUsedAllTheTimeIsKept() async throws {
        let world = try RedisStoreWorld()
        for _ in 0..<10 {
            try await world.here.insert(world.record("value", freshFor: .seconds(20 * 3_600), tags: ["tag"]), forKey: "key")
            world.time.advance(by: .seconds(19 * 3_600))
            #expect(try await world.text(world.there, "key") == "value")
        }
    }

    @Test func whatWasRemovedWithItsTagIsTakenAwayWhenItIsFoundIfItWouldStay() async throws {
        let world = try RedisStoreWorld()
        try await world.here.insert(world.record("endless", tags: ["tag"]), forKey: "endless")
        try await world.here.insert(world.record("short", freshFor: .seconds(60), tags: ["tag"]), forKey: "short")
        try await world.there.removeRecords(taggedWith: ["tag"])
        #expect(try await world.here.records(forKeys: ["endless", "short"]).isEmpty)
        #expect(world.hasTombstone("endless"))
        #expect(world.server.value(forKey: world.name("rshort")) != nil)
    }

    @Test func manyKeysAreEstimatedFromSome() async throws {
        let world = try RedisStoreWorld(.init(exactCountLimit: 100))
        var records: [RecordKey: Record] = [:]
        for number in 0..<4_000 { records[RecordKey("\(number)")] = world.record("\(number)") }
        try await world.here.insert(records)
        let statistics = try await world.there.statistics()
        #expect((3_000...5_000).contains(statistics.count), "4,000 records are estimated to be \(statistics.count).")
        let scans = world.server.commandCount("SCAN")
        _ = try await world.there.statistics()
        #expect(world.server.commandCount("SCAN") == scans)
    }

    @Test(
        arguments: [
            .init(maximumRecordBytes: 0), .init(maximumRecordBytes: 1 << 40), .init(tombstoneLifetime: .zero), .init(expirationSlack: .seconds(-1)),
            .init(stalenessWindow: .zero), .init(changeLogCapacity: 0), .init(versionCapacity: 1), .init(generationCapacity: -5),
            .init(exactCountLimit: -1), .init(keyPrefix: "a{}:r"),
        ] as [RedisStore.Configuration]
    ) func aConfigurationThatCannotBeUsedIsRefused(configuration: RedisStore.Configuration) throws {
        do {
            _ = try RedisStoreWorld(configuration)
            Issue.record("The configuration should be refused.")
        } catch let error as StoreError {
            #expect(error.code == .invalidConfiguration)
        }
    }

    @Test func storesWithDifferentPrefixesKnowNothingOfEachOther() async throws {
        let (time, server) = (ManualTicker(), FakeRedis(ticker: MonotonicTicker()))
        let stores = try ["a", "ab", "a{}"].map { try server.makeStore(.init(keyPrefix: $0), clock: time) }
        let hearings = stores.map { Hearing($0) }
        for (number, store) in stores.enumerated() {
            try await store.insert(Record(payload: Data("\(number)".utf8), created: time.now(), staleUntil: .forever, tags: ["t"]), forKey: "key")
        }
        try await stores[1].removeRecords(taggedWith: ["t"])
        #expect(try await stores[0].record(forKey: "key") != nil)
        #expect(try await stores[2].record(forKey: "key") != nil)
        #expect(try await stores[0].statistics().count == 1)
        try await stores[0].removeAll()
        #expect(try await stores[2].record(forKey: "key") != nil)
        for store in stores { _ = try await store.record(forKey: "other") }
        #expect(hearings[1].all.isEmpty)
    }
}
