// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct StoredRecordTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    static let records: [Record] = {
        let plain = Record(payload: Data(), created: now, staleUntil: .forever)
        var full = Record(
            payload: Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0) }),
            created: now,
            freshUntil: now + 60.25,
            staleUntil: .date(now + 3_600),
            lastAccess: now + 1,
            tags: ["a", "größe", "", String(repeating: "long", count: 200)],
            partition: "ann ü",
            validator: "\"e\u{1F980}\"",
            contentType: "text/plain",
            schemaFingerprint: .max
        )
        full.staleWhileRevalidate = .milliseconds(1_500)
        full.staleIfError = .seconds(86_400)
        full.loadDuration = .nanoseconds(1)
        var negative = plain
        negative.isNegative = true
        negative.loadDuration = .zero
        negative.partition = ""
        return [plain, full, negative, Record(payload: Data("x".utf8), created: now, freshUntil: .distantPast, staleUntil: .forever, tags: ["t"])]
    }()

    private static func reference(_ scope: RecordScope) -> GenerationReference {
        GenerationReference(number: UInt64(bitPattern: Int64(scope.hashValue)), markCount: 3)
    }

    private static func encoded(_ record: Record, key: RecordKey = "key", number: UInt64 = 42) -> ByteBuffer {
        StoredRecord.encode(record, key: key, number: number, now: now, generations: reference)
    }

    private static func decoded(_ buffer: ByteBuffer, key: RecordKey = "key") -> StoredRecord? {
        if case .record(let stored) = StoredValue(buffer, key: key) { stored } else { nil }
    }

    @Test(arguments: records) func aRecordComesBackAsItWas(record: Record) throws {
        let buffer = Self.encoded(record)
        #expect(buffer.readableBytes == StoredRecord.byteCount(of: record))
        let stored = try #require(Self.decoded(buffer))
        #expect(stored.record == record)
        #expect(stored.number == 42)
        #expect(stored.payloadByteCount == record.payload.count)
        #expect(stored.generation == Self.reference(.everything))
        #expect(Set(stored.references.map(\.scope)) == Set(RecordScope.all(of: record)).subtracting([.everything]))
        for (scope, generation) in stored.references { #expect(generation == Self.reference(scope)) }
        #expect(RecordVersion(ofValue: buffer) == .number(42))
        #expect(StoredRecord.generationNumber(inBeginningOf: buffer) == Self.reference(.everything).number)
    }

    @Test func aValueThatDoesNotLieAtTheBeginningOfItsBufferIsReadAsWell() throws {
        let value = Self.encoded(Self.records[1])
        var buffer = ByteBuffer(string: "something else")
        buffer.writeImmutableBuffer(value)
        buffer.moveReaderIndex(forwardBy: 14)
        #expect(try #require(Self.decoded(buffer)).record == Self.records[1])
        #expect(RecordVersion(ofValue: buffer) == .number(42))
    }

    @Test func theHeaderAloneTellsEverythingButThePayload() throws {
        let buffer = Self.encoded(Self.records[1])
        let count = try #require(StoredRecord.headerByteCount(in: buffer))
        let header = try #require(buffer.getSlice(at: 0, length: count))
        guard case .record(let stored) = StoredValue(header: header, key: "key") else {
            Issue.record("The header should be readable.")
            return
        }
        var expected = Self.records[1]
        expected.payload = Data()
        #expect(stored.record == expected)
        #expect(stored.payloadByteCount == 3_000)
    }

    @Test func theEndOfTheFreshnessCanBeWrittenOverTheHeader() throws {
        for record in Self.records {
            let buffer = Self.encoded(record)
            guard case .record(var stored) = StoredValue(header: buffer, key: "key") else {
                Issue.record("The header should be readable.")
                return
            }
            _ = stored.record.endFreshness(at: Self.now - 1)
            stored.number = 43
            let header = stored.encodedHeader(key: "key")
            #expect(header.readableBytes == StoredRecord.headerByteCount(in: buffer))
            var changed = buffer
            changed.setBuffer(header, at: 0)
            let read = try #require(Self.decoded(changed))
            var expected = record
            _ = expected.endFreshness(at: Self.now - 1)
            #expect(read.record == expected)
            #expect(read.number == 43 && read.references.map(\.scope) == stored.references.map(\.scope))
        }
    }

    @Test(arguments: records) func aFlippedBitAnywhereIsNoticed(record: Record) {
        let buffer = Self.encoded(record)
        for offset in 0..<buffer.readableBytes {
            var damaged = buffer
            let byte = buffer.getInteger(at: offset, as: UInt8.self) ?? 0
            damaged.setInteger(byte ^ (1 << UInt8(offset % 8)), at: offset)
            #expect(Self.decoded(damaged) == nil, "The byte at \(offset) has a flipped bit.")
        }
    }

    @Test(arguments: records) func whatIsCutOffOrTooLongIsNoRecord(record: Record) {
        let buffer = Self.encoded(record)
        for length in 0..<buffer.readableBytes { #expect(Self.decoded(buffer.getSlice(at: 0, length: length) ?? ByteBuffer()) == nil) }
        var longer = buffer
        longer.writeInteger(0 as UInt8)
        #expect(Self.decoded(longer) == nil)
    }

    @Test func aRecordOfAnotherKeyIsNone() {
        #expect(Self.decoded(Self.encoded(Self.records[1]), key: "other") == nil)
    }

    @Test func aLaterVersionIsToldFromDamage() {
        var buffer = Self.encoded(Self.records[1])
        buffer.setInteger(2 as UInt8, at: 3)
        guard case .newer = StoredValue(buffer, key: "key") else {
            Issue.record("A record of version 2 should be newer.")
            return
        }
        guard case .unreadable = StoredValue(ByteBuffer(string: "hello"), key: "key") else {
            Issue.record("Another program's value should be unreadable.")
            return
        }
    }

    @Test func aTombstoneIsNoRecordButHasAVersion() {
        let buffer = StoredRecord.tombstone(number: 7)
        guard case .tombstone = StoredValue(buffer, key: "key") else {
            Issue.record("It should be a tombstone.")
            return
        }
        #expect(RecordVersion(ofValue: buffer) == .number(7))
        #expect(StoredRecord.generationNumber(inBeginningOf: buffer) == nil)
        var longer = buffer
        longer.writeInteger(0 as UInt8)
        guard case .unreadable = StoredValue(longer, key: "key") else {
            Issue.record("A tombstone has nothing behind it.")
            return
        }
    }

    @Test func anythingAtAllIsReadWithoutATrap() {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<3_000 {
            var buffer: ByteBuffer
            if round % 2 == 0 {
                buffer = ByteBuffer(
                    bytes: (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                )
            } else {
                // Lengths that lie, with a checksum that does not.
                buffer = Self.encoded(Self.records[round % 4])
                let end = (StoredRecord.headerByteCount(in: buffer) ?? 98) - StoredRecord.checksumByteCount
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    buffer.setInteger(UInt8.random(in: .min ... .max, using: &generator), at: Int.random(in: 4..<end, using: &generator))
                }
                buffer.setInteger(
                    RecordChecksum.hash(buffer, 0..<end, seed: RecordChecksum.seed(for: "key")),
                    at: end,
                    endianness: .little
                )
            }
            _ = StoredValue(buffer, key: "key")
            _ = StoredValue(header: buffer, key: "key")
        }
    }

    @Test func aDateThatIsNotANumberIsTakenToBeNow() throws {
        let record = Record(payload: Data(), created: Date(timeIntervalSinceReferenceDate: .nan), staleUntil: .forever)
        #expect(try #require(Self.decoded(Self.encoded(record))).record.created == Self.now)
    }

    @Test func versionsAreTheBytesThatScriptsCompare() {
        #expect(RecordVersion.absent.bytes.isEmpty)
        #expect(RecordVersion.number(0x0102).bytes == [2, 1, 0, 0, 0, 0, 0, 0])
        #expect(RecordVersion(ofNumber: ByteBuffer(bytes: RecordVersion.number(99).bytes)) == .number(99))
        #expect(RecordVersion(ofNumber: ByteBuffer(bytes: [1, 2])) == .absent)
        #expect(RecordVersion(ofValue: nil) == .absent)
        #expect(RecordVersion(ofValue: ByteBuffer(bytes: [UInt8](repeating: 1, count: 15))) == .absent)
    }
}
