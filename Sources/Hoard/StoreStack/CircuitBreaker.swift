// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides whether a store that fails again and again is called at all.
///
/// Closed, it lets every call through and counts the failures in a row. Open, it lets none through until its time is up. Then it is half open: one
/// call, the probe, is let through, and its outcome closes the circuit or opens it for twice as long.
///
/// Calls are let through with a permit, and tell with it how they ended. Outcomes of calls from before the last change of state are ignored.
struct CircuitBreaker: Sendable {
    enum State: Hashable, Sendable {
        case closed(failures: Int)
        /// Until the tick at which a probe may be made.
        case open(until: Int64)
        /// The probe is under way.
        case halfOpen
    }

    /// Leave to make one call.
    struct Permit: Hashable, Sendable {
        fileprivate let generation: UInt64
    }

    enum Transition: Hashable, Sendable {
        /// For so many nanoseconds.
        case opened(for: Int64)
        case closed
    }

    private(set) var state = State.closed(failures: 0)

    private let failuresToOpen: Int
    private let openFor: Int64
    private let maximumOpenFor: Int64
    /// The time for which the circuit opens next.
    private var nextOpenFor: Int64
    /// Counts the changes of state.
    private var generation: UInt64 = 0

    /// - Parameters:
    ///   - failuresToOpen: So many failures in a row open the circuit.
    ///   - openFor: For how many nanoseconds it opens first.
    ///   - maximumOpenFor: Failed probes double the time up to this.
    init(failuresToOpen: Int, openFor: Int64, maximumOpenFor: Int64) {
        self.failuresToOpen = failuresToOpen
        self.openFor = openFor
        self.maximumOpenFor = maximumOpenFor
        self.nextOpenFor = openFor
    }

    /// Whether calls are let through that are no probes.
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether a call would not be let through now.
    func isRefusing(at now: Int64) -> Bool {
        switch state {
        case .closed: false
        case .open(let until): now < until
        case .halfOpen: true
        }
    }

    /// Lets a call through, or not. A caller that gets a permit must tell how the call has ended.
    mutating func admit(at now: Int64) -> Permit? {
        guard !isRefusing(at: now) else { return nil }
        if case .open = state { change(to: .halfOpen) }
        return Permit(generation: generation)
    }

    /// The call has succeeded.
    mutating func succeeded(_ permit: Permit) -> Transition? {
        guard permit.generation == generation else { return nil }
        switch state {
        case .closed:
            state = .closed(failures: 0)
            return nil
        case .open:
            return nil
        case .halfOpen:
            nextOpenFor = openFor
            change(to: .closed(failures: 0))
            return .closed
        }
    }

    /// The call has failed, or has not ended in time.
    mutating func failed(_ permit: Permit, at now: Int64) -> Transition? {
        guard permit.generation == generation else { return nil }
        switch state {
        case .closed(let failures):
            guard failures + 1 >= failuresToOpen else {
                state = .closed(failures: failures + 1)
                return nil
            }
            return open(at: now)
        case .open:
            return nil
        case .halfOpen:
            return open(at: now)
        }
    }

    /// The call has been broken off by its caller, which says nothing about the store. If it was the probe, another may be made at once.
    mutating func abandoned(_ permit: Permit) {
        guard permit.generation == generation, state == .halfOpen else { return }
        change(to: .open(until: .min))
    }

    /// Lets the next call through as a probe, however long the circuit was to be open.
    mutating func endPause() {
        if case .open = state { state = .open(until: .min) }
    }

    private mutating func open(at now: Int64) -> Transition {
        let duration = nextOpenFor
        let (doubled, overflowed) = nextOpenFor.multipliedReportingOverflow(by: 2)
        nextOpenFor = overflowed ? maximumOpenFor : min(doubled, maximumOpenFor)
        change(to: .open(until: now.addingSaturated(duration)))
        return .opened(for: duration)
    }

    private mutating func change(to state: State) {
        self.state = state
        generation += 1
    }
}
