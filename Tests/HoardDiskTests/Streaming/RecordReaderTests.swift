// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct RecordReaderTests {
    private static let chunk = PayloadFileLayout.chunkByteCount

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(isEncrypted: Bool = false) throws -> DiskStore {
        try workspace.open { if isEncrypted { $0.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) } }
    }

    private func reader(_ store: DiskStore, _ key: RecordKey = "key") async throws -> RecordReader {
        try #require(try await store.reader(forKey: key))
    }

    @Test(arguments: [0, 1, 100, 16_384, 16_385, chunk, 3 * chunk + 5], [false, true])
    func aPayloadIsReadInPiecesThatMakeItUp(byteCount: Int, isEncrypted: Bool) async throws {
        let store = try open(isEncrypted: isEncrypted)
        let record = workspace.record(byteCount: byteCount, tags: ["tag"], partition: "partition")
        try await store.insert(record, forKey: "key")
        let reader = try await reader(store)
        #expect(reader.byteCount == byteCount)
        var expected = record
        expected.payload = Data()
        #expect(reader.record == expected)
        var payload = Data()
        var pieceCount = 0
        for try await piece in reader.pieces() {
            #expect(!piece.isEmpty && piece.count <= Self.chunk)
            payload += piece
            pieceCount += 1
        }
        #expect(payload == record.payload)
        #expect(pieceCount == (byteCount + Self.chunk - 1) / Self.chunk)
        #expect(try await reader.read(0..<byteCount) == record.payload)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>, [1000, 500_000]) func everyRangeIsReadExactly(seed: UInt64, byteCount: Int) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try open(isEncrypted: seed == 2)
        let payload = Data.pattern(byteCount)
        try await store.insert(workspace.record(byteCount: byteCount), forKey: "key")
        let reader = try await reader(store)
        for _ in 0..<40 {
            let start = Int.random(in: 0...byteCount, using: &generator)
            let end = Int.random(in: start...byteCount + 10, using: &generator)
            let expected = payload.subdata(in: start..<min(end, byteCount))
            #expect(try await reader.read(start..<end) == expected, "seed \(seed)")
            var pieces = Data()
            for try await piece in reader.pieces(in: start..<end) { pieces += piece }
            #expect(pieces == expected, "seed \(seed)")
        }
        #expect(try await reader.read(byteCount + 5..<byteCount + 9).isEmpty)
        #expect(try await reader.read(-10..<5) == payload.prefix(5))
        #expect(try await reader.read(Int.min..<Int.max) == payload)
    }

    @Test func aRecordThatIsNotThereHasNoReader() async throws {
        let store = try open()
        #expect(try await store.reader(forKey: "key") == nil)
        #expect(try await store.statistics().misses == 1)
        try await store.insert(workspace.record("short", freshFor: 5), forKey: "key")
        #expect(try await store.reader(forKey: "key") != nil)
        #expect(try await store.statistics().hits == 1)
        workspace.clock.advance(by: 5)
        #expect(try await store.reader(forKey: "key") == nil)
        #expect(try store.countedTotals().count == 0)
    }

    @Test func openingCountsAsAUse() async throws {
        let store = try workspace.open(maximumCount: 2)
        for key in ["a", "b"] as [RecordKey] { try await store.insert(workspace.record(byteCount: 100_000), forKey: key) }
        workspace.clock.advance(by: 10)
        _ = try await reader(store, "a")
        #expect(try #require(try await store.peekRecord(forKey: "a")).lastAccess.timeIntervalSince(ManualClock.start) > 9)
        try await store.insert(workspace.record(), forKey: "c")
        #expect(try await store.peekRecord(forKey: "a") != nil)
        #expect(try await store.peekRecord(forKey: "b") == nil)
    }

    @Test(arguments: ["replaced", "removed", "all removed", "evicted", "partition dropped"], [false, true])
    func whatIsBeingReadStaysReadable(change: String, isEncrypted: Bool) async throws {
        let store = try workspace.open {
            $0.maximumCount = 1
            if isEncrypted { $0.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) }
        }
        let record = workspace.record(byteCount: 400_000, partition: "partition")
        try await store.insert(record, forKey: "key")
        let reader = try await reader(store)
        let start = try await reader.read(0..<1000)
        switch change {
        case "replaced": try await store.insert(workspace.record(byteCount: 300_000, seed: 5), forKey: "key")
        case "removed": try await store.removeRecord(forKey: "key")
        case "all removed": try await store.removeAll()
        case "evicted": try await store.insert(workspace.record(), forKey: "other")
        default: try await store.removePartition("partition")
        }
        store.core.finishHousekeeping()
        #expect(try workspace.payloadFiles().count == (change == "replaced" ? 1 : 0))
        #expect(try await reader.read(1000..<400_000) == record.payload.dropFirst(1000))
        #expect(start == record.payload.prefix(1000))
        #expect(try await store.peekRecord(forKey: "key")?.payload == (change == "replaced" ? Data.pattern(300_000, seed: 5) : nil))
    }

    @Test(arguments: [false, true]) func damageInTheMiddleIsAnErrorAndTakesTheRecord(isEncrypted: Bool) async throws {
        let store = try open(isEncrypted: isEncrypted)
        try await store.insert(workspace.record(byteCount: 5 * Self.chunk), forKey: "key")
        let path = try "\(workspace.directory)/payloads/" + #require(workspace.payloadFiles().first)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(2 * Self.chunk + 77))
        let byte = try #require(try file.read(upToCount: 1))
        try file.seek(toOffset: UInt64(2 * Self.chunk + 77))
        try file.write(contentsOf: Data([byte[0] ^ 0x10]))
        try file.close()
        let reader = try await reader(store)
        #expect(try await reader.read(0..<Self.chunk) == Data.pattern(5 * Self.chunk).prefix(Self.chunk))
        #expect(try await reader.read(3 * Self.chunk..<5 * Self.chunk) == Data.pattern(5 * Self.chunk).dropFirst(3 * Self.chunk))
        var count = 0
        await #expect(throws: StoreError.self) { for try await piece in reader.pieces() { count += piece.count } }
        #expect(count == 2 * Self.chunk)
        #expect(try await store.peekRecord(forKey: "key") == nil)
        #expect(try store.countedTotals() == RecordTotals(count: 0, bytes: 0))
        #expect(try await store.statistics().corruptions == 1)
        #expect(workspace.events.kinds == [.recordDamaged])
        store.core.finishHousekeeping()
        #expect(try workspace.payloadFiles().isEmpty)
    }

    @Test func damageThatIsFoundLateDoesNotTakeANewerRecord() async throws {
        let store = try open()
        try await store.insert(workspace.record(byteCount: 2 * Self.chunk), forKey: "key")
        let path = try "\(workspace.directory)/payloads/" + #require(workspace.payloadFiles().first)
        let reader = try await reader(store)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: Data(repeating: 0xEE, count: 100))
        try file.close()
        try await store.insert(workspace.record(byteCount: 2 * Self.chunk, seed: 4), forKey: "key")
        await #expect(throws: StoreError.self) { try await reader.read(0..<100) }
        #expect(try await store.peekRecord(forKey: "key")?.payload == Data.pattern(2 * Self.chunk, seed: 4))
        #expect(try await store.statistics().corruptions == 0)
    }

    @Test func aRecordThatWaitsToBeWrittenIsRead() async throws {
        let store = try open()
        let hold = WriterHold(store)
        let record = workspace.record(byteCount: 300_000)
        try await store.insert(record, forKey: "key", mode: .behind)
        let reader = try await reader(store)
        #expect(try await reader.read(100_000..<300_000) == record.payload.dropFirst(100_000))
        hold.release()
        await store.flush()
        #expect(try await self.reader(store).read(0..<300_000) == record.payload)
    }

    #if os(Linux)
        /// The greatest amount of memory that this process has had so far, in KiB.
        private static func peakMemory() throws -> Int {
            let line = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
        }

        /// This test runs in its own process, because other tests use memory too.
        @Test(.enabled(if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil, "The address sanitizer keeps what has been freed."))
        func aPayloadStreamsThroughInConstantMemory() async {
            await #expect(processExitsWith: .success) {
                let workspace = try Workspace()
                let store = try workspace.open()
                let piece = Data.pattern(1 << 20)
                let pieceCount = 64
                let before = try Self.peakMemory()
                let writer = try store.writer(forKey: "key", beginningWith: Record(payload: Data(), created: ManualClock.start))
                for _ in 0..<pieceCount { try await writer.write(piece) }
                try await writer.finish()
                let reader = try #require(try await store.reader(forKey: "key"))
                #expect(reader.byteCount == pieceCount << 20)
                var offset = 0
                for try await part in reader.pieces() {
                    let start = offset % piece.count
                    if part != piece.subdata(in: start..<start + part.count) { Issue.record("The piece at \(offset) is another one.") }
                    offset += part.count
                }
                #expect(offset == pieceCount << 20)
                #expect(try Self.peakMemory() - before < 8 << 10)
            }
        }
    #endif
}
