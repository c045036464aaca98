// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@Suite struct ManualTickerTests {
    @Test func timeStandsStillUntilItIsMoved() {
        let time = ManualTicker(nanoseconds: 5, date: Date(timeIntervalSince1970: 100))
        for _ in 0..<3 {
            #expect(time.nanoseconds() == 5)
            #expect(time.now() == Date(timeIntervalSince1970: 100))
        }
    }

    @Test func advancingMovesBothClocks() {
        let time = ManualTicker(date: Date(timeIntervalSince1970: 100))
        time.advance(by: .milliseconds(1_500))
        #expect(time.nanoseconds() == 1_500_000_000)
        #expect(time.now() == Date(timeIntervalSince1970: 101.5))
    }

    @Test func settingTheWallClockLeavesTheTickerAlone() {
        let time = ManualTicker()
        time.advance(by: .seconds(1))
        time.setWallClock(to: .distantPast)
        #expect(time.now() == .distantPast)
        #expect(time.nanoseconds() == 1_000_000_000)
        time.advance(by: .seconds(60))
        #expect(time.now() == Date.distantPast.addingTimeInterval(60))
    }

    @Test func manySmallStepsEndWhereOneLargeStepDoes() {
        let small = ManualTicker()
        let large = ManualTicker()
        for _ in 0..<10_000 { small.advance(by: .microseconds(100)) }
        large.advance(by: .seconds(1))
        #expect(small.now() == large.now())
        #expect(small.nanoseconds() == large.nanoseconds())
    }

    @Test func tickerStopsAtItsGreatestValue() {
        let time = ManualTicker(nanoseconds: 10)
        time.advance(by: .seconds(Int64.max))
        #expect(time.nanoseconds() == .max)
        time.advance(by: .seconds(1))
        #expect(time.nanoseconds() == .max)
    }

    @Test func dateCanBeReadHoweverOftenTimeIsMovedByAnAge() {
        let time = ManualTicker(date: Date(timeIntervalSince1970: 100))
        time.advance(by: .seconds(Int64.max))
        let last = time.now()
        for _ in 0..<3 { time.advance(by: .seconds(Int64.max)) }
        time.advance(by: .seconds(1))
        #expect(time.now() == last)
        time.setWallClock(to: Date(timeIntervalSince1970: 200))
        time.advance(by: .seconds(1))
        #expect(time.now() == Date(timeIntervalSince1970: 201))
    }

    @Test func timeNeverGoesBack() async {
        await #expect(processExitsWith: .failure) { ManualTicker().advance(by: .nanoseconds(-1)) }
    }
}

@Suite struct SeededGeneratorTests {
    @Test func numbersAreThoseOfSplitMix64() {
        // From the published reference implementation.
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test func sameSeedGivesSameNumbers() {
        var first = SeededGenerator(seed: 42)
        var second = SeededGenerator(seed: 42)
        var third = SeededGenerator(seed: 43)
        let numbers = (0..<100).map { _ in Int.random(in: 0..<1_000, using: &first) }
        #expect(numbers == (0..<100).map { _ in Int.random(in: 0..<1_000, using: &second) })
        #expect(numbers != (0..<100).map { _ in Int.random(in: 0..<1_000, using: &third) })
    }
}

@Suite(.timeLimit(.minutes(5))) struct GateTests {
    @Test func shutGateHoldsAndOpenGateLetsPass() async throws {
        let gate = Gate()
        let passed = Counter()
        let callers = (0..<3).map { _ in
            Task {
                await gate.pass()
                passed.increment()
            }
        }
        await gate.arrivals(3)
        #expect(passed.value == 0)
        gate.open()
        for caller in callers { await caller.value }
        await gate.pass()
        #expect(passed.value == 3)
        #expect(gate.arrivalCount == 4)
    }

    @Test func gateMayBeOpenFromTheStart() async {
        let gate = Gate(isOpen: true)
        await gate.pass()
        gate.open()
        #expect(gate.arrivalCount == 1)
    }

    @Test func observersWaitForAsManyArrivalsAsTheyNamed() async {
        let gate = Gate()
        let seen = Shared<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for count in [2, 1] {
                group.addTask {
                    await gate.arrivals(count)
                    seen.update { $0.append(count) }
                }
            }
            group.addTask { await gate.pass() }
            try? await waitUntil { seen.value == [1] }
            group.addTask { await gate.pass() }
            try? await waitUntil { seen.value == [1, 2] }
            gate.open()
        }
        await gate.arrivals(0)
        #expect(seen.value == [1, 2])
    }
}
