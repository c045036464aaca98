// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardTesting
import Testing

@testable import HoardProxy

@Suite struct OriginHealthTests {
    private static let settings = OriginHealth.Settings(failureThreshold: 3, successThreshold: 2, pause: 100, maximumPause: 350, probeTime: 50)

    /// A server that has just been found not to answer.
    private static func dead(at now: Int64 = 0) -> OriginHealth {
        var health = OriginHealth(settings: settings)
        fail(&health, count: 3, at: now)
        return health
    }

    private static func fail(_ health: inout OriginHealth, count: Int, at now: Int64 = 0) {
        for _ in 0..<count {
            guard let permit = health.admit(at: now) else { return }
            health.failed(permit, at: now)
        }
    }

    @Test func itIsUnknownThenHealthy() throws {
        var health = OriginHealth(settings: Self.settings)
        #expect(health.state == .unknown)
        let permit = try health.permit(at: 0)
        #expect(!permit.isProbe)
        health.answered(permit)
        #expect(health.state == .healthy)
    }

    @Test func failuresInARowOpenTheCircuit() throws {
        var health = OriginHealth(settings: Self.settings)
        Self.fail(&health, count: 2)
        health.answered(try health.permit(at: 0))
        Self.fail(&health, count: 2)
        #expect(health.availability(at: 0) == .usable(isRejected: false))
        Self.fail(&health, count: 1, at: 7)
        #expect(health.availability(at: 106) == .refusing(until: 107))
        #expect(health.state == .unhealthy)
        #expect(health.admit(at: 106) == nil)
    }

    @Test func afterThePauseOneRequestIsTheProbe() throws {
        var health = Self.dead()
        #expect(health.availability(at: 100) == .probeDue(isRejected: false))
        let probe = try health.permit(at: 100)
        #expect(probe.isProbe)
        #expect(health.availability(at: 149) == .refusing(until: 150))
        health.answered(probe)
        #expect(health.state == .healthy)
        #expect(health.availability(at: 100) == .usable(isRejected: false))
    }

    @Test func failedProbesDoubleThePauseUpToALimit() throws {
        var health = Self.dead()
        var now: Int64 = 0
        for pause: Int64 in [100, 200, 350, 350] {
            #expect(health.availability(at: now + pause - 1) == .refusing(until: now + pause))
            now += pause
            health.failed(try health.permit(at: now), at: now)
        }
        // Health begins anew with the first answer.
        now += 350
        health.answered(try health.permit(at: now))
        Self.fail(&health, count: 3, at: now)
        #expect(health.availability(at: now) == .refusing(until: now + 100))
    }

    @Test func probeThatWasGivenUpIsMadeByTheNextRequest() throws {
        var health = Self.dead()
        health.abandoned(try health.permit(at: 100))
        #expect(health.availability(at: 100) == .probeDue(isRejected: false))
    }

    @Test func probeThatTakesItsTimeDoesNotKeepOthersWaiting() throws {
        var health = Self.dead()
        let slow = try health.permit(at: 100)
        #expect(health.admit(at: 149) == nil)
        let next = try health.permit(at: 150)
        #expect(next.isProbe)
        #expect(health.availability(at: 199) == .refusing(until: 200))
        // The first one to answer decides.
        health.answered(slow)
        #expect(health.circuit == .closed(failures: 0))
        health.failed(next, at: 200)
        #expect(health.circuit == .closed(failures: 0))
    }

    @Test func serverWithoutStandInIsNotLeftAloneForWhatItWasAsked() throws {
        var health = OriginHealth(settings: Self.settings)
        for _ in 0..<10 { health.failed(try health.permit(at: 0), .inExchange, hasStandIn: false, at: 0) }
        #expect(health.circuit == .closed(failures: 0))
        for _ in 0..<3 { health.failed(try health.permit(at: 0), .unreachable, hasStandIn: false, at: 0) }
        #expect(health.circuit == .open(until: 100))
        // A probe that fails after it has reached the server has done its work.
        health.failed(try health.permit(at: 100), .inExchange, hasStandIn: false, at: 100)
        #expect(health.circuit == .closed(failures: 0))
    }

    @Test func probeIsOverdueWhenNobodyHasMadeItForItsTime() throws {
        var health = OriginHealth(settings: Self.settings)
        #expect(!health.isProbeOverdue(at: .max))
        health = Self.dead()
        #expect(!health.isProbeOverdue(at: 149))
        #expect(health.isProbeOverdue(at: 150))
    }

    @Test func whatOldRequestsTellIsNotListenedTo() throws {
        var health = OriginHealth(settings: Self.settings)
        let old = try health.permit(at: 0)
        Self.fail(&health, count: 3)
        health.answered(old)
        #expect(health.state == .unhealthy)
        let probe = try health.permit(at: 100)
        health.failed(old, at: 100)
        health.abandoned(old)
        #expect(health.circuit == .probing(until: 150))
        health.answered(probe)
        health.failed(old, at: 100)
        #expect(health.circuit == .closed(failures: 0))
    }

    // MARK: Checks

    @Test func checksWithoutAnAnswerOpenTheCircuit() {
        var health = OriginHealth(settings: Self.settings)
        for _ in 0..<2 { health.checked(.unanswered, at: 5) }
        #expect(health.state == .unknown)
        health.checked(.unanswered, at: 5)
        #expect(health.state == .unhealthy)
        #expect(health.availability(at: 5) == .refusing(until: 105))
        #expect(health.availability(at: 105) == .probeDue(isRejected: true))
    }

    @Test func serverThatIsOnlyRejectedIsABadChoiceAndCanBeUsed() throws {
        var health = OriginHealth(settings: Self.settings)
        for _ in 0..<3 { health.checked(.rejected, at: 0) }
        #expect(health.state == .unhealthy)
        #expect(health.availability(at: 0) == .usable(isRejected: true))
        health.answered(try health.permit(at: 0))
        #expect(health.state == .unhealthy)
    }

    @Test func passedChecksInARowMakeItHealthy() {
        var health = Self.dead()
        for _ in 0..<3 { health.checked(.unanswered, at: 0) }
        health.checked(.passed, at: 0)
        health.checked(.unanswered, at: 0)
        health.checked(.passed, at: 0)
        #expect(health.state == .unhealthy)
        health.checked(.passed, at: 0)
        #expect(health.state == .healthy)
        #expect(health.availability(at: 0) == .usable(isRejected: false))
    }

    @Test func checksDoNotDisturbAProbe() throws {
        var health = Self.dead()
        let probe = try health.permit(at: 100)
        for _ in 0..<3 { health.checked(.unanswered, at: 100) }
        #expect(health.circuit == .probing(until: 150))
        health.answered(probe)
        #expect(health.availability(at: 100) == .usable(isRejected: true))
    }

    @Test func endlessPausesDoNotOverflow() throws {
        var health = OriginHealth(settings: .init(failureThreshold: 1, successThreshold: 1, pause: .max, maximumPause: .max))
        Self.fail(&health, count: 1, at: 10)
        #expect(health.availability(at: 11) == .refusing(until: .max))
    }

    /// No caller ever waits for a probe that is not under way, and a server always gets a request at some time.
    @Test(arguments: 0..<20)
    func whileAProbeIsWaitedForThereIsOneAndAlwaysAnotherChance(_ round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var health = OriginHealth(settings: Self.settings)
        var permits: [OriginHealth.Permit] = []
        var now: Int64 = 0
        for _ in 0..<500 {
            now += Int64.random(in: 0...60, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: if let permit = health.admit(at: now) { permits.append(permit) }
            case 2: if let permit = permits.popLast() { health.answered(permit) }
            case 3:
                let failure: OriginHealth.Failure = Bool.random(using: &random) ? .unreachable : .inExchange
                if let permit = permits.popLast() { health.failed(permit, failure, hasStandIn: Bool.random(using: &random), at: now) }
            case 4: if let permit = permits.popLast() { health.abandoned(permit) }
            default: health.checked([.passed, .rejected, .unanswered].randomElement(using: &random) ?? .passed, at: now)
            }
            if case .probing(let until) = health.circuit, now < until { #expect(permits.filter(\.isProbe).count >= 1, "seed \(seed)") }
        }
        for permit in permits { health.abandoned(permit) }
        #expect(health.admit(at: now + 350) != nil, "seed \(seed)")
    }
}

extension OriginHealth {
    /// The permit to send a request. There must be one.
    fileprivate mutating func permit(at now: Int64) throws -> Permit {
        guard let permit = admit(at: now) else { throw TestFailure() }
        return permit
    }
}
