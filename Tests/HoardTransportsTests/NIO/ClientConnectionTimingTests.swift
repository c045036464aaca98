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

    // MARK: Stages

    private static func staged() -> ClientConnectionTiming {
        var timing = ClientConnectionTiming(readTimeout: .seconds(60), responseTimeout: .seconds(10), idleTimeout: .seconds(30))
        timing.exchangeStarted(now: start)
        return timing
    }

    @Test func headHasItsTimeFromTheEndOfTheRequestWhateverArrivesOfIt() {
        var timing = Self.staged()
        timing.requestEnded(now: Self.start + .seconds(5))
        timing.progressed(now: Self.start + .seconds(14))
        #expect(timing.deadline == Self.start + .seconds(15))
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(15)) == true)
        #expect(timing.stallError == .responseTimedOut)
    }

    @Test func interimResponseBeginsTheTimeOfTheHeadAnew() {
        var timing = Self.staged()
        timing.requestEnded(now: Self.start)
        timing.interimResponseArrived(now: Self.start + .seconds(9))
        #expect(timing.deadline == Self.start + .seconds(19))
    }

    @Test func contentHasTheReadTimeout() {
        var timing = Self.staged()
        timing.requestEnded(now: Self.start)
        timing.headArrived(now: Self.start + .seconds(1))
        #expect(timing.deadline == Self.start + .seconds(61))
        timing.progressed(now: Self.start + .seconds(30))
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(90)) == true)
        #expect(timing.stallError == .stalled)
    }

    @Test func requestThatTheOriginDoesNotTakeIsNotAResponseThatIsLate() {
        var timing = Self.staged()
        #expect(timing.isStalled(pendingByteCount: 0, now: Self.start + .seconds(60)) == true)
        #expect(timing.stallError == .requestStalled)
        timing = Self.staged()
        timing.requestEnded(now: Self.start)
        // The network takes some of it, and then nothing.
        #expect(timing.isStalled(pendingByteCount: 9, now: Self.start + .seconds(10)) == false)
        #expect(timing.isStalled(pendingByteCount: 9, now: Self.start + .seconds(20)) == true)
        #expect(timing.stallError == .requestStalled)
    }

    @Test func responseMayComeBeforeTheEndOfTheRequest() {
        var timing = Self.staged()
        timing.headArrived(now: Self.start)
        timing.requestEnded(now: Self.start + .seconds(1))
        timing.progressed(now: Self.start + .seconds(20))
        #expect(timing.deadline == Self.start + .seconds(80))
    }
}
