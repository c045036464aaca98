// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct SingleFlightTests {
    private let flights = SingleFlight<String, Int>()

    @Test func firstCallerIsNotCoalescedAndTheOthersAre() async throws {
        let gate = Gate()
        async let first = flights.run("a") {
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        async let second = flights.run("a") { 2 }
        try await waitUntil { flights.waiterCount(for: "a") == 2 }
        gate.open()
        let results = try await (first, second)
        #expect(results.0 == (1, false))
        #expect(results.1 == (1, true))
    }

    @Test func existingValueMakesALoadUnnecessary() async throws {
        let loads = Counter()
        let result = try await flights.run("a", existing: { 5 }) { loads.increment() }
        #expect(result == (5, false))
        #expect(loads.value == 0)
        #expect(flights.waiterCount(for: "a") == 0)
    }

    @Test func existingValueIsNotAskedForWhileALoadIsUnderWay() async throws {
        let gate = Gate()
        async let first = flights.run("a") {
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        async let second = flights.run("a", existing: { 5 }, load: { 2 })
        try await waitUntil { flights.waiterCount(for: "a") == 2 }
        gate.open()
        #expect(try await second == (1, true))
        #expect(try await first == (1, false))
    }

    @Test func runsOneAfterTheOtherLoadTwice() async throws {
        let loads = Counter()
        #expect(try await flights.run("a") { loads.increment() } == (1, false))
        #expect(try await flights.run("a") { loads.increment() } == (2, false))
    }

    @Test func detachedLoadIsNotJoined() async throws {
        let gate = Gate()
        async let first = flights.run("a") {
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        flights.detach("a")
        #expect(try await flights.run("a") { 2 } == (2, false))
        gate.open()
        #expect(try await first == (1, false))
    }

    @Test func detachingEverythingDetachesEveryKey() async throws {
        let gate = Gate()
        let loads = ["a", "b"].map { key in
            Task {
                try await flights.run(key) {
                    await gate.pass()
                    return 1
                }
            }
        }
        await gate.arrivals(2)
        flights.detachAll()
        #expect(try await flights.run("a") { 2 } == (2, false))
        #expect(try await flights.run("b") { 3 } == (3, false))
        gate.open()
        for load in loads { #expect(try await load.value == (1, false)) }
    }

    @Test func detachingByAConditionDetachesTheKeysThatMeetIt() async throws {
        let gate = Gate()
        async let first = flights.run("a") {
            await gate.pass()
            return 1
        }
        async let other = flights.run("b") {
            await gate.pass()
            return 2
        }
        await gate.arrivals(2)
        flights.detach { $0 == "a" }
        #expect(!flights.isLoading("a"))
        #expect(flights.isLoading("b"))
        #expect(try await flights.run("a") { 3 } == (3, false))
        gate.open()
        #expect(try await first == (1, false))
        #expect(try await other == (2, false))
    }

    @Test func errorReachesEveryCaller() async throws {
        let gate = Gate()
        let callers = (0..<3).map { _ in
            Task {
                try await flights.run("a") {
                    await gate.pass()
                    throw TestError(number: 3)
                }
            }
        }
        try await waitUntil { flights.waiterCount(for: "a") == 3 }
        gate.open()
        for caller in callers {
            #expect(await error { try await caller.value } as? TestError == TestError(number: 3))
        }
    }

    @Test func loadIsNotCancelledWhileACallerIsLeft() async throws {
        let gate = Gate()
        let load: @Sendable () async throws -> Int = {
            await gate.pass()
            return Task.isCancelled ? -1 : 1
        }
        let callers = (0..<5).map { _ in Task { try await flights.run("a", load: load) } }
        try await waitUntil { flights.waiterCount(for: "a") == 5 }
        for caller in callers.dropLast() {
            caller.cancel()
            #expect(await error { try await caller.value } is CancellationError)
        }
        #expect(flights.waiterCount(for: "a") == 1)
        gate.open()
        #expect(try await callers[4].value.output == 1)
    }

    @Test func callerThatIsCancelledAlreadyStartsNothing() async {
        let loads = Counter()
        let start = Gate()
        let caller = Task {
            await start.pass()
            return try await flights.run("a") { loads.increment() }
        }
        caller.cancel()
        start.open()
        #expect(await error { try await caller.value } is CancellationError)
        #expect(loads.value == 0)
    }

    @Test func loadKeepsTaskLocalValuesOfTheCallerThatStartedIt() async throws {
        let result = try await Locals.$number.withValue(9) {
            try await flights.run("a") { Locals.number }
        }
        #expect(result == (9, false))
    }

    @Test func flightsOfDifferentObjectsAreDifferent() async throws {
        let other = SingleFlight<String, Int>()
        let result = try await flights.run("a") { try await other.run("a") { 1 }.output + 1 }
        #expect(result == (2, false))
    }

    @Test func loadInTheBackgroundIsStartedOnceAndCanBeJoined() async throws {
        let gate = Gate()
        let loads = Counter()
        for _ in 0..<10 {
            flights.runInBackground("a", unless: { false }) {
                await gate.pass()
                return loads.increment()
            }
        }
        #expect(flights.flightCount == 1)
        async let joined = flights.run("a") { -1 }
        try await waitUntil { flights.waiterCount(for: "a") == 2 }
        gate.open()
        let result = try await joined
        #expect(result == (1, true))
        try await waitUntil { flights.flightCount == 0 }
    }

    @Test func needlessLoadInTheBackgroundIsNotStarted() {
        flights.runInBackground("a", unless: { true }) { 1 }
        #expect(flights.flightCount == 0)
    }

    @Test func callersThatLeaveDoNotCancelALoadInTheBackground() async throws {
        let gate = Gate()
        let wasCancelled = Shared<Bool?>(nil)
        flights.runInBackground("a", unless: { false }) {
            await gate.pass()
            wasCancelled.update { $0 = Task.isCancelled }
            throw TestError()
        }
        let caller = Task { try await flights.run("a") { 1 } }
        try await waitUntil { flights.waiterCount(for: "a") == 2 }
        caller.cancel()
        #expect(await error { try await caller.value } is CancellationError)
        gate.open()
        try await waitUntil { flights.flightCount == 0 }
        #expect(wasCancelled.value == false)
    }

    private enum Locals {
        @TaskLocal static var number = 0
    }
}
