// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

@testable import Screens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite
struct TravelClockTests {
    @Test
    func standingClockMovesOnlyWhenItIsSetAhead() {
        let clock = TravelClock.standing
        let (date, nanoseconds) = (clock.now(), clock.nanoseconds())
        #expect(clock.now() == date)
        #expect(clock.nanoseconds() == nanoseconds)
        clock.advance(by: 600)
        clock.advance(by: 1)
        #expect(clock.now() == date.addingTimeInterval(601))
        #expect(clock.nanoseconds() == nanoseconds + 601_000_000_000)
    }

    @Test
    func runningClockIsTheSystems() {
        let clock = TravelClock.running
        let before = (Date(), MonotonicTicker().nanoseconds())
        let (date, nanoseconds) = (clock.now(), clock.nanoseconds())
        #expect(before.0 <= date && date <= Date())
        #expect(before.1 <= nanoseconds && nanoseconds <= MonotonicTicker().nanoseconds())
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    ])
    func datesAreWrittenAsHTTPHasThem(seconds: Int, text: String) {
        #expect(httpDate(Date(timeIntervalSince1970: TimeInterval(seconds))) == text)
    }

    @Test
    func datesOfResponsesTravelAlong() async throws {
        let clock = TravelClock.standing
        let now = httpDate(clock.now())
        let origin = FakeTransport { request in .text(fields: request.head.path == "/" ? [.date: "Tue, 29 Feb 2000 00:00:00 GMT"] : [:]) }
        let transport = TravelTransport(transport: origin, clock: clock)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "shop", path: "/")
        #expect(try await transport.send(request).head.headerFields[.date] == now)
        clock.advance(by: 86_400)
        let later = try #require(try await transport.send(request).head.headerFields[.date])
        #expect(later == httpDate(clock.now()))
        #expect(later != now)
        let undated = HTTPRequest(method: .get, scheme: "http", authority: "shop", path: "/undated")
        #expect(try await transport.send(undated).head.headerFields[.date] == nil)
    }
}
