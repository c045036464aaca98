// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Decides whether a server gets requests: by the outcomes of those that it got, and by the findings of checks of its
/// health. Does no I/O.
///
/// Requests open and close a circuit. Closed, it lets every request through and counts failures in a row. Open, it lets none through until its pause is over.
/// Then one is let through, the probe: its answer closes the circuit, its failure opens it for twice as long. A probe that takes its time does not keep
/// others waiting: after a while the next request is a probe too.
///
/// A server that no other could stand in for is left alone only if it cannot be reached. Failures of requests that it
/// has got may be the fault of the request, such as one for a page that takes forever, and must not take the other
/// pages away.
///
/// Checks that get no answer open the circuit too, and checks that are passed close it. Checks that are answered with the wrong status only make the
/// server a bad choice. It works, and is chosen if there is no better one, so that a wrong path in the settings is no outage.
///
/// Requests tell how they ended with the permit that they got. Outcomes of requests from before the last change of the
/// circuit are ignored.
struct OriginHealth: Sendable {
    struct Settings: Hashable, Sendable {
        /// So many failures in a row open the circuit, or make a check's verdict.
        var failureThreshold = 3
        /// So many passed checks in a row make the server healthy.
        var successThreshold = 2
        /// For how many nanoseconds the circuit opens first.
        var pause: Int64 = 1_000_000_000
        /// Failed probes double the time up to this.
        var maximumPause: Int64 = 30_000_000_000
        /// So many nanoseconds after a probe the next request is one too.
        var probeTime: Int64 = 1_000_000_000
    }

    enum Circuit: Hashable, Sendable {
        case closed(failures: Int)
        /// Until the tick at which a probe may be made.
        case open(until: Int64)
        /// A probe is under way. Another may be made at this tick.
        case probing(until: Int64)
    }

    /// Leave to send one request.
    struct Permit: Hashable, Sendable {
        fileprivate let generation: UInt64
        let isProbe: Bool
    }

    enum Availability: Hashable, Sendable {
        /// It can be sent requests; `isRejected` by checks, it is a bad choice.
        case usable(isRejected: Bool)
        /// It can be sent one request, to see whether it is well again.
        case probeDue(isRejected: Bool)
        /// Not before this tick, unless a probe that is under way ends sooner.
        case refusing(until: Int64)
    }

    enum Failure: Hashable, Sendable {
        /// No connection could be made, or secured.
        case unreachable
        /// Something went wrong with a request on a connection.
        case inExchange
    }

    enum CheckResult: Hashable, Sendable {
        case passed
        /// It has answered, but not as it should.
        case rejected
        case unanswered
    }

    private(set) var circuit = Circuit.closed(failures: 0)
    private(set) var isRejected = false
    private let settings: Settings
    /// The time for which the circuit opens next.
    private var nextPause: Int64
    private var failedCheckCount = 0
    private var passedCheckCount = 0
    private var hasAnswered = false
    /// Counts the changes of the circuit.
    private var generation: UInt64 = 0

    init(settings: Settings = Settings()) {
        self.settings = settings
        nextPause = settings.pause
    }

    var state: OriginState.State {
        guard case .closed = circuit, !isRejected else { return .unhealthy }
        return hasAnswered ? .healthy : .unknown
    }

    /// Whether requests are let through.
    var isClosed: Bool { if case .closed = circuit { true } else { false } }

    func availability(at now: Int64) -> Availability {
        switch circuit {
        case .closed: .usable(isRejected: isRejected)
        case .open(let until), .probing(let until): now < until ? .refusing(until: until) : .probeDue(isRejected: isRejected)
        }
    }

    /// Whether a probe has been due for so long that no better request can be expected to come.
    func isProbeOverdue(at now: Int64) -> Bool {
        switch circuit {
        case .closed: false
        case .open(let until), .probing(let until): until.addingSaturated(settings.probeTime) <= now
        }
    }

    /// Lets a request through, or not. A caller that gets a permit must report how the request has ended.
    mutating func admit(at now: Int64) -> Permit? {
        switch availability(at: now) {
        case .usable:
            return Permit(generation: generation, isProbe: false)
        case .probeDue:
            let until = now.addingSaturated(settings.probeTime)
            // The result of an earlier probe still counts.
            if case .probing = circuit { circuit = .probing(until: until) } else { change(to: .probing(until: until)) }
            return Permit(generation: generation, isProbe: true)
        case .refusing:
            return nil
        }
    }

    /// The head of a response has arrived.
    mutating func answered(_ permit: Permit) {
        guard permit.generation == generation else { return }
        hasAnswered = true
        switch circuit {
        case .closed:
            circuit = .closed(failures: 0)
        case .probing:
            nextPause = settings.pause
            change(to: .closed(failures: 0))
        case .open:
            break
        }
    }

    /// The request has failed by the server's fault.
    ///
    /// - Parameter hasStandIn: Another server takes requests. If not, failures of exchanges do not count.
    mutating func failed(_ permit: Permit, _ failure: Failure = .unreachable, hasStandIn: Bool = true, at now: Int64) {
        guard permit.generation == generation else { return }
        if !hasStandIn, failure == .inExchange {
            // The probe has reached the server.
            if case .probing = circuit { change(to: .closed(failures: 0)) }
            return
        }
        switch circuit {
        case .closed(let failures) where failures + 1 < settings.failureThreshold: circuit = .closed(failures: failures + 1)
        case .closed, .probing: open(at: now)
        case .open: break
        }
    }

    /// The request has ended in a way that says nothing about the server. If it was a probe, another may be made at once.
    mutating func abandoned(_ permit: Permit) {
        guard permit.generation == generation, case .probing = circuit else { return }
        circuit = .probing(until: .min)
    }

    /// A check of the server's health has ended.
    mutating func checked(_ result: CheckResult, at now: Int64) {
        switch result {
        case .passed:
            hasAnswered = true
            failedCheckCount = 0
            passedCheckCount = min(passedCheckCount + 1, settings.successThreshold)
            guard passedCheckCount == settings.successThreshold else { return }
            isRejected = false
            if case .closed = circuit { return }
            nextPause = settings.pause
            change(to: .closed(failures: 0))
        case .rejected, .unanswered:
            passedCheckCount = 0
            failedCheckCount = min(failedCheckCount + 1, settings.failureThreshold)
            guard failedCheckCount == settings.failureThreshold else { return }
            isRejected = true
            guard result == .unanswered else { return }
            if case .probing(let until) = circuit, now < until { return }
            open(at: now)
        }
    }

    private mutating func open(at now: Int64) {
        let until = now.addingSaturated(nextPause)
        let (doubled, overflowed) = nextPause.multipliedReportingOverflow(by: 2)
        nextPause = overflowed ? settings.maximumPause : min(doubled, settings.maximumPause)
        change(to: .open(until: until))
    }

    private mutating func change(to circuit: Circuit) {
        self.circuit = circuit
        generation += 1
    }
}
