// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Runs at most one load of each key at a time. Callers that come meanwhile wait for its result.
///
/// A cancelled caller gets `CancellationError` at once. The load runs in a task of its own, which is cancelled when its last caller has left. A load
/// that asks for its own key, directly or through other loads, gets ``CacheError/Code/recursiveLoad`` instead of waiting for itself. So does the
/// last of several loads that would all wait for each other.
@usableFromInline package final class SingleFlight<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Machine = SingleFlightStateMachine<Key, Waiter>
    /// Takes a load's result.
    typealias Waiter = @Sendable (Result<Output, any Error>) -> Void

    let state = Mutex(State())
    let lastWaiterID = Atomic<UInt64>(0)
    /// The number of loads under way. Changed under the lock, read without it.
    @usableFromInline let activeCount = Atomic<Int>(0)

    struct State {
        var machine = Machine()
        /// The loads under way, as tasks inside them see them.
        var loads: [Machine.FlightID: ActiveLoad] = [:]
    }

    @usableFromInline package init() {}

    /// Joins the load of `key`, or starts it.
    ///
    /// - Parameters:
    ///   - existing: Called once before a load is started, under this object's lock. Returns a value that has appeared since the caller last looked,
    ///     so that nothing is loaded. Must be quick and must not call back.
    ///   - deadline: The tick at which the caller stops waiting, and the queue that measures it. The load goes on then, even without callers.
    ///   - load: Does the work, if this caller is the first.
    /// - Returns: The result, and whether another caller had started the load.
    /// - Throws: The error of `load`, `CancellationError` when the caller is cancelled, ``WaitTimedOut`` at the deadline, or `recursiveLoad`.
    package func run(
        _ key: Key,
        existing: () -> Output? = { nil },
        deadline: (tick: Int64, queue: DeadlineQueue)? = nil,
        load: @escaping @Sendable () async throws -> Output
    ) async throws -> (output: Output, isCoalesced: Bool) {
        let outerLoad = ActiveLoad.current
        if outerLoad?.isInside(key, of: ObjectIdentifier(self)) ?? false { throw Self.recursiveLoad }
        try Task.checkCancellation()
        let waiterID = lastWaiterID.wrappingAdd(1, ordering: .relaxed).newValue
        var isCoalesced = false
        var awaitedLoad: ActiveLoad?
        var timer: DeadlineQueue.Token?
        defer {
            outerLoad?.endWait(for: awaitedLoad)
            if let timer { deadline?.queue.cancel(timer) }
        }
        let output: Output = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.machine.waiterCount(for: key) == 0, let output = existing() { return JoinOutcome.existing(output) }
                    return join(key, waiterID: waiterID, waiter: { continuation.resume(with: $0) }, outerLoad: outerLoad, state: &state)
                }
                switch outcome {
                case .existing(let output): return continuation.resume(returning: output)
                case .ring: return continuation.resume(throwing: Self.recursiveLoad)
                case .first(let flight, let activeLoad):
                    awaitedLoad = activeLoad
                    start([flight], as: activeLoad) { [.success(try await load())] }
                case .waiting(let activeLoad):
                    awaitedLoad = activeLoad
                    isCoalesced = true
                }
                if let deadline { timer = deadline.queue.schedule(at: deadline.tick) { [weak self] in self?.stopWaiting(waiterID) } }
                // A cancellation that came before the waiter was registered found no waiter to wake.
                if Task.isCancelled { leave(waiterID) }
            }
        } onCancel: {
            leave(waiterID)
        }
        return (output, isCoalesced)
    }

    /// Starts a load of `key` without a waiting caller, unless there is a load that callers join.
    ///
    /// - Parameters:
    ///   - isNeedless: Called under this object's lock if there is no such load. Must be quick and must not call back.
    ///   - load: Runs in a task of its own, inside no other load. It is not cancelled.
    func runInBackground(_ key: Key, unless isNeedless: () -> Bool, load: @escaping @Sendable () async throws -> Output) {
        let waiterID = lastWaiterID.wrappingAdd(1, ordering: .relaxed).newValue
        let outcome = state.withLock { state -> JoinOutcome? in
            guard state.machine.joinableFlight(for: key) == nil, !isNeedless() else { return nil }
            return join(key, waiterID: waiterID, waiter: { _ in }, outerLoad: nil, state: &state)
        }
        guard case .first(let flight, let activeLoad) = outcome else { return }
        start([flight], as: activeLoad, isAwaited: false) { [.success(try await load())] }
    }

    /// Makes later callers start a load of their own instead of joining the one under way.
    ///
    /// A write or removal detaches after it has been done. So a later caller never gets the result of a load that began before it.
    @usableFromInline package func detach(_ key: Key) {
        guard mayHaveFlights else { return }
        state.withLock { $0.machine.detach(key) }
    }

    /// Calls ``detach(_:)`` for each key for which a condition holds. O(number of loads under way).
    package func detach(where isMatch: (Key) -> Bool) {
        guard mayHaveFlights else { return }
        // A load that begins from now on has begun after the caller's change.
        let keys = state.withLock { $0.machine.joinableKeys }.filter(isMatch)
        if !keys.isEmpty { state.withLock { state in for key in keys { state.machine.detach(key) } } }
    }

    /// Whether there may be loads to detach. A load that this thread does not see has done nothing yet that it could have seen.
    @inlinable var mayHaveFlights: Bool { activeCount.load(ordering: .acquiring) > 0 }

    /// Calls ``detach(_:)`` for every key.
    @usableFromInline package func detachAll() {
        state.withLock { $0.machine.detachAll() }
    }

    /// Whether there is a load that a new caller would join.
    func isLoading(_ key: Key) -> Bool {
        mayHaveFlights && state.withLock { $0.machine.joinableFlight(for: key) != nil }
    }

    /// The number of callers waiting for the load of `key` that a new caller would join. For tests that hold up a load.
    package func waiterCount(for key: Key) -> Int {
        state.withLock { $0.machine.waiterCount(for: key) }
    }

    /// The number of loads under way, joinable or not. For tests.
    var flightCount: Int { state.withLock { $0.machine.flightCount } }

    private enum JoinOutcome {
        case existing(Output)
        /// The load to wait for waits, through others, for the load that asks.
        case ring
        case first(Machine.FlightID, ActiveLoad)
        case waiting(ActiveLoad?)
    }

    private func join(
        _ key: Key,
        waiterID: UInt64,
        waiter: @escaping Waiter,
        outerLoad: ActiveLoad?,
        state: inout State
    ) -> JoinOutcome {
        let joinableLoad = state.machine.joinableFlight(for: key).flatMap { state.loads[$0] }
        if let outerLoad, let joinableLoad, !outerLoad.beginWait(for: joinableLoad) { return .ring }
        switch state.machine.join(key, waiterID: waiterID, waiter: waiter) {
        case .wait:
            return .waiting(joinableLoad)
        case .startLoad(let flight):
            let activeLoad = ActiveLoad(keys: [key], owner: ObjectIdentifier(self), outer: outerLoad)
            _ = outerLoad?.beginWait(for: activeLoad)
            state.loads[flight] = activeLoad
            activeCount.add(1, ordering: .releasing)
            return .first(flight, activeLoad)
        }
    }

    /// Runs a load that brings the results of several flights. The load is cancelled when the last flight has been abandoned.
    ///
    /// - Parameters:
    ///   - isAwaited: Whether a caller waits for it.
    ///   - load: Returns a result for each flight, or throws the error of all of them.
    func start(
        _ flights: [Machine.FlightID],
        as activeLoad: ActiveLoad,
        isAwaited: Bool = true,
        load: @escaping @Sendable () async throws -> [Result<Output, any Error>]
    ) {
        // Callers that come meanwhile wait for the load, so it must not queue up behind them. Callers of low priority keep their priority.
        let mayBeRaised = isAwaited && Task.currentPriority >= .medium
        let task = startTask(priority: mayBeRaised ? max(.high, Task.currentPriority) : nil) { [self] in
            let results: [Result<Output, any Error>]
            do {
                results = try await ActiveLoad.$innermost.withValue(activeLoad) { try await load() }
            } catch {
                results = flights.map { _ in .failure(error) }
            }
            activeLoad.end()
            let waiters = state.withLock { state in
                activeCount.subtract(flights.count, ordering: .releasing)
                return flights.map { flight in
                    state.loads[flight] = nil
                    return state.machine.loadFinished(flight)
                }
            }
            for (waiters, result) in zip(waiters, results) {
                for waiter in waiters { waiter(result) }
            }
        }
        activeLoad.begin(in: task)
    }

    func leave(_ waiterID: UInt64) {
        let (waiter, abandonedLoad) = state.withLock { state -> (Waiter?, ActiveLoad?) in
            switch state.machine.leave(waiterID: waiterID) {
            case .none: (nil, nil)
            case .resume(let waiter, let flight): (waiter, flight.flatMap { state.loads[$0] })
            }
        }
        abandonedLoad?.abandonFlight()
        waiter?(.failure(CancellationError()))
    }

    /// Ends a caller's wait at its deadline. The load goes on without it.
    func stopWaiting(_ waiterID: UInt64) {
        state.withLock { $0.machine.stopWaiting(waiterID: waiterID) }?(.failure(WaitTimedOut()))
    }

    static var recursiveLoad: CacheError {
        CacheError(.recursiveLoad, "A loader asked, directly or through other loads, for the key that it is loading.")
    }
}

/// The error of a caller whose wait for a load has reached its deadline.
struct WaitTimedOut: Error {}
