// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct ConnectionStateMachineTests {
    private static let second: Int64 = 1_000_000_000
    private let lost = RedisError(.connectionLost, "Lost.")
    private let refused = RedisError(.connectionFailed, "Refused.")

    private func machine(jitter: Double = 0) -> ConnectionStateMachine {
        ConnectionStateMachine(initialBackoff: 100, maximumBackoff: 1_000, jitter: jitter)
    }

    @Test func commandsWaitForTheFirstConnection() {
        var machine = machine()
        #expect(machine.admission.isWait)
        #expect(machine.connectionMade(1, now: 0) == true)
        #expect(machine.admission.isSend)
    }

    @Test func whileBackingOffAndTryingAgainCommandsFailAtOnceWithTheLastFailure() {
        var machine = machine()
        #expect(machine.connectionEnded(1, refused, now: 0, random: 0) == .later(attempt: 2, after: 100))
        #expect(machine.admission.refusal?.message == "Refused.")
        let mayConnect = machine.waitEnded(2)
        #expect(mayConnect)
        #expect(machine.admission.refusal?.code == .connectionFailed)
        #expect(machine.connectionMade(2, now: 5) == true)
        #expect(machine.admission.isSend)
    }

    @Test func aWaitIsTwiceAsLongAfterEachFailureUpToTheMaximum() {
        var machine = machine()
        var waits: [Int64] = []
        for attempt in UInt64(1)...7 {
            guard case .later(let next, let wait) = machine.connectionEnded(attempt, refused, now: 0, random: 0) else { break }
            waits.append(wait)
            #expect(next == attempt + 1)
            let mayConnect = machine.waitEnded(next)
            #expect(mayConnect)
        }
        #expect(waits == [100, 200, 400, 800, 1_000, 1_000, 1_000])
    }

    @Test(arguments: [(0.0, Int64(100)), (0.5, 75), (0.999_999, 51), (1.0, 50)])
    func aPartOfAWaitIsLeftToChance(random: Double, wait: Int64) {
        var machine = machine(jitter: 0.5)
        #expect(machine.connectionEnded(1, refused, now: 0, random: random) == .later(attempt: 2, after: wait))
    }

    @Test(arguments: [(Double.nan, Int64(100)), (-1, 100), (.infinity, 50)])
    func anyPartMayBeGiven(jitter: Double, wait: Int64) {
        var machine = machine(jitter: jitter)
        #expect(machine.connectionEnded(1, refused, now: 0, random: 0.5) == .later(attempt: 2, after: wait))
    }

    @Test func countlessFailuresDoNotOverflow() {
        var machine = ConnectionStateMachine(initialBackoff: 1 << 40, maximumBackoff: .max, jitter: 1)
        for attempt in UInt64(1)...200 {
            guard case .later(let next, let wait) = machine.connectionEnded(attempt, refused, now: 0, random: 0.5) else {
                Issue.record("There is no wait after failure \(attempt).")
                return
            }
            #expect(wait >= 1)
            _ = machine.waitEnded(next)
        }
    }

    @Test func aConnectionThatStoodIsTriedAgainAtOnceAndWaitedFor() {
        var machine = machine()
        _ = machine.connectionEnded(1, refused, now: 0, random: 0)
        _ = machine.waitEnded(2)
        #expect(machine.connectionMade(2, now: 10) == true)
        #expect(machine.connectionEnded(2, lost, now: 10 + Self.second, random: 0) == .now(attempt: 3))
        #expect(machine.admission.isWait)
        #expect(machine.failureCount == 0)
    }

    @Test func aServerThatEndsEachConnectionSoonIsLeftAloneLongerAndLonger() {
        var machine = machine()
        #expect(machine.connectionMade(1, now: 0) == true)
        #expect(machine.connectionEnded(1, lost, now: 10, random: 0) == .later(attempt: 2, after: 100))
        // Later commands are not told that they were lost: it was never sent.
        #expect(machine.admission.refusal?.code == .connectionFailed)
        _ = machine.waitEnded(2)
        #expect(machine.connectionMade(2, now: 20) == true)
        #expect(machine.connectionEnded(2, lost, now: 30, random: 0) == .later(attempt: 3, after: 200))
    }

    @Test func whatAnOlderConnectionTellsIsIgnored() {
        var machine = machine()
        _ = machine.connectionEnded(1, refused, now: 0, random: 0)
        #expect(machine.connectionEnded(1, lost, now: 0, random: 0) == .ignored)
        #expect(machine.connectionMade(1, now: 0) == false)
        #expect(!machine.isCurrent(1))
        _ = machine.waitEnded(2)
        #expect(machine.isCurrent(2))
        let mayConnectAgain = machine.waitEnded(2)
        #expect(!mayConnectAgain)
        #expect(machine.connectionMade(2, now: 0) == true)
        #expect(machine.connectionMade(2, now: 0) == false)
    }

    @Test func nothingHappensAfterTheEnd() {
        var machine = machine()
        let first = machine.close()
        let second = machine.close()
        #expect(first && !second)
        #expect(machine.admission.refusal?.code == .closed)
        #expect(machine.connectionMade(1, now: 0) == false)
        #expect(machine.connectionEnded(1, lost, now: 0, random: 0) == .ignored)
        let mayConnect = machine.waitEnded(1)
        #expect(!mayConnect)
    }

    @Test func whateverHappensThereIsAtMostOneConnectionAndCommandsAreSentOnlyOnIt() {
        for seed in UInt64(0)..<200 {
            var random = SeededNumbers(seed)
            var machine = machine(jitter: 0.5)
            // The model: the connection that is made or stands, and the one that is waited for.
            var open: UInt64? = 1
            var ready = false
            var planned: UInt64?
            var now: Int64 = 0
            for step in 0..<60 {
                now += Int64(random.next() % 700_000_000)
                let attempt = UInt64(max(1, Int64(machine.attempt) - Int64(random.next() % 3)))
                switch random.next() % 4 {
                case 0:
                    let isWanted = machine.connectionMade(attempt, now: now)
                    #expect(isWanted == (attempt == open && !ready), "seed \(seed), step \(step)")
                    ready = ready || isWanted
                case 1, 2:
                    switch machine.connectionEnded(attempt, lost, now: now, random: 0.3) {
                    case .ignored: #expect(attempt != open, "seed \(seed), step \(step)")
                    case .now(let next): (open, ready, planned) = (next, false, nil)
                    case .later(let next, let wait):
                        #expect((50...1_000).contains(wait), "seed \(seed), step \(step)")
                        (open, ready, planned) = (nil, false, next)
                    }
                default:
                    let mayConnect = machine.waitEnded(attempt)
                    #expect(mayConnect == (attempt == planned), "seed \(seed), step \(step)")
                    if mayConnect { (open, planned) = (attempt, nil) }
                }
                #expect(machine.admission.isSend == ready, "seed \(seed), step \(step)")
                #expect(open == nil || machine.isCurrent(machine.attempt), "seed \(seed), step \(step)")
            }
        }
    }
}

extension ConnectionStateMachine.Admission {
    var isSend: Bool { if case .send = self { true } else { false } }
    var isWait: Bool { if case .wait = self { true } else { false } }
    var refusal: RedisError? { if case .refuse(let error) = self { error } else { nil } }
}

/// Numbers that are the same for the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
