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

    /// The unchanged format of a record without an extension. Stores that were written before
    /// are full of such records.
    private let firstVersion: [UInt8] =
        [1, 2 | 4 | 8, 2, 0, 3, 0, 0, 0]
        + [0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x20, 0x40]
        + [8, 7, 6, 5, 4, 3, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        + Array("key".utf8) + [1, 0, 0, 0, 0x61, 1, 0, 0, 0, 0x62, 1, 0, 0, 0, 0x76]

    @Test func aRecordWithoutNewFieldsIsWrittenAndReadAsItAlwaysWas() throws {
        #expect(header().encoded == firstVersion)
        let read = try #require(decoded(firstVersion))
        #expect(read == header())
        #expect(read.staleIfError == .zero && read.staleWhileRevalidate == .zero && read.loadDuration == nil && !read.isNegative)
    }

    @Test func theExtensionHasOnlyWhatIsSet() {
        let negative = header { $0.isNegative = true }
        #expect(negative.encoded == [2] + firstVersion.dropFirst() + [1])
        let timed = header { $0.loadDuration = .seconds(3) + .nanoseconds(1) }
        #expect(timed.encoded == [2] + firstVersion.dropFirst() + [8, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0xCA, 0x9A, 0x3B, 0, 0, 0, 0])
        let zero = header { $0.loadDuration = .zero }
        #expect(decoded(zero.encoded)?.loadDuration == .zero)
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
        let start = firstVersion.count
        #expect(decoded([2] + firstVersion.dropFirst() + [16]) == nil)
        #expect(decoded([3] + firstVersion.dropFirst()) == nil)
        #expect(decoded([1] + written.dropFirst()) == nil)
        var impossible = written
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
        }.encoded
        for _ in 0..<500 {
            var bytes = written
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
