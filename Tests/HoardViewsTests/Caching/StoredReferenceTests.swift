// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardViews

@Suite(.timeLimit(.minutes(5))) struct StoredReferenceTests {
    private let created = Date(timeIntervalSinceReferenceDate: 1_000)

    private func reference(maxAge: Int?, mustRevalidate: Bool = false) -> CacheReference {
        CacheReference(
            identifier: "id",
            data: Data("{}".utf8),
            hash: "ab",
            maxAge: maxAge,
            timeOfCreation: created,
            partition: "p",
            mustRevalidate: mustRevalidate
        )
    }

    private func record(_ reference: CacheReference) -> Record {
        StoredReference.record(for: reference, defaultMaxAge: 300, tags: ["t"], partition: reference.partition, now: created + 5)
    }

    private func decoded(_ record: Record) -> CacheReference? {
        StoredReference.reference(of: record, identifier: "id", partition: record.partition)
    }

    @Test func layoutIsAsDocumented() {
        let bytes = Array(record(reference(maxAge: 60, mustRevalidate: true)).payload)
        let double: (Double) -> [UInt8] = { number in withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) } }
        #expect(bytes == [3, 60, 0, 0, 0, 0, 0, 0, 0] + double(1_000) + double(1_060) + [2, 0, 0, 0] + Array("ab{}".utf8))
        #expect(Array(record(reference(maxAge: nil)).payload.prefix(17)) == [0, 0, 0, 0, 0, 0, 0, 0, 0] + double(1_000))
    }

    @Test func fieldsOfTheRecordSayTheSame() {
        let record = record(reference(maxAge: 60))
        #expect(record.created == created)
        #expect(record.freshUntil == created + 60)
        #expect(record.staleUntil == nil, "it can still be renewed by its hash")
        #expect(record.lastAccess == created + 5)
        #expect(record.validator == "ab")
        #expect(record.partition == "p")
        #expect(record.tags == ["t"])
        #expect(record.contentType == StoredReference.contentType)
        #expect(self.record(reference(maxAge: nil)).freshUntil == created + 300)
        #expect(self.record(reference(maxAge: .max)).freshUntil == .distantFuture)
        #expect(self.record(reference(maxAge: .min)).freshUntil == .distantPast)
    }

    @Test(arguments: [nil, 0, 60, -60, .max, .min], [true, false])
    func referenceIsReadAsItWasWritten(maxAge: Int?, mustRevalidate: Bool) {
        let reference = reference(maxAge: maxAge, mustRevalidate: mustRevalidate)
        #expect(decoded(record(reference)) == reference)
    }

    @Test func freshnessThatWasEndedInTheStoreIsNotRevived() {
        for (maxAge, end, expected) in [(60, 10, 10), (60, 60, 60), (60, 100, 60), (nil, 10, 10), (nil, 300, nil), (60, -5, 0), (nil, 0, 0)]
            as [(Int?, Double, Int?)]
        {
            var record = record(reference(maxAge: maxAge))
            _ = record.endFreshness(at: created + end)
            #expect(decoded(record)?.maxAge == expected, "\(maxAge as Any) ended after \(end)")
        }
        var record = record(reference(maxAge: 60))
        _ = record.endFreshness(at: created + 10.9)
        #expect(decoded(record)?.maxAge == 10, "rounded down")
        record.freshUntil = .distantPast
        #expect(decoded(record)?.maxAge == 0)
        record.freshUntil = nil
        #expect(decoded(record)?.maxAge == 60, "storage extends nothing")
    }

    @Test func recordOfAnotherShapeIsNone() {
        var record = record(reference(maxAge: 60))
        record.schemaFingerprint += 1
        #expect(decoded(record) == nil)
        record.schemaFingerprint -= 1
        #expect(decoded(record) != nil)
        record.payload[0] = 4
        #expect(decoded(record) == nil, "a flag that nobody knows")
    }

    @Test func everyTruncationOfTheFixedPartAndTheHashIsNone() {
        let whole = record(reference(maxAge: 60))
        for count in 0..<31 {
            var record = whole
            record.payload = record.payload.prefix(count)
            #expect(decoded(record) == nil, "\(count)")
        }
        var record = whole
        record.payload = Data([9, 9, 9]) + whole.payload
        record.payload = record.payload.dropFirst(3)
        #expect(decoded(record) == decoded(whole), "wherever the bytes begin")
        record.payload = whole.payload
        record.payload.replaceSubrange(29..<31, with: [0xFF, 0xFE])
        #expect(decoded(record) == nil, "a hash that is not UTF-8")
    }

    @Test func randomBytesNeverTrap() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let whole = record(reference(maxAge: 60))
        for _ in 0..<20_000 {
            var record = whole
            for _ in 0...Int.random(in: 0..<6, using: &generator) {
                record.payload[Int.random(in: 0..<record.payload.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { record.freshUntil = created + Double(bitPattern: generator.next()) }
            guard let reference = decoded(record) else { continue }
            #expect(reference.identifier == "id", "With seed \(seed)")
        }
    }
}
