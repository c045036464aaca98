// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct EncryptedStoreTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func key(_ number: UInt8 = 1, named name: String = "main") throws -> DiskStore.EncryptionKey {
        try .init(identifier: name, bytes: Array(repeating: number, count: 32))
    }

    private func open(_ key: DiskStore.EncryptionKey?, compression: DiskStore.Compression = .none) throws -> DiskStore {
        try workspace.open {
            $0.encryptionKey = key
            $0.compression = compression
        }
    }

    private func error(_ key: DiskStore.EncryptionKey?) -> StoreError? {
        var configuration = workspace.configuration()
        configuration.encryptionKey = key
        return openingError(configuration)
    }

    /// The contents of all files below the store's directory, by path. Files are left out that SQLite leaves
    /// beside a database that it has only read.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: workspace.directory) {
            var isDirectory: ObjCBool = false
            let whole = workspace.directory + "/" + path
            guard FileManager.default.fileExists(atPath: whole, isDirectory: &isDirectory), !isDirectory.boolValue else { continue }
            let data = try Data(contentsOf: URL(fileURLWithPath: whole))
            if path.hasSuffix("-shm") || (path.hasSuffix("-wal") && data.isEmpty) { continue }
            contents[path] = data
        }
        return contents
    }

    @Test func anotherKeyAndNoKeyAreRefusedAndTouchNothing() async throws {
        let store = try open(key())
        try await store.insert(workspace.record("secret"), forKey: "key")
        try await store.insert(workspace.record(byteCount: 100_000, partition: "user"), forKey: "large")
        await store.close()
        let before = try contents()
        for wrong in [try key(2), try key(2, named: "other"), nil] {
            let error = try #require(self.error(wrong))
            #expect(error.code == .wrongKey)
            #expect(error.message.contains("\"main\""))
            #expect(try contents() == before)
        }
        #expect(workspace.events.events.isEmpty)
        #expect(throws: StoreError.self) { try DiskStore.openExisting(directory: workspace.directory) }
        #expect(try contents() == before)
        // The identifier of a key is only a name.
        let reopened = try open(key(named: "renamed"))
        #expect(try await reopened.peekText("key") == "secret")
        #expect(try await reopened.peekRecord(forKey: "large")?.payload == Data.pattern(100_000))
    }

    @Test func aKeyForAStoreThatIsNotEncryptedIsRefusedAndTouchesNothing() async throws {
        let store = try open(nil)
        try await store.insert(workspace.record("plain"), forKey: "key")
        await store.close()
        let before = try contents()
        #expect(error(try key())?.code == .wrongKey)
        #expect(try contents() == before)
        #expect(try await open(nil).peekText("key") == "plain")
    }

    @Test func anExistingStoreIsOpenedWithItsKey() async throws {
        let store = try open(key())
        try await store.insert(workspace.record("secret"), forKey: "key")
        await store.close()
        let tool = try DiskStore.openExisting(directory: workspace.directory, clock: workspace.clock, encryptionKey: key())
        #expect(try await tool.peekText("key") == "secret")
    }

    @Test(arguments: [DiskStore.Compression.none, .zlib()]) func nothingOfARecordCanBeReadInTheFiles(compression: DiskStore.Compression) async throws
    {
        let store = try open(key(), compression: compression)
        let words = ["KEY-plaintext", "TAG-plaintext", "PAYLOAD-plaintext", "PARTITION-plaintext", "CONTENT/plaintext", "VALIDATOR-plaintext"]
        for (number, count) in [1, 100, 20_000].enumerated() {
            for partition in [words[3], nil] {
                let record = Record(
                    payload: Data(String(repeating: words[2], count: count).utf8),
                    created: workspace.clock.now(),
                    tags: [words[1]],
                    partition: partition,
                    validator: words[5],
                    contentType: words[4]
                )
                let key = RecordKey("\(words[0]) \(number) \(partition ?? "")")
                try await store.insert(record, forKey: key)
                #expect(try await store.peekRecord(forKey: key) == record)
                let streamed = RecordKey("\(words[0]) streamed \(number) \(partition ?? "")")
                let writer = try store.writer(forKey: streamed, beginningWith: record)
                try await writer.finish()
            }
        }
        try await store.removeRecord(forKey: RecordKey(words[0] + " 0 "))
        func check(_ place: Comment) throws {
            let contents = try contents()
            // All of it fits in the database if it is compressed.
            #expect(contents.keys.contains { $0.hasPrefix("payloads/") } == (compression == .none))
            #expect(contents.keys.contains { $0.hasPrefix("keys/") })
            for (path, data) in contents {
                for word in words + ["plaintext"] {
                    #expect(data.range(of: Data(word.utf8)) == nil, "\(word) in \(path), \(place)")
                    #expect(!path.contains(word))
                }
            }
        }
        #expect(try #require(try contents()["hoard.sqlite-wal"]).count > 10_000)
        try check("with the log")
        await store.close()
        try check("after closing")
    }

    @Test func aRecordForWhichTheStoreGetsRoomMeanwhileIsEncryptedToo() async throws {
        let store = try workspace.open {
            $0.encryptionKey = try key()
            $0.maximumBytes = 10_000
        }
        let record = workspace.record(String(repeating: "PAYLOAD-plaintext", count: 2_000))
        let stored = try store.core.stored(record, "key", store.core.session())
        try await store.setMaximumBytes(nil)
        try await store.core.insert(stored, mode: .durable)
        #expect(try await store.peekRecord(forKey: "key") == record)
        for data in try contents().values { #expect(data.range(of: Data("PAYLOAD-plaintext".utf8)) == nil) }
    }

    @Test func whatAnUnencryptedStoreHoldsWouldBeFoundByTheTestAbove() async throws {
        let store = try open(nil)
        try await store.insert(workspace.record("PAYLOAD-plaintext", tags: ["TAG-plaintext"]), forKey: "KEY-plaintext")
        let log = try #require(try contents()["hoard.sqlite-wal"])
        for word in ["PAYLOAD-plaintext", "TAG-plaintext", "KEY-plaintext"] { #expect(log.range(of: Data(word.utf8)) != nil) }
    }

    @Test func twoStoresWithOneKeyHaveNothingInCommon() async throws {
        let other = try Workspace()
        for workspace in [workspace, other] {
            let store = try workspace.open { $0.encryptionKey = try key() }
            try await store.insert(workspace.record("text"), forKey: "key")
            await store.close()
        }
        // The database of one store is of no use with the records of the other.
        let (first, second) = (try open(key()), try other.open { $0.encryptionKey = try key() })
        #expect(try first.core.session().identify.identifier(of: "key") != second.core.session().identify.identifier(of: "key"))
    }

    @Test(arguments: [100, 200_000]) func aDroppedPartitionIsUnreadableAtOnceAndForAllAndCanBeUsedAgain(byteCount: Int) async throws {
        let (first, second) = (try open(key()), try open(key()))
        let record = workspace.record(byteCount: byteCount, partition: "user")
        let other = workspace.record(byteCount: byteCount, partition: "other")
        try await first.insert(record, forKey: "key")
        try await second.insert(other, forKey: "other")
        for store in [first, second] { #expect(try await store.peekRecord(forKey: "key") == record) }
        #expect(try contents().keys.count { $0.hasPrefix("keys/") } == 2)
        try await first.removePartition("user")
        #expect(try contents().keys.count { $0.hasPrefix("keys/") } == 1)
        for store in [first, second] {
            #expect(try await store.peekRecord(forKey: "key") == nil)
            #expect(try await store.peekRecord(forKey: "other") == other)
        }
        // The store that did not drop the partition knows an older key.
        let renewed = workspace.record(byteCount: byteCount, seed: 3, partition: "user")
        try await second.insert(renewed, forKey: "key")
        for store in [first, second] { #expect(try await store.peekRecord(forKey: "key") == renewed) }
        await first.close()
        await second.close()
        let reopened = try open(key())
        #expect(try await reopened.peekRecord(forKey: "key") == renewed)
        #expect(try await reopened.peekRecord(forKey: "other") == other)
        #expect(try await reopened.statistics().corruptions == 0)
    }

    @Test func aRowOfADroppedPartitionThatComesBackStaysUnreadable() async throws {
        let store = try open(key())
        try await store.insert(workspace.record("secret", partition: "user"), forKey: "key")
        try await store.insert(workspace.record("kept"), forKey: "kept")
        await store.close()
        // A thief copies the database. The partition is dropped, and the thief puts the old database back.
        let copy = try workspace.databaseBytes()
        let again = try open(key())
        try await again.removePartition("user")
        await again.close()
        try copy.write(to: URL(fileURLWithPath: workspace.databasePath))
        let restored = try open(key())
        #expect(try restored.countedTotals().count == 2)
        #expect(try await restored.record(forKey: "key") == nil)
        #expect(try await restored.peekText("kept") == "kept")
        #expect(try await restored.statistics().corruptions == 0)
    }

    @Test func aRecordWhosePartitionsKeyCannotBeReadJustNowStays() async throws {
        let store = try open(key())
        try await store.insert(workspace.record("text", partition: "user"), forKey: "key")
        await store.close()
        let reopened = try open(key())
        let (keys, aside) = (workspace.directory + "/keys", workspace.root + "/keys")
        try FileManager.default.moveItem(atPath: keys, toPath: aside)
        try Data().write(to: URL(fileURLWithPath: keys))
        #expect(await reopened.code { store throws(StoreError) in _ = try await store.record(forKey: "key") } == .notADirectory)
        try FileManager.default.removeItem(atPath: keys)
        try FileManager.default.moveItem(atPath: aside, toPath: keys)
        #expect(try await reopened.peekText("key") == "text")
    }

    @Test func writesOfOtherPartitionsGoOnWhileOneIsDropped() async throws {
        let store = try open(key())
        let hold = WriterHold(store)
        try await store.insert(workspace.record(byteCount: 100_000, partition: "other"), forKey: "file", mode: .behind)
        try await store.insert(workspace.record("text", partition: "other"), forKey: "text", mode: .behind)
        async let removal: Void = store.removePartition("user")
        store.separateBatches()
        try await store.insert(workspace.record(byteCount: 100_000, partition: "other"), forKey: "later", mode: .behind)
        hold.release()
        try await removal
        await store.flush()
        #expect(try await store.peekRecord(forKey: "file")?.payload == Data.pattern(100_000))
        #expect(try await store.peekText("text") == "text")
        #expect(try await store.peekRecord(forKey: "later")?.payload == Data.pattern(100_000))
        #expect(workspace.events.events.isEmpty)
    }

    @Test func aRecordWrittenBehindThePartitionsRemovalIsReadableAfterBoth() async throws {
        let store = try open(key())
        try await store.insert(workspace.record("old", partition: "user"), forKey: "old")
        let hold = WriterHold(store)
        async let removal: Void = store.removePartition("user")
        try await waitUntil { try await store.peekText("old") == nil }
        try await store.insert(workspace.record("new", partition: "user"), forKey: "new", mode: .behind)
        hold.release()
        try await removal
        await store.flush()
        #expect(try await store.peekText("new") == "new")
        await store.close()
        #expect(try await open(key()).peekText("new") == "new")
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func flippedBitsNeverGiveAnotherRecord(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try open(key())
        var expected: [RecordKey: Record] = [:]
        for number in 0..<40 {
            let record = workspace.record(byteCount: number * 50, seed: UInt8(number), partition: number % 2 == 0 ? "user" : nil)
            expected[RecordKey("\(number)")] = record
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        let large = workspace.record(byteCount: 200_000, partition: "user")
        expected["large"] = large
        try await store.insert(large, forKey: "large")
        await store.close()
        // The first pages identify the database.
        var bytes = try workspace.databaseBytes()
        for _ in 0..<30 { bytes[Int.random(in: 8192..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator) }
        try bytes.write(to: URL(fileURLWithPath: workspace.databasePath))
        for path in try contents().keys where path.hasPrefix("payloads/") {
            var bytes = try #require(try contents()[path])
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1
            try bytes.write(to: URL(fileURLWithPath: workspace.directory + "/" + path))
        }
        let damaged = try open(key())
        var foundCount = 0
        for (key, record) in expected {
            var found = try await damaged.record(forKey: key)
            // The time of the last use is not sealed.
            if let lastAccess = found?.lastAccess, lastAccess != record.lastAccess { found?.lastAccess = record.lastAccess }
            #expect(found == nil || found == record, "seed \(seed)")
            foundCount += found == nil ? 0 : 1
        }
        #expect(foundCount < expected.count, "seed \(seed)")
        #expect(try await damaged.record(forKey: "large") == nil)
        try await damaged.insert(large, forKey: "large")
        #expect(try await damaged.peekRecord(forKey: "large") == large)
    }
}
