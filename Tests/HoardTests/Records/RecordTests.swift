// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite struct RecordTests {
    private let created = Date(timeIntervalSince1970: 1_000)
    private let freshUntil = Date(timeIntervalSince1970: 2_000)

    @Test func byDefaultARecordIsFreshAndKeptForEver() {
        let record = Record(payload: Data([1]), created: created)
        #expect(record.freshUntil == nil)
        #expect(record.staleUntil == nil)
        #expect(record.lastAccess == created)
        #expect(record.isFresh(at: .distantFuture))
        #expect(!record.isExpired(at: .distantFuture))
    }

    @Test func byDefaultARecordIsKeptAsLongAsItIsFresh() {
        let record = Record(payload: Data(), created: created, freshUntil: freshUntil)
        #expect(record.staleUntil == freshUntil)
    }

    @Test func endingTheFreshnessSaysWhetherItEndsSooner() {
        var record = Record(payload: Data(), created: created, freshUntil: freshUntil, staleUntil: .forever)
        for (date, isSooner) in [(freshUntil + 1, false), (freshUntil, false), (freshUntil - 1, true), (freshUntil - 1, false)] {
            let before = record.freshUntil
            #expect(record.endFreshness(at: date) == isSooner)
            #expect(record.freshUntil == (isSooner ? date : before))
        }
        var lasting = Record(payload: Data(), created: created)
        let isSooner = lasting.endFreshness(at: freshUntil)
        #expect(isSooner && lasting.freshUntil == freshUntil && lasting.staleUntil == nil)
    }

    @Test func recordIsStaleFromTheMomentOfFreshUntilOn() {
        let record = Record(payload: Data(), created: created, freshUntil: freshUntil, staleUntil: .forever)
        #expect(record.isFresh(at: freshUntil.addingTimeInterval(-0.001)))
        #expect(!record.isFresh(at: freshUntil))
        #expect(!record.isExpired(at: .distantFuture))
    }

    @Test func recordIsExpiredFromTheMomentOfStaleUntilOn() {
        let staleUntil = Date(timeIntervalSince1970: 3_000)
        let record = Record(payload: Data(), created: created, freshUntil: freshUntil, staleUntil: .date(staleUntil))
        #expect(!record.isExpired(at: staleUntil.addingTimeInterval(-0.001)))
        #expect(record.isExpired(at: staleUntil))
    }

    @Test func staleUntilIsNeverBeforeFreshUntil() {
        let early = Record(payload: Data(), created: created, freshUntil: freshUntil, staleUntil: .date(created))
        #expect(early.staleUntil == freshUntil)
        let endless = Record(payload: Data(), created: created, freshUntil: nil, staleUntil: .date(freshUntil))
        #expect(endless.staleUntil == nil)
    }

    @Test func lastAccessMayBeGiven() {
        let record = Record(payload: Data(), created: created, lastAccess: freshUntil)
        #expect(record.lastAccess == freshUntil)
    }

    @Test func cachedValueFollowsTheSameRules() {
        #expect(CachedValue(1, created: created).staleUntil == nil)
        #expect(CachedValue(1, created: created, freshUntil: freshUntil).staleUntil == freshUntil)
        #expect(CachedValue(1, created: created, freshUntil: freshUntil, staleUntil: .date(created)).staleUntil == freshUntil)
        #expect(CachedValue(1, created: created, freshUntil: freshUntil, staleUntil: .forever).staleUntil == nil)
    }
}

@Suite struct RecordKeyTests {
    @Test func keysAreComparedByteForByte() {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        #expect(composed == decomposed, "one string, but")
        #expect(RecordKey(composed) != RecordKey(decomposed))
        #expect(Set([RecordKey(composed), RecordKey(decomposed)]).count == 2)
    }

    @Test func keyHoldsTheBytesOfItsString() {
        #expect(RecordKey("a\0é").bytes == [0x61, 0, 0xC3, 0xA9])
        #expect(RecordKey("") == RecordKey(bytes: []))
        #expect(RecordKey("abc".dropFirst()) == "bc")
        #expect(RecordKey(bytes: 97...99) == "abc")
    }

    @Test func descriptionIsForPeople() {
        #expect(("key" as RecordKey).description == "key")
        #expect(RecordKey(bytes: [0x61, 0xFF]).description == "a\u{FFFD}")
    }
}

@Suite struct StoreErrorTests {
    @Test func codesCanBeToldApart() {
        let codes: [StoreError.Code] = [
            .unavailable, .full, .permissionDenied, .notADirectory, .foreign, .newerFormat, .corrupt, .keyTooLong, .recordTooLarge, .closed,
            .invalidConfiguration, .wrongKey,
        ]
        #expect(Set(codes).count == codes.count)
        #expect(Set(codes.map(\.description)).count == codes.count)
    }

    @Test func descriptionIsTheMessage() {
        let error = StoreError(.full, "The disk is full.", underlyingError: TestError(number: 28))
        #expect("\(error)" == "The disk is full.")
        #expect(error.code == .full)
        #expect(error.underlyingError as? TestError == TestError(number: 28))
        let cacheError = CacheError(.codingFailed, "No.")
        #expect("\(cacheError)" == "No.")
        #expect(cacheError.code.description == "codingFailed")
        #expect(CacheError.Code.recursiveLoad != .codingFailed)
    }

    @Test func messagesHoldNoKey() {
        let error = StoreError.keyTooLong(RecordKey(bytes: [UInt8](repeating: 0x73, count: 70_000)))
        #expect(error.code == .keyTooLong)
        #expect(error.message.contains("70000"))
        #expect(!error.message.contains("sss"))
    }
}

@Suite struct TickerTests {
    @Test func monotonicTickerNeverGoesBack() {
        let ticker = MonotonicTicker()
        var last = ticker.nanoseconds()
        #expect(last >= 0)
        for _ in 0..<1_000 {
            let now = ticker.nanoseconds()
            #expect(now >= last)
            last = now
        }
    }

    @Test func allMonotonicTickersShareOneOrigin() {
        let first = MonotonicTicker().nanoseconds()
        let second = MonotonicTicker().nanoseconds()
        #expect(second - first < 60_000_000_000)
        #expect(second >= first)
    }

    @Test func systemWallClockTellsTheDate() {
        let before = Date()
        let now = SystemWallClock().now()
        #expect(now >= before)
        #expect(now <= Date())
    }

    @Test func durationsSaturate() {
        #expect(Duration.seconds(1).saturatingNanoseconds == 1_000_000_000)
        #expect(Duration.nanoseconds(-5).saturatingNanoseconds == -5)
        #expect(Duration.zero.saturatingNanoseconds == 0)
        #expect(Duration.seconds(9_223_372_036).saturatingNanoseconds == 9_223_372_036_000_000_000)
        #expect(Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_807_000_000_000).saturatingNanoseconds == .max)
        #expect(Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 900_000_000_000_000_000).saturatingNanoseconds == .max)
        #expect(Duration.seconds(Int64.max).saturatingNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).saturatingNanoseconds == .min)
        #expect((Duration.seconds(Int64.max) + .seconds(1)).saturatingNanoseconds == .max)
        #expect((Duration.seconds(Int64.min) - .seconds(1)).saturatingNanoseconds == .min)
        #expect(Duration(secondsComponent: -9_223_372_036, attosecondsComponent: -854_775_807_999_999_999).saturatingNanoseconds == .min + 1)
        #expect(Duration(secondsComponent: -9_223_372_036, attosecondsComponent: -900_000_000_000_000_000).saturatingNanoseconds == .min)
        #expect(Duration.seconds(1e19).saturatingComponents == (.max, 999_999_999_999_999_999))
        #expect(Duration.seconds(-1e19).saturatingComponents == (.min, -999_999_999_999_999_999))
        #expect((Duration.seconds(Int64.min) + .milliseconds(1)).saturatingComponents == (.min + 1, -999_000_000_000_000_000))
        #expect(Duration.milliseconds(-1_500).saturatingComponents == (-1, -500_000_000_000_000_000))
    }
}

@Suite struct CacheTierTests {
    @Test func descriptionsAreLabels() {
        #expect(CacheTier.memory.description == "memory")
        #expect(CacheTier.loader.description == "loader")
        #expect(CacheTier.store("disk").description == "disk")
    }

    @Test func storesAreToldApartByTheirNames() {
        #expect(CacheTier.store("disk") == .store("disk"))
        #expect(CacheTier.store("disk") != .store("redis"))
        #expect(CacheTier.store("memory") != .memory)
    }
}
