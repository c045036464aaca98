// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

@Suite struct RecordWriterTests {
    private static let chunk = PayloadFileLayout.chunkByteCount

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(isEncrypted: Bool, maximumBytes: Int? = 1 << 30) throws -> DiskStore {
        try workspace.open {
            $0.maximumBytes = maximumBytes
            if isEncrypted { $0.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) }
        }
    }

    private func record(partition: String? = nil) -> Record {
        Record(
            payload: Data(),
            created: workspace.clock.now(),
            tags: ["tag"],
            partition: partition,
            validator: "\"1\"",
            contentType: "application/octet-stream",
            schemaFingerprint: 7
        )
    }

    private func write(_ payload: Data, in pieceByteCount: Int, to store: DiskStore, _ key: RecordKey, partition: String? = nil) async throws {
        let writer = try store.writer(forKey: key, beginningWith: record(partition: partition))
        var offset = 0
        while offset < payload.count {
            let end = min(offset + pieceByteCount, payload.count)
            try await writer.write(payload.subdata(in: offset..<end))
            offset = end
            #expect(writer.byteCount == end)
        }
        #expect(try await store.peekRecord(forKey: key) == nil)
        try await writer.finish()
    }

    @Test(
        arguments: [
            0, 1, 16_383, 16_384, 16_385, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 1_000_000,
        ],
        [false, true]
    )
    func payloadsOfAllLengthsAreStored(byteCount: Int, isEncrypted: Bool) async throws {
        let store = try open(isEncrypted: isEncrypted)
        let payload = Data.pattern(byteCount)
        for (number, pieceByteCount) in [1 << 20, 70_001].enumerated() {
            try await write(payload, in: pieceByteCount, to: store, RecordKey("\(number)"), partition: number == 0 ? "partition" : nil)
        }
        for _ in 0..<2 {
            for number in 0..<2 {
                var expected = record(partition: number == 0 ? "partition" : nil)
                expected.payload = payload
                #expect(try await store.peekRecord(forKey: RecordKey("\(number)")) == expected)
            }
            await store.flush()
        }
        #expect(try workspace.payloadFiles().count == (byteCount > 16_384 ? 2 : 0))
        #expect(try store.countedTotals().count == 2)
        #expect(try await store.statistics().insertions == 2)
    }

    @Test func theRecordsPayloadIsTheFirstPiece() async throws {
        let store = try workspace.open()
        for (key, count) in [("small", 10), ("large", 100_000)] as [(RecordKey, Int)] {
            var first = record()
            first.payload = Data.pattern(count)
            let writer = try store.writer(forKey: key, beginningWith: first)
            #expect(writer.byteCount == count)
            try await writer.write(Data.pattern(50_000, seed: 9))
            try await writer.finish()
            first.payload += Data.pattern(50_000, seed: 9)
            #expect(try await store.peekRecord(forKey: key) == first)
        }
    }

    @Test func aLargeFirstPieceAloneIsStoredToo() async throws {
        let store = try workspace.open()
        var first = record()
        first.payload = Data.pattern(300_000)
        try await store.writer(forKey: "key", beginningWith: first).finish()
        #expect(try await store.peekRecord(forKey: "key") == first)
    }

    @Test func theOlderRecordStaysUntilTheWriterHasFinished() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("old"), forKey: "key")
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(200_000))
        #expect(try await store.peekText("key") == "old")
        try await writer.finish()
        #expect(try await store.peekRecord(forKey: "key")?.payload == Data.pattern(200_000))
    }

    @Test(arguments: [10, 200_000]) func aWriterThatIsCancelledLeavesNothing(byteCount: Int) async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("old"), forKey: "key")
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(byteCount))
        writer.cancel()
        writer.cancel()
        #expect(try workspace.payloadFiles().isEmpty)
        #expect(try await store.peekText("key") == "old")
        await #expect(throws: StoreError.self) { try await writer.write(Data([1])) }
        await #expect(throws: StoreError.self) { try await writer.finish() }
        #expect(try await store.peekText("key") == "old")
    }

    @Test func aWriterThatIsReleasedLeavesNothing() async throws {
        let store = try workspace.open()
        func begin() async throws {
            let writer = try store.writer(forKey: "key", beginningWith: record())
            try await writer.write(Data.pattern(200_000))
            #expect(try workspace.payloadFiles().count == 1)
        }
        try await begin()
        #expect(try workspace.payloadFiles().isEmpty)
        #expect(try await store.record(forKey: "key") == nil)
    }

    @Test func aWriterThatHasFinishedTakesNothingMore() async throws {
        let store = try workspace.open()
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(100))
        try await writer.finish()
        writer.cancel()
        await #expect(throws: StoreError.self) { try await writer.write(Data([1])) }
        await #expect(throws: StoreError.self) { try await writer.finish() }
        #expect(try await store.peekRecord(forKey: "key")?.payload == Data.pattern(100))
    }

    @Test func whatAProcessLeftBehindThatDiedIsSweptWhenTheStoreIsOpened() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(byteCount: 100_000), forKey: "kept")
        await store.close()
        let directory = workspace.directory + "/payloads/"
        let orphan = PayloadFileName(id: 42, nonce: 43)
        try FileManager.default.createDirectory(atPath: directory + "00", withIntermediateDirectories: true)
        for path in ["temporary/0123456789abcdef", "00/" + orphan.fileName] {
            try Data.pattern(5000).write(to: URL(fileURLWithPath: directory + path))
        }
        #expect(try workspace.payloadFiles().count == 3)
        let reopened = try workspace.open()
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().count == 1 }
        #expect(try await reopened.peekRecord(forKey: "kept") != nil)
    }

    @Test func aLiveWritersFileIsLeftAloneWhenTheStoreIsOpenedAgain() async throws {
        let store = try workspace.open()
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(200_000))
        let second = try workspace.open()
        second.core.finishHousekeeping()
        await second.flush()
        #expect(try workspace.payloadFiles().count == 1)
        try await writer.finish()
        #expect(try await second.peekRecord(forKey: "key")?.payload.count == 200_000)
    }

    @Test func aRecordThatGrowsBeyondTheLimitIsRefusedAndTakesTheOldOne() async throws {
        let store = try open(isEncrypted: false, maximumBytes: 500_000)
        try await store.insert(workspace.record("old"), forKey: "key")
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(400_000))
        #expect(try await store.peekText("key") == "old")
        let code = await store.code { _ throws(StoreError) in try await writer.write(Data.pattern(200_000)) }
        #expect(code == .recordTooLarge)
        #expect(try workspace.payloadFiles().isEmpty)
        #expect(try await store.peekText("key") == nil)
        #expect(try await store.statistics().refusals == 1)
        #expect(await store.code { _ throws(StoreError) in try await writer.finish() } == .closed)
    }

    @Test func aRecordThatIsTooLargeOnlyWithItsMetadataIsRefusedAtTheEnd() async throws {
        let store = try open(isEncrypted: false, maximumBytes: 102_400)
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(102_300))
        #expect(await store.code { _ throws(StoreError) in try await writer.finish() } == .recordTooLarge)
        #expect(try await store.peekRecord(forKey: "key") == nil)
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().isEmpty }
    }

    @Test func othersAreEvictedForAStreamedRecord() async throws {
        let store = try open(isEncrypted: false, maximumBytes: 500_000)
        for number in 0..<4 { try await store.insert(workspace.record(byteCount: 100_000), forKey: RecordKey("\(number)")) }
        try await write(Data.pattern(300_000), in: 50_000, to: store, "key")
        #expect(try await store.peekRecord(forKey: "0") == nil)
        #expect(try await store.peekRecord(forKey: "3") != nil)
        #expect(try await store.peekRecord(forKey: "key")?.payload.count == 300_000)
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().count == 2 }
    }

    @Test func aKeyThatIsTooLongAndTooMuchMetadataAreRefusedAtOnce() throws {
        let store = try workspace.open()
        let long = RecordKey(String(repeating: "k", count: RecordKey.maximumByteCount + 1))
        #expect(throws: StoreError.self) { try store.writer(forKey: long, beginningWith: record()) }
        var manyTags = record()
        manyTags.tags = Set((0...65_535).map(String.init))
        #expect(throws: StoreError.self) { try store.writer(forKey: "key", beginningWith: manyTags) }
    }

    @Test func aWriterOfAClosedStoreFails() async throws {
        let store = try workspace.open()
        let writer = try store.writer(forKey: "key", beginningWith: record())
        try await writer.write(Data.pattern(200_000))
        await store.close()
        #expect(throws: StoreError.self) { try store.writer(forKey: "key", beginningWith: record()) }
        #expect(await store.code { _ throws(StoreError) in try await writer.finish() } == .closed)
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().isEmpty }
    }

    @Test func aPartitionThatIsDroppedWhileAWriterIsAtWorkFailsItsEnd() async throws {
        let store = try open(isEncrypted: true)
        let writer = try store.writer(forKey: "key", beginningWith: record(partition: "user"))
        try await writer.write(Data.pattern(200_000))
        try await store.removePartition("user")
        // The end of the write fails, and no record is there.
        let code = await store.code { _ throws(StoreError) in try await writer.finish() }
        #expect(code == .unavailable)
        #expect(try await store.peekRecord(forKey: "key") == nil)
        try await write(Data.pattern(200_000), in: 50_000, to: store, "key", partition: "user")
        #expect(try await store.peekRecord(forKey: "key")?.payload == Data.pattern(200_000))
    }

    @Test func writersAtOnceOfOneKeyLeaveOneWholeRecord() async throws {
        let store = try workspace.open()
        let record = record()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 1...6 as ClosedRange<UInt8> {
                group.addTask {
                    let writer = try store.writer(forKey: "key", beginningWith: record)
                    for start in stride(from: 0, to: 300_000, by: 60_000) {
                        try await writer.write(Data.pattern(300_000, seed: seed).subdata(in: start..<start + 60_000))
                        await Task.yield()
                    }
                    try await writer.finish()
                }
            }
            try await group.waitForAll()
        }
        let payload = try #require(try await store.peekRecord(forKey: "key")).payload
        #expect((1...6).contains { payload == Data.pattern(300_000, seed: $0) })
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().count == 1 }
    }
}
