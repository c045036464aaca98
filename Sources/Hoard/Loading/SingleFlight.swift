// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Runs at most one load for each key at a time; callers that come meanwhile wait for its result.
///
/// Each caller can be cancelled by itself and then gets `CancellationError` at once. The load runs in a task
/// of its own, which is cancelled when its last caller has left. A load that asks for its own key,
/// directly or through other loads, gets ``CacheError/Code/recursiveLoad`` instead of waiting for itself,
/// and so does the last of several loads that would all wait for each other.
package final class SingleFlight<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    private typealias Machine = SingleFlightStateMachine<Key, CheckedContinuation<Output, any Error>>

    private let state = Mutex(State())
    private let lastWaiterID = Atomic<UInt64>(0)
    /// The number of loads under way. Changes under the lock, is read without it.
    private let activeCount = Atomic<Int>(0)

    private struct State {
        var machine = Machine()
        /// The loads under way, as tasks inside them see them.
        var loads: [Machine.FlightID: ActiveLoad] = [:]
    }

    package init() {}

    /// Joins the load of `key`, or starts it.
    ///
    /// - Parameters:
    ///   - existing: Asked once before a load is started, under this object's lock: a value that has
    ///     appeared since the caller last looked is returned and nothing is loaded. Must be quick and must not call back.
    ///   - load: Does the work, if this caller is the first.
    /// - Returns: The result, and whether it is that of a load somebody else had started.
    /// - Throws: What `load` throws, `CancellationError` when the caller is cancelled, or `recursiveLoad`.
    package func run(
        _ key: Key,
        existing: () -> Output? = { nil },
        load: @escaping @Sendable () async throws -> Output
    ) async throws -> (output: Output, isCoalesced: Bool) {
        let outerLoad = ActiveLoad.current
        if outerLoad?.isInside(key, of: ObjectIdentifier(self)) ?? false { throw Self.recursiveLoad }
        try Task.checkCancellation()
        let waiterID = lastWaiterID.wrappingAdd(1, ordering: .relaxed).newValue
        var isCoalesced = false
        var awaitedLoad: ActiveLoad?
        defer { outerLoad?.endWait(for: awaitedLoad) }
        let output: Output = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.machine.waiterCount(for: key) == 0, let output = existing() { return JoinOutcome.existing(output) }
                    return join(key, waiterID: waiterID, waiter: continuation, outerLoad: outerLoad, state: &state)
                }
                switch outcome {
                case .existing(let output): return continuation.resume(returning: output)
                case .ring: return continuation.resume(throwing: Self.recursiveLoad)
                case .first(let flight, let activeLoad):
                    awaitedLoad = activeLoad
                    start(flight, as: activeLoad, load: load)
                case .waiting(let activeLoad):
                    awaitedLoad = activeLoad
                    isCoalesced = true
                }
                // A cancellation that came before the waiter was registered found nobody to wake.
                if Task.isCancelled { leave(waiterID) }
            }
        } onCancel: {
            leave(waiterID)
        }
        return (output, isCoalesced)
    }

    /// Makes later callers start a load of their own instead of joining the one under way.
    ///
    /// A write or removal detaches after it has been done. Whoever comes later then gets nothing that a load began to obtain before it.
    package func detach(_ key: Key) {
        // A load that is not seen here has done nothing yet that this thread could have seen.
        guard activeCount.load(ordering: .acquiring) > 0 else { return }
        state.withLock { $0.machine.detach(key) }
    }

    /// ``detach(_:)`` for every key.
    package func detachAll() {
        state.withLock { $0.machine.detachAll() }
    }

    /// The number of callers waiting for the load of `key` that a new caller would join. For tests that hold the door.
    package func waiterCount(for key: Key) -> Int {
        state.withLock { $0.machine.waiterCount(for: key) }
    }

    /// The number of loads under way, joinable or not. For tests.
    var flightCount: Int { state.withLock { $0.machine.flightCount } }

    private enum JoinOutcome {
        case existing(Output)
        /// The load to wait for waits, through others, for the one that asks.
        case ring
        case first(Machine.FlightID, ActiveLoad)
        case waiting(ActiveLoad?)
    }

    private func join(
        _ key: Key,
        waiterID: UInt64,
        waiter: CheckedContinuation<Output, any Error>,
        outerLoad: ActiveLoad?,
        state: inout State
    ) -> JoinOutcome {
        let joinableLoad = state.machine.joinableFlight(for: key).flatMap { state.loads[$0] }
        if let outerLoad, let joinableLoad, !outerLoad.beginWait(for: joinableLoad) { return .ring }
        switch state.machine.join(key, waiterID: waiterID, waiter: waiter) {
        case .wait:
            return .waiting(joinableLoad)
        case .startLoad(let flight):
            let activeLoad = ActiveLoad(key: key, owner: ObjectIdentifier(self), outer: outerLoad)
            _ = outerLoad?.beginWait(for: activeLoad)
            state.loads[flight] = activeLoad
            activeCount.add(1, ordering: .releasing)
            return .first(flight, activeLoad)
        }
    }

    private func start(_ flight: Machine.FlightID, as activeLoad: ActiveLoad, load: @escaping @Sendable () async throws -> Output) {
        let task = Task {
            let result: Result<Output, any Error>
            do {
                result = .success(try await ActiveLoad.$innermost.withValue(activeLoad) { try await load() })
            } catch {
                result = .failure(error)
            }
            activeLoad.end()
            let waiters = state.withLock { state in
                state.loads[flight] = nil
                activeCount.subtract(1, ordering: .releasing)
                return state.machine.loadFinished(flight)
            }
            for waiter in waiters { waiter.resume(with: result) }
        }
        switch state.withLock({ $0.machine.loadStarted(flight, cancelLoad: { task.cancel() }) }) {
        case .cancelLoad: task.cancel()
        case .none: break
        }
    }

    private func leave(_ waiterID: UInt64) {
        switch state.withLock({ $0.machine.leave(waiterID: waiterID) }) {
        case .none:
            break
        case .resume(let waiter, let cancelLoad):
            cancelLoad?()
            waiter.resume(throwing: CancellationError())
        }
    }

    private static var recursiveLoad: CacheError {
        CacheError(.recursiveLoad, "A loader asked, directly or through other loads, for the key that it is loading.")
    }
}
