// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension SingleFlight {
    /// Joins the loads of keys that are under way, and starts one load for all other keys.
    ///
    /// - Parameters:
    ///   - keys: Without repetitions.
    ///   - existing: As for ``run(_:existing:deadline:load:)``.
    ///   - deadline: As for ``run(_:existing:deadline:load:)``.
    ///   - load: Returns an output for each key it is given, in their order.
    /// - Returns: An output for each key, and the keys for which this caller's load was run.
    /// - Throws: The first error of any of the loads, `CancellationError` when the caller is cancelled, ``WaitTimedOut`` at the deadline, or `recursiveLoad`.
    func runAll(
        _ keys: [Key],
        existing: @Sendable (Key) -> Output?,
        deadline: (tick: Int64, queue: DeadlineQueue)? = nil,
        load: @escaping @Sendable ([Key]) async throws -> [Output]
    ) async throws -> (outputs: [Key: Output], ledKeys: [Key]) {
        let outerLoad = ActiveLoad.current
        for key in keys where outerLoad?.isInside(key, of: ObjectIdentifier(self)) ?? false { throw Self.recursiveLoad }
        try Task.checkCancellation()
        if keys.isEmpty { return ([:], []) }
        let lastID = lastWaiterID.wrappingAdd(UInt64(keys.count), ordering: .relaxed).newValue
        let waiterIDs = (lastID - UInt64(keys.count) + 1)...lastID
        var awaitedLoads: [ActiveLoad] = []
        var ledKeys: [Key] = []
        var timer: DeadlineQueue.Token?
        defer {
            for load in awaitedLoads { outerLoad?.endWait(for: load) }
            if let timer { deadline?.queue.cancel(timer) }
        }
        let collector = Collector(count: keys.count)
        let outputs = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                collector.setContinuation(continuation) { [self] in for id in waiterIDs { leave(id) } }
                let batch = state.withLock { state in
                    joinAll(keys, waiterIDs: waiterIDs, collector: collector, existing: existing, outerLoad: outerLoad, state: &state)
                }
                awaitedLoads = batch.awaitedLoads
                ledKeys = batch.ledKeys
                for (key, output) in batch.existing { collector.receive(.success(output), for: key) }
                if batch.isRing { collector.fail(Self.recursiveLoad) }
                if let activeLoad = batch.activeLoad {
                    let keys = batch.ledKeys
                    start(batch.ledFlights, as: activeLoad) { try await load(keys).map { .success($0) } }
                }
                if let deadline {
                    timer = deadline.queue.schedule(at: deadline.tick) { [self] in
                        // Every load goes on: the waiters leave before the collector would make them abandon it.
                        let waiters = state.withLock { state in waiterIDs.compactMap { state.machine.stopWaiting(waiterID: $0) } }
                        if !waiters.isEmpty { collector.fail(WaitTimedOut()) }
                    }
                }
                if Task.isCancelled {
                    collector.fail(CancellationError())
                    // A cancellation that came before the waiters were registered found nothing to leave.
                    for id in waiterIDs { leave(id) }
                }
            }
        } onCancel: {
            collector.fail(CancellationError())
        }
        return (outputs, ledKeys)
    }

    private struct Batch {
        var existing: [(Key, Output)] = []
        var ledKeys: [Key] = []
        var ledFlights: [Machine.FlightID] = []
        var activeLoad: ActiveLoad?
        var awaitedLoads: [ActiveLoad] = []
        /// Whether a load to wait for waits, through others, for the load that asks.
        var isRing = false
    }

    private func joinAll(
        _ keys: [Key],
        waiterIDs: ClosedRange<UInt64>,
        collector: Collector,
        existing: @Sendable (Key) -> Output?,
        outerLoad: ActiveLoad?,
        state: inout State
    ) -> Batch {
        var batch = Batch()
        for (key, waiterID) in zip(keys, waiterIDs) {
            let joinableLoad = state.machine.joinableFlight(for: key).flatMap { state.loads[$0] }
            if joinableLoad == nil, let output = existing(key) {
                batch.existing.append((key, output))
                continue
            }
            if let outerLoad, let joinableLoad {
                guard outerLoad.beginWait(for: joinableLoad) else {
                    batch.isRing = true
                    break
                }
                batch.awaitedLoads.append(joinableLoad)
            }
            if case .startLoad(let flight) = state.machine.join(key, waiterID: waiterID, waiter: { collector.receive($0, for: key) }) {
                batch.ledKeys.append(key)
                batch.ledFlights.append(flight)
            }
        }
        guard !batch.ledKeys.isEmpty else { return batch }
        let activeLoad = ActiveLoad(keys: Set(batch.ledKeys), owner: ObjectIdentifier(self), outer: outerLoad)
        _ = outerLoad?.beginWait(for: activeLoad)
        batch.awaitedLoads.append(activeLoad)
        batch.activeLoad = activeLoad
        for flight in batch.ledFlights { state.loads[flight] = activeLoad }
        activeCount.add(batch.ledFlights.count, ordering: .releasing)
        return batch
    }

    /// Gathers the outputs of several flights for one caller, which is answered exactly once.
    private final class Collector: Sendable {
        private struct State {
            var outputs: [Key: Output] = [:]
            var missing: Int
            var continuation: CheckedContinuation<[Key: Output], any Error>?
            var leaveAll: (@Sendable () -> Void)?
            /// The caller was cancelled before there was a continuation.
            var earlyError: (any Error)?
        }

        private let state: Mutex<State>

        init(count: Int) { state = Mutex(State(missing: count)) }

        func setContinuation(_ continuation: CheckedContinuation<[Key: Output], any Error>, leaveAll: @escaping @Sendable () -> Void) {
            let error = state.withLock { state in
                state.continuation = continuation
                state.leaveAll = leaveAll
                return state.earlyError
            }
            if let error { fail(error) }
        }

        func receive(_ result: Result<Output, any Error>, for key: Key) {
            switch result {
            case .failure(let error):
                fail(error)
            case .success(let output):
                let finished: (CheckedContinuation<[Key: Output], any Error>, [Key: Output])? = state.withLock { state in
                    state.outputs[key] = output
                    state.missing -= 1
                    guard state.missing == 0, let continuation = state.continuation else { return nil }
                    state.continuation = nil
                    state.leaveAll = nil
                    return (continuation, state.outputs)
                }
                finished?.0.resume(returning: finished?.1 ?? [:])
            }
        }

        /// Answers the caller with an error and leaves the flights it still waits for.
        func fail(_ error: any Error) {
            let (continuation, leaveAll) = state.withLock { state in
                defer {
                    state.continuation = nil
                    state.leaveAll = nil
                    state.earlyError = error
                }
                return (state.continuation, state.leaveAll)
            }
            // Before the caller goes on: its own load, which no other caller waits for, is then cancelled already.
            leaveAll?()
            continuation?.resume(throwing: error)
        }
    }
}
