// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Every transition of the machine, with plain strings as waiters.
@Suite struct SingleFlightStateMachineTests {
    private typealias Machine = SingleFlightStateMachine<String, String>

    private var machine = Machine()

    private mutating func startFlight(_ key: String, waiterID: UInt64) throws -> Machine.FlightID {
        guard case .startLoad(let flight) = machine.join(key, waiterID: waiterID, waiter: "\(waiterID)") else {
            throw TestError()
        }
        return flight
    }

    private mutating func wait(_ key: String, waiterID: UInt64) throws {
        guard case .wait = machine.join(key, waiterID: waiterID, waiter: "\(waiterID)") else { throw TestError() }
    }

    @Test mutating func firstCallerStartsTheLoadAndTheNextOnesWait() throws {
        let flight = try startFlight("a", waiterID: 1)
        #expect(machine.joinableFlight(for: "a") == flight)
        try wait("a", waiterID: 2)
        try wait("a", waiterID: 3)
        #expect(machine.waiterCount(for: "a") == 3)
        #expect(machine.flightCount == 1)
        #expect(machine.loadFinished(flight) == ["1", "2", "3"])
        #expect(machine.waiterCount(for: "a") == 0)
        #expect(machine.joinableFlight(for: "a") == nil)
        #expect(machine.flightCount == 0)
    }

    @Test func flightOfAKeyThatDoesNotEqualItselfIsJoinedByNobodyAndLeavesNothing() throws {
        var machine = SingleFlightStateMachine<Double, String>()
        for waiterID in UInt64(1)...2 {
            guard case .startLoad(let flight) = machine.join(.nan, waiterID: waiterID, waiter: "") else { throw TestError() }
            _ = machine.loadFinished(flight)
        }
        #expect(machine.joinableKeys.isEmpty)
        #expect(machine.flightCount == 0)
    }

    @Test mutating func keysHaveFlightsOfTheirOwn() throws {
        let first = try startFlight("a", waiterID: 1)
        let second = try startFlight("b", waiterID: 2)
        #expect(first != second)
        #expect(machine.loadFinished(second) == ["2"])
        #expect(machine.loadFinished(first) == ["1"])
    }

    @Test mutating func callerAfterTheEndStartsANewLoad() throws {
        let first = try startFlight("a", waiterID: 1)
        _ = machine.loadFinished(first)
        let second = try startFlight("a", waiterID: 2)
        #expect(first != second)
    }

    @Test mutating func waiterThatLeavesIsAnsweredAndNotAnsweredAgain() throws {
        let flight = try startFlight("a", waiterID: 1)
        try wait("a", waiterID: 2)
        guard case .resume(let waiter, let abandoned) = machine.leave(waiterID: 1) else { throw TestError() }
        #expect(waiter == "1")
        #expect(abandoned == nil)
        #expect(machine.waiterCount(for: "a") == 1)
        #expect(machine.loadFinished(flight) == ["2"])
    }

    @Test mutating func lastWaiterThatLeavesAbandonsTheLoad() throws {
        let flight = try startFlight("a", waiterID: 1)
        try wait("a", waiterID: 2)
        guard case .resume("2", nil) = machine.leave(waiterID: 2) else { throw TestError() }
        guard case .resume("1", let abandoned) = machine.leave(waiterID: 1) else { throw TestError() }
        #expect(abandoned == flight)
        #expect(machine.loadFinished(flight) == [])
        #expect(machine.flightCount == 0)
    }

    @Test mutating func abandonedFlightIsNotJoined() throws {
        let abandoned = try startFlight("a", waiterID: 1)
        _ = machine.leave(waiterID: 1)
        #expect(machine.joinableFlight(for: "a") == nil)
        let later = try startFlight("a", waiterID: 2)
        #expect(machine.flightCount == 2)
        #expect(machine.loadFinished(abandoned) == [])
        #expect(machine.waiterCount(for: "a") == 1, "the end of the abandoned flight leaves the later one joinable")
        #expect(machine.loadFinished(later) == ["2"])
    }

    @Test mutating func detachedFlightIsNotJoinedButStillAnswersItsWaiters() throws {
        let detached = try startFlight("a", waiterID: 1)
        let other = try startFlight("b", waiterID: 2)
        machine.detach("a")
        #expect(machine.waiterCount(for: "a") == 0)
        let later = try startFlight("a", waiterID: 3)
        #expect(machine.loadFinished(detached) == ["1"])
        #expect(machine.joinableFlight(for: "a") == later)
        #expect(machine.joinableFlight(for: "b") == other)
    }

    @Test mutating func waiterMayLeaveADetachedFlight() throws {
        let detached = try startFlight("a", waiterID: 1)
        machine.detach("a")
        let later = try startFlight("a", waiterID: 2)
        guard case .resume("1", _) = machine.leave(waiterID: 1) else { throw TestError() }
        #expect(machine.joinableFlight(for: "a") == later, "leaving the old flight does not touch the new one")
        #expect(machine.loadFinished(detached) == [])
        #expect(machine.loadFinished(later) == ["2"])
    }

    @Test mutating func detachingEverythingDetachesEveryKey() throws {
        let flights = [try startFlight("a", waiterID: 1), try startFlight("b", waiterID: 2)]
        machine.detachAll()
        #expect(machine.joinableFlight(for: "a") == nil)
        #expect(machine.joinableFlight(for: "b") == nil)
        #expect(machine.loadFinished(flights[0]) == ["1"])
        #expect(machine.loadFinished(flights[1]) == ["2"])
    }

    @Test mutating func leavingTwiceOrAfterTheEndOrWithoutHavingJoinedDoesNothing() throws {
        let flight = try startFlight("a", waiterID: 1)
        try wait("a", waiterID: 2)
        guard case .resume = machine.leave(waiterID: 2) else { throw TestError() }
        guard case .none = machine.leave(waiterID: 2) else { throw TestError() }
        guard case .none = machine.leave(waiterID: 99) else { throw TestError() }
        #expect(machine.loadFinished(flight) == ["1"])
        guard case .none = machine.leave(waiterID: 1) else { throw TestError() }
    }

    @Test func endingALoadTwiceIsAProgrammersError() async {
        await #expect(processExitsWith: .failure) {
            var machine = SingleFlightStateMachine<String, String>()
            guard case .startLoad(let flight) = machine.join("a", waiterID: 1, waiter: "1") else { return }
            _ = machine.loadFinished(flight)
            _ = machine.loadFinished(flight)
        }
    }
}
