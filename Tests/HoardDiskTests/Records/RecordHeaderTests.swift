// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct RecordHeaderTests {
    private func decoded(_ bytes: [UInt8]) -> RecordHeader? { bytes.withUnsafeBytes { RecordHeader(encoded: $0) } }

    private func header(_ change: (inout Record) -> Void = { _ in }) -> RecordHeader {
        var record = Record(
            payload: Data([1, 2, 3]),
            created: Date(timeIntervalSinceReferenceDate: 2),
            freshUntil: Date(timeIntervalSinceReferenceDate: 4),
            tags: ["b", "a"],
            validator: "v",
            schemaFingerprint: 0x0102_0304_0506_0708
        )
        record.lastAccess = Date(timeIntervalSinceReferenceDate: 8)
        change(&record)
        return RecordHeader(record, key: "key", now: ManualClock.start)
    }

    /// A header as format 4 and before had it. Stores that were written then are full of such records.
    private let firstVersion: [UInt8] =
        [1, 2 | 4 | 8, 2, 0, 3, 0, 0, 0]
        + [0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x20, 0x40]
        + [8, 7, 6, 5, 4, 3, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        + Array("key".utf8) + [1, 0, 0, 0, 0x61, 1, 0, 0, 0, 0x62, 1, 0, 0, 0, 0x76]

    @Test func aHeaderOfFormatFourIsRead() throws {
        let read = try #require(decoded(firstVersion))
        #expect(read == header())
        #expect(read.staleIfError == .zero && read.staleWhileRevalidate == .zero && read.loadDuration == nil && !read.isNegative)
        #expect(decoded([2] + firstVersion.dropFirst() + [1]) == header { $0.isNegative = true })
        #expect(header().encodedAsBefore == firstVersion)
        for count in 0..<firstVersion.count { #expect(decoded(Array(firstVersion[..<count])) == nil, "\(count) of \(firstVersion.count) bytes") }
    }

    @Test func aHeaderHasOnlyWhatItNeeds() {
        let created: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0x40]
        let plain = RecordHeader(
            Record(payload: Data(count: 300), created: Date(timeIntervalSinceReferenceDate: 2), staleUntil: .forever),
            key: "key",
            now: ManualClock.start
        )
        #expect(plain.encoded == [3, 0, 0] + created + [3, 0xAC, 2] + Array("key".utf8))
        #expect(decoded(plain.encoded) == plain)
        let full = header { $0.isNegative = true }
        #expect(
            full.encoded == [3, 2 | 4 | 8, 1 | 2 | 8 | 16] + created
                + [0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x20, 0x40]
                + [8, 7, 6, 5, 4, 3, 2, 1, 2, 0, 3, 3] + Array("key".utf8) + [1, 0, 0, 0, 0x61, 1, 0, 0, 0, 0x62, 1, 0, 0, 0, 0x76] + [1]
        )
        #expect(decoded(full.encoded) == full)
    }

    @Test func theExtensionHasOnlyWhatIsSet() {
        let timed = header { $0.loadDuration = .seconds(3) + .nanoseconds(1) }
        #expect(timed.encoded.suffix(18) == [0x76, 8, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0xCA, 0x9A, 0x3B, 0, 0, 0, 0])
        let zero = header { $0.loadDuration = .zero }
        #expect(decoded(zero.encoded)?.loadDuration == .zero)
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, .max]) func lengthsComeBack(length: Int) {
        var written = header()
        written.payloadByteCount = length
        #expect(decoded(written.encoded) == written)
    }

    @Test(arguments: [
        [0x80], [0x83, 0], [0x80, 0x80, 0], [UInt8](repeating: 0xFF, count: 12),
        [UInt8](repeating: 0xFF, count: 9) + [1], [UInt8](repeating: 0x80, count: 9) + [1],
    ]) func aLengthThatIsTooLongOrNeedsFewerBytesIsNone(length: [UInt8]) {
        let start: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40]
        #expect(decoded(start + length + [3] + Array("key".utf8)) == nil)
        #expect(decoded(start + [3] + length + Array("key".utf8)) == nil)
    }

    @Test(arguments: 0..<30 as Range<UInt64>) func headersOfBothKindsSayTheSame(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func date() -> Date? {
            guard Bool.random(using: &generator) else { return nil }
            return Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator))
        }
        func text() -> String? { Bool.random(using: &generator) ? String(repeating: "é", count: .random(in: 0..<200, using: &generator)) : nil }
        var written = header { record in
            record.freshUntil = date()
            record.staleUntil = date()
            if let date = date() { record.lastAccess = date } else { record.lastAccess = record.created }
            record.validator = text()
            record.contentType = text()
            record.partition = text()
            if Bool.random(using: &generator) { record.tags = [] }
            if Bool.random(using: &generator) { record.schemaFingerprint = 0 }
            record.isNegative = Bool.random(using: &generator)
        }
        written.key = RecordKey(bytes: (0..<Int.random(in: 0..<300, using: &generator)).map { UInt8(truncatingIfNeeded: $0) })
        written.root = Bool.random(using: &generator) ? generator.next() : 0
        written.isCompressed = Bool.random(using: &generator)
        #expect(decoded(written.encoded) == written, "seed \(seed)")
        #expect(decoded(written.encodedAsBefore) == written, "seed \(seed)")
        for count in 0..<written.encoded.count { #expect(decoded(Array(written.encoded[..<count])) == nil, "seed \(seed), \(count) bytes") }
    }

    @Test(arguments: 0..<30 as Range<UInt64>) func durationsComeBackExactly(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func duration() -> Duration {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .zero
            case 1: Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
            case 2: .nanoseconds(Int64.random(in: .min ... .max, using: &generator))
            default: Duration(secondsComponent: 0, attosecondsComponent: .random(in: 0..<1_000_000_000_000_000_000, using: &generator))
            }
        }
        let written = header { record in
            record.staleWhileRevalidate = duration()
            record.staleIfError = duration()
            record.loadDuration = Bool.random(using: &generator) ? duration() : nil
            record.isNegative = Bool.random(using: &generator)
            record.partition = Bool.random(using: &generator) ? "p" : nil
        }
        #expect(decoded(written.encoded) == written, "seed \(seed)")
        let record = written.record(payload: Data())
        #expect(record.staleWhileRevalidate == written.staleWhileRevalidate && record.staleIfError == written.staleIfError, "seed \(seed)")
        #expect(record.loadDuration == written.loadDuration && record.isNegative == written.isNegative, "seed \(seed)")
    }

    @Test func anExtensionThatIsCutShortOrSaysMoreIsNoHeader() {
        let written = header { record in
            record.staleWhileRevalidate = .seconds(1)
            record.staleIfError = .seconds(2)
            record.loadDuration = .seconds(3)
        }.encoded
        for count in 0..<written.count { #expect(decoded(Array(written[..<count])) == nil, "\(count) of \(written.count) bytes") }
        #expect(decoded(written + [0]) == nil)
        #expect(decoded([2] + firstVersion.dropFirst() + [16]) == nil)
        #expect(decoded([0] + firstVersion.dropFirst()) == nil && decoded([4] + written.dropFirst()) == nil)
        #expect(decoded([1] + firstVersion.dropFirst() + [1]) == nil)
        var impossible = written
        impossible[2] |= 32
        #expect(decoded(impossible) == nil)
        // The seconds and attoseconds of the first duration: too many of the latter, and two signs.
        let start = written.count - RecordHeader.maximumExtensionByteCount
        impossible = written
        impossible.replaceSubrange(start + 9..<start + 17, with: [UInt8](repeating: 0x7F, count: 8))
        #expect(decoded(impossible) == nil)
        impossible = written
        impossible[start + 16] = 0x80
        #expect(decoded(impossible) == nil)
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func damageNeverTraps(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let written = header {
            $0.loadDuration = .seconds(3)
            $0.isNegative = true
        }
        for _ in 0..<500 {
            var bytes = Bool.random(using: &generator) ? written.encoded : written.encodedAsBefore
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = decoded(bytes)
        }
    }

    @Test func freshnessEndsButIsNeverExtended() {
        var header = header()
        header.endFreshness(at: Date(timeIntervalSinceReferenceDate: 5))
        #expect(header.freshUntil == Date(timeIntervalSinceReferenceDate: 4))
        header.endFreshness(at: Date(timeIntervalSinceReferenceDate: 3))
        #expect(header.freshUntil == Date(timeIntervalSinceReferenceDate: 3))
        header.freshUntil = nil
        header.endFreshness(at: Date(timeIntervalSinceReferenceDate: 9))
        #expect(header.freshUntil == Date(timeIntervalSinceReferenceDate: 9))
        #expect(header.staleUntil == Date(timeIntervalSinceReferenceDate: 4))
    }
}
