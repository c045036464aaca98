// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Runs at most one load of a screen at a time. Fetches and prefetches share it, in any form.
///
/// Each caller can be cancelled by itself. A load runs in a task of its own, which is cancelled when its last caller has left.
final class ViewFlights: Sendable {
    /// Does a flight's work.
    typealias Work = @Sendable (FlightID) async -> Result<FetchedView, ViewError>
    typealias Machine = ViewFlightStateMachine<Waiter, Work>

    /// Takes a flight's result, and the record of the prefetch it was for.
    struct Waiter: Sendable {
        let resume: @Sendable (Result<FetchedView, ViewError>, PrefetchRecord?) -> Void
    }

    enum Answer: Sendable {
        /// A load has ended. `record` is there for prefetches.
        case landed(Result<FetchedView, ViewError>, record: PrefetchRecord?)
        /// A prefetch had brought it before. `record` is there for prefetches.
        case shelved(FetchedView, record: PrefetchRecord?)
        /// There are too many prefetches.
        case refused
    }

    struct State {
        var machine: Machine
        var shelf: PrefetchShelf<FetchedView>
        var lastWaiterID: UInt64 = 0
        var joins = 0
        var fencedResults = 0
        var unusedPrefetches = 0
    }

    let state: Mutex<State>
    let ticker: any Ticker

    init(limits: PrefetchLimits, ticker: any Ticker) {
        self.ticker = ticker
        state = Mutex(
            State(
                machine: Machine(maximumPrefetches: limits.maximumCount, maximumConcurrentPrefetches: limits.maximumConcurrency),
                shelf: PrefetchShelf(maximumCount: limits.maximumCount, maximumBytes: limits.maximumBytes)
            )
        )
    }

    // MARK: Callers

    /// The screen that a prefetch has brought for a fetch, or whether a load is under way that the fetch should join.
    enum Found: Sendable {
        case shelved(FetchedView)
        case underWay
        case nothing
    }

    func find(_ key: ViewKey) -> Found {
        let now = ticker.nanoseconds()
        let (found, dropped) = state.withLock { state -> (Found, [PrefetchShelf<FetchedView>.Entry]) in
            if state.machine.isLoading(ViewFlightKey(view: key, purpose: .answer)) { return (.underWay, []) }
            let (view, dropped) = Self.take(key, now: now, &state)
            return (view.map { .shelved($0) } ?? .nothing, dropped)
        }
        settle(dropped)
        return found
    }

    /// Joins the load of a key, or begins it. Suspends.
    ///
    /// - Parameter confirms: Whether the server is to be asked whatever is kept.
    /// - Returns: Its result; the error `cancelled` as soon as the caller's task is cancelled.
    func answer(
        _ key: ViewFlightKey,
        for interest: FlightInterest,
        confirms: Bool = false,
        priority: TaskPriority,
        work: @escaping Work
    ) async -> Answer {
        if Task.isCancelled { return .landed(.failure(.cancelled), record: nil) }
        let waiterID = state.withLock { state in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter { result, record in continuation.resume(returning: .landed(result, record: record)) }
                if let answer = join(key, waiterID, interest, confirms, priority, work, waiter) { continuation.resume(returning: answer) }
                // A cancellation that came before the waiter was registered found no waiter to wake.
                if Task.isCancelled { leave(waiterID) }
            }
        } onCancel: {
            leave(waiterID)
        }
    }

    /// - Returns: The answer, if there is one already.
    func join(
        _ key: ViewFlightKey,
        _ waiterID: UInt64,
        _ interest: FlightInterest,
        _ confirms: Bool,
        _ priority: TaskPriority,
        _ work: @escaping Work,
        _ waiter: Waiter
    ) -> Answer? {
        let now = ticker.nanoseconds()
        let (answer, actions, dropped) = state.withLock { state -> (Answer?, Machine.Actions, [PrefetchShelf<FetchedView>.Entry]) in
            var dropped: [PrefetchShelf<FetchedView>.Entry] = []
            if !confirms, !state.machine.isLoading(key), key.purpose == .answer {
                if !interest.isFetch {
                    if let entry = state.shelf.entry(forKey: key.view, now: now) {
                        return (.shelved(entry.content, record: entry.record), .init(), [])
                    }
                } else {
                    let taken = Self.take(key.view, now: now, &state)
                    if let view = taken.view { return (.shelved(view, record: nil), .init(), []) }
                    dropped = taken.dropped
                }
            }
            let (outcome, actions) = state.machine.join(
                key,
                waiterID: waiterID,
                interest: interest,
                confirms: confirms,
                priority: priority.rawValue,
                work: work,
                waiter: waiter
            )
            if outcome == .joined { state.joins += 1 }
            // The screen that a prefetch has brought is older than the one that comes.
            if confirms, outcome != .refused { dropped = state.shelf.remove(key.view).map { [$0] } ?? [] }
            return (outcome == .refused ? .refused : nil, actions, dropped)
        }
        settle(dropped)
        perform(actions)
        return answer
    }

    static func take(_ key: ViewKey, now: Int64, _ state: inout State) -> (view: FetchedView?, dropped: [PrefetchShelf<FetchedView>.Entry]) {
        guard let entry = state.shelf.remove(key) else { return (nil, []) }
        guard entry.record.deadline > now else { return (nil, [entry]) }
        entry.record.settle(.used)
        return (entry.content, [])
    }

    func leave(_ waiterID: UInt64) {
        let (waiter, actions) = state.withLock { $0.machine.leave(waiterID: waiterID) }
        waiter?.resume(.failure(.cancelled), nil)
        perform(actions)
    }

    // MARK: State

    /// Whether there is a load that a new caller would join.
    func isLoading(_ key: ViewFlightKey) -> Bool { state.withLock { $0.machine.isLoading(key) } }

    /// The number of removals under way. For tests.
    var removalCount: Int { state.withLock { $0.machine.removalCount } }

    /// The number of prefetches that send requests. For tests.
    var takenPlaceCount: Int { state.withLock { $0.machine.takenPlaceCount } }

    /// The number of callers waiting for a load that a new caller would join. For tests that hold the door.
    func waiterCount(for key: ViewFlightKey) -> Int { state.withLock { $0.machine.waiterCount(for: key) } }

    /// Adds the numbers that are known here. Entries of the shelf that have expired go.
    func report(to statistics: inout ViewClientStatistics) {
        let now = ticker.nanoseconds()
        settle(state.withLock { $0.shelf.removeExpired(now: now) })
        state.withLock { state in
            statistics.joins = state.joins
            statistics.fencedResults = state.fencedResults
            statistics.unusedPrefetches = state.unusedPrefetches
            statistics.currentLoads = state.machine.flightCount
            statistics.currentWaiters = state.machine.waiterCount
            statistics.keptPrefetches = state.shelf.count
            statistics.keptPrefetchBytes = state.shelf.byteCount
        }
    }
}
