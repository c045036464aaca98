// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import HoardTransports

@Suite struct ClientConnectionTimingTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private static func timing() -> ClientConnectionTiming {
        ClientConnectionTiming(readTimeout: .seconds(60), idleTimeout: .seconds(30))
    }

    @Test func exchangeHasTheReadTimeoutFromItsLastProgress() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.start)
        #expect(timing.deadline == Self.start + .seconds(60))
        timing.progressed(now: Self.start + .seconds(59))
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(118)) == false)
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(119)) == true)
    }

    @Test func bytesThatTheNetworkTakesAreProgress() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.start)
        #expect(timing.isStalled(pendingByteCount: 10, now: Self.start + .seconds(60)) == false)
        #expect(timing.isStalled(pendingByteCount: 9, now: Self.start + .seconds(120)) == false)
        #expect(timing.isStalled(pendingByteCount: 9, now: Self.start + .seconds(180)) == true)
    }

    @Test func timeOfTheSourceDoesNotCount() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.start)
        timing.isSourceWaitedFor = true
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(100_000)) == false)
        timing.isSourceWaitedFor = false
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(100_059)) == false)
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(100_060)) == true)
    }

    @Test(arguments: [(nil, 30), (.seconds(5), 4), (.seconds(500), 30), (.seconds(1), 0), (.zero, 0)] as [(Duration?, Int64)])
    func idleConnectionIsGivenUpBeforeTheOriginDoes(_ announced: Duration?, _ seconds: Int64) {
        var timing = Self.timing()
        timing.becameIdle(announcedIdleTime: announced, now: Self.start)
        #expect(timing.deadline == Self.start + .seconds(seconds))
    }

    @Test func connectionThatWasNeverUsedHasTheIdleTimeout() {
        var timing = Self.timing()
        timing.kept(now: Self.start)
        #expect(timing.deadline == Self.start + .seconds(30))
    }

    @Test func givingAConnectionBackDoesNotProlongItsTime() {
        var timing = Self.timing()
        timing.becameIdle(announcedIdleTime: .seconds(5), now: Self.start)
        timing.kept(now: Self.start + .seconds(3))
        #expect(timing.deadline == Self.start + .seconds(4))
    }

    @Test func endlessTimeoutsDoNotOverflow() {
        var timing = ClientConnectionTiming(readTimeout: .seconds(Int64.max), idleTimeout: .seconds(Int64.max))
        timing.exchangeStarted(now: Self.start)
        timing.becameIdle(announcedIdleTime: nil, now: Self.start)
        #expect(timing.deadline > Self.start + .hours(24 * 364))
    }

    @Test func timerIsSetAnewOnlyForAnEarlierDeadline() {
        var timing = Self.timing()
        timing.exchangeStarted(now: Self.start)
        #expect(timing.needsTimer() == true)
    }
}
