// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import HoardNIO

@Suite struct TransferWatchTests {
    private static func at(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds(seconds * 1_000_000_000) }

    /// Samples every five seconds, and returns the second at which the transfer was found too slow.
    private static func seconds(
        _ watch: TransferWatch,
        upTo end: UInt64 = 600,
        byteCount: (UInt64) -> Int,
        isWaiting: (UInt64) -> Bool = { _ in true }
    ) -> UInt64? {
        var watch = watch
        for second in stride(from: 0 as UInt64, through: end, by: 5) {
            if watch.sample(isWaiting: isWaiting(second), byteCount: byteCount(second), now: at(1_000 + second)) { return second }
        }
        return nil
    }

    @Test func nothingMayMoveForTheTimeout() {
        let watch = TransferWatch(stallTimeout: .seconds(60), minimumBytesPerSecond: 0)
        #expect(Self.seconds(watch, byteCount: { _ in 0 }) == 60)
        #expect(Self.seconds(watch, byteCount: { $0 < 100 ? Int($0) : 100 }) == 160)
        #expect(Self.seconds(watch, byteCount: { Int($0 / 50) }) == nil)
    }

    @Test func tooLittleIsTooSlowAfterHalfAMinute() {
        let watch = TransferWatch(minimumBytesPerSecond: 100)
        #expect(Self.seconds(watch, byteCount: { Int($0) * 99 }) == 30)
        #expect(Self.seconds(watch, byteCount: { Int($0) * 100 }) == nil)
        #expect(Self.seconds(watch, byteCount: { $0 < 300 ? Int($0) * 200 : 60_000 }) == 330)
        // On average it is enough.
        #expect(Self.seconds(watch, byteCount: { Int($0 / 30) * 3_000 }) == nil)
    }

    @Test func timeInWhichNobodyWaitsDoesNotCount() {
        let watch = TransferWatch(stallTimeout: .seconds(60), minimumBytesPerSecond: 100)
        #expect(Self.seconds(watch, byteCount: { _ in 0 }, isWaiting: { _ in false }) == nil)
        #expect(Self.seconds(watch, byteCount: { _ in 0 }, isWaiting: { $0 % 30 != 0 }) == nil)
        #expect(Self.seconds(watch, byteCount: { _ in 0 }, isWaiting: { $0 >= 100 }) == 125)
    }

    @Test func withoutLimitsNothingIsTooSlow() {
        #expect(Self.seconds(TransferWatch(minimumBytesPerSecond: 0), upTo: 100_000, byteCount: { _ in 0 }) == nil)
    }
}
