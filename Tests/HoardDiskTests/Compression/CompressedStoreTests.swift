// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct CompressedStoreTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(_ compression: DiskStore.Compression, isEncrypted: Bool = false) throws -> DiskStore {
        try workspace.open {
            $0.compression = compression
            if isEncrypted { $0.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) }
        }
    }

    private func text(_ count: Int) -> Data {
        Data(String(repeating: "All work and no play makes Jack a dull boy. ", count: count / 44 + 1).utf8.prefix(count))
    }

    private func noise(_ count: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(count))
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    @Test(arguments: [0, 1, 511, 512, 513, 4096, 16_383, 16_384, 16_385, 200_000, 2_000_000], [false, true])
    func payloadsOfAllLengthsComeBackExactly(byteCount: Int, isEncrypted: Bool) async throws {
        let store = try open(.zlib(level: 6), isEncrypted: isEncrypted)
        let payloads = ["text": text(byteCount), "noise": noise(byteCount), "zeros": Data(count: byteCount)]
        for (name, payload) in payloads {
            try await store.insert(Hoard.Record(payload: payload, created: ManualClock.start), forKey: RecordKey(name))
        }
        for (name, payload) in payloads {
            #expect(try await store.peekRecord(forKey: RecordKey(name))?.payload == payload)
            let reader = try #require(try await store.reader(forKey: RecordKey(name)))
            #expect(reader.byteCount == byteCount)
            #expect(try await reader.read(byteCount / 3..<byteCount) == payload.dropFirst(byteCount / 3))
        }
        await store.close()
        // The setting is for writing only.
        let reopened = try open(.none, isEncrypted: isEncrypted)
        for (name, payload) in payloads { #expect(try await reopened.peekRecord(forKey: RecordKey(name))?.payload == payload) }
    }

    @Test(arguments: [false, true]) func textTakesLessSpaceAndIsChargedLess(isEncrypted: Bool) async throws {
        let store = try open(.zlib(), isEncrypted: isEncrypted)
        try await store.insert(Hoard.Record(payload: text(20_000), created: ManualClock.start), forKey: "text")
        #expect(try await store.statistics().bytes < 2000)
        #expect(try store.query { db in try Int.fetchOne(db, sql: "SELECT LENGTH(payload) FROM records") } ?? 0 < 2000)
        try await store.insert(Hoard.Record(payload: noise(20_000), created: ManualClock.start), forKey: "noise")
        #expect(try await store.statistics().bytes > 20_000)
    }

    @Test func whatIsCompressedAlreadyStaysAsItIs() async throws {
        let store = try open(.zlib(level: 9))
        try await store.insert(Hoard.Record(payload: text(20_000), created: ManualClock.start, contentType: "image/jpeg"), forKey: "image")
        #expect(try await store.statistics().bytes > 20_000)
        #expect(try await store.peekRecord(forKey: "image")?.payload == text(20_000))
    }

    @Test func aWriteBehindOfTextIsReadBeforeItIsCommitted() async throws {
        let store = try open(.zlib())
        let hold = WriterHold(store)
        let record = Hoard.Record(payload: text(10_000), created: ManualClock.start)
        try await store.insert(record, forKey: "key", mode: .behind)
        #expect(try await store.peekRecord(forKey: "key") == record)
        #expect(try await store.reader(forKey: "key")?.read(0..<10) == record.payload.prefix(10))
        hold.release()
        await store.flush()
        #expect(try await store.peekRecord(forKey: "key") == record)
    }

    @Test func damagedCompressedBytesAreAMiss() async throws {
        let store = try open(.zlib())
        try await store.insert(Hoard.Record(payload: text(10_000), created: ManualClock.start), forKey: "key")
        await store.close()
        try workspace.changeDatabase("UPDATE records SET payload = SUBSTR(payload, 1, LENGTH(payload) - 1)")
        let reopened = try open(.zlib())
        #expect(try await reopened.record(forKey: "key") == nil)
        #expect(try await reopened.statistics().corruptions == 1)
    }
}
