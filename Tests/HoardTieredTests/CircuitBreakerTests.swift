// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct CircuitBreakerTests {
    private var breaker = CircuitBreaker(failuresToOpen: 3, openFor: 100, maximumOpenFor: 350)

    private mutating func admit(at now: Int64) throws -> CircuitBreaker.Permit {
        let permit = breaker.admit(at: now)
        return try #require(permit)
    }

    private mutating func fail(at now: Int64) throws -> CircuitBreaker.Transition? {
        breaker.failed(try admit(at: now), at: now)
    }

    private mutating func succeed(at now: Int64) throws -> CircuitBreaker.Transition? {
        breaker.succeeded(try admit(at: now))
    }

    @Test mutating func failuresInARowOpenTheCircuit() throws {
        #expect(try fail(at: 0) == nil)
        #expect(try fail(at: 0) == nil)
        #expect(breaker.state == .closed(failures: 2))
        #expect(try fail(at: 7) == .opened(for: 100))
        #expect(breaker.state == .open(until: 107))
        #expect(breaker.admit(at: 106) == nil)
        #expect(breaker.isRefusing(at: 106))
    }

    @Test mutating func oneSuccessForgetsTheFailures() throws {
        for _ in 0..<10 {
            _ = try fail(at: 0)
            _ = try fail(at: 0)
            #expect(try succeed(at: 0) == nil)
        }
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test mutating func oneProbeIsMadeWhenTheTimeIsUp() throws {
        for _ in 0..<3 { _ = try fail(at: 0) }
        #expect(!breaker.isRefusing(at: 100))
        #expect(breaker.state == .open(until: 100), "asking changes nothing")
        let probe = try admit(at: 100)
        #expect(breaker.state == .halfOpen)
        #expect(breaker.admit(at: 5_000) == nil)
        #expect(breaker.succeeded(probe) == .closed)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test mutating func failedProbesDoubleTheTimeUpToTheMaximum() throws {
        for _ in 0..<3 { _ = try fail(at: 0) }
        #expect(try fail(at: 100) == .opened(for: 200))
        #expect(breaker.admit(at: 299) == nil)
        #expect(try fail(at: 300) == .opened(for: 350))
        #expect(try fail(at: 1_000) == .opened(for: 350))
        #expect(try succeed(at: 2_000) == .closed)
        _ = try fail(at: 2_000)
        _ = try fail(at: 2_000)
        #expect(try fail(at: 2_000) == .opened(for: 100), "the time begins anew")
    }

    @Test mutating func callsFromBeforeTheLastChangeAreNotListenedTo() throws {
        let old = (0..<6).compactMap { _ in breaker.admit(at: 0) }
        for permit in old[..<3] { _ = breaker.failed(permit, at: 0) }
        #expect(breaker.state == .open(until: 100))
        #expect(breaker.succeeded(old[3]) == nil)
        #expect(breaker.failed(old[4], at: 50) == nil)
        #expect(breaker.state == .open(until: 100))
        let probe = try admit(at: 100)
        #expect(breaker.succeeded(old[5]) == nil)
        #expect(breaker.state == .halfOpen, "only the probe decides")
        #expect(breaker.succeeded(probe) == .closed)
        #expect(breaker.failed(old[0], at: 200) == nil)
        #expect(breaker.failed(probe, at: 200) == nil)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test mutating func probeThatWasBrokenOffMayBeMadeAgainAtOnce() throws {
        for _ in 0..<3 { _ = try fail(at: 0) }
        breaker.abandoned(try admit(at: 100))
        let probe = try admit(at: 100)
        #expect(breaker.admit(at: 100) == nil)
        #expect(breaker.succeeded(probe) == .closed)
        let call = try admit(at: 100)
        _ = try fail(at: 100)
        breaker.abandoned(call)
        #expect(breaker.state == .closed(failures: 1), "a call that was no probe counts neither way")
    }

    @Test mutating func pauseCanBeEnded() throws {
        breaker.endPause()
        #expect(breaker.state == .closed(failures: 0))
        for _ in 0..<3 { _ = try fail(at: 0) }
        breaker.endPause()
        #expect(try fail(at: 1) == .opened(for: 200))
    }

    @Test mutating func theEndOfTimeIsNoTrap() throws {
        breaker = CircuitBreaker(failuresToOpen: 1, openFor: .max, maximumOpenFor: .max)
        #expect(try fail(at: 5) == .opened(for: .max))
        #expect(breaker.admit(at: .max - 1) == nil)
        #expect(try fail(at: .max) == .opened(for: .max))
    }
}
