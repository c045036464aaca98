// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import HoardNIO

@Suite struct ConnectionTimingTests {
    private static func at(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds(seconds * 1_000_000_000) }

    private static func timing() -> ConnectionTiming { ConnectionTiming(HTTPServer.Configuration()) }

    @Test func firstHeadIsDueFromTheConnectionOn() {
        var timing = Self.timing()
        timing.connected(now: Self.at(100))
        #expect(timing.deadline == Self.at(130))
        timing.headBytesArrived(now: Self.at(120))
        #expect(timing.deadline == Self.at(130))
        #expect(timing.hasHeadBegun)
    }

    @Test func headThatIsInAHurryBeforeTheProtocolIsKnownStaysSo() {
        var timing = Self.timing()
        timing.hurry(now: Self.at(100))
        timing.connected(now: Self.at(101))
        #expect(timing.deadline == Self.at(102))
    }

    @Test func laterHeadIsDueFromItsFirstByteOn() {
        var timing = Self.timing()
        timing.connected(now: Self.at(100))
        timing.becameIdle(now: Self.at(110))
        #expect(timing.deadline == Self.at(170))
        #expect(!timing.hasHeadBegun)
        timing.headBytesArrived(now: Self.at(160))
        #expect(timing.deadline == Self.at(190))
    }

    @Test func exchangeIsLookedAtFourTimesInItsShortestLimit() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.at(100))
        #expect(timing.deadline == Self.at(115))
        timing.sampled(now: Self.at(115))
        #expect(timing.deadline == Self.at(130))
    }

    @Test func receivingIsStalledWhenNothingHasComeForTheLimit() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.at(100))
        #expect(timing.isReceivingStalled(now: Self.at(159)) == false)
        #expect(timing.isReceivingStalled(now: Self.at(160)) == true)
        timing.received(now: Self.at(160))
        #expect(timing.isReceivingStalled(now: Self.at(219)) == false)
    }

    @Test func sendingIsStalledWhenTheSameBytesWaitForTheLimit() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.at(100))
        #expect(timing.isSendingStalled(pendingByteCount: 10, now: Self.at(115)) == false)
        #expect(timing.isSendingStalled(pendingByteCount: 10, now: Self.at(174)) == false)
        #expect(timing.isSendingStalled(pendingByteCount: 10, now: Self.at(175)) == true)
    }

    @Test func sendingIsNotStalledWhileBytesOrPartsMove() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.at(0))
        for step in 1...10 as ClosedRange<UInt64> {
            #expect(timing.isSendingStalled(pendingByteCount: 100 - Int(step), now: Self.at(step * 60)) == false)
        }
        for step in 11...20 as ClosedRange<UInt64> {
            timing.wrote()
            #expect(timing.isSendingStalled(pendingByteCount: 90, now: Self.at(step * 60)) == false)
        }
        #expect(timing.isSendingStalled(pendingByteCount: 0, now: Self.at(10_000)) == false)
        #expect(timing.isSendingStalled(pendingByteCount: 90, now: Self.at(10_001)) == false)
    }
}
