// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Starting loads, and keeping their results.
extension ViewFlights {
    func perform(_ actions: Machine.Actions) {
        for (controls, priority) in actions.escalate { controls.escalate(priority) }
        for controls in actions.cancel { controls.cancel() }
        for waiter in actions.giveUp { waiter.resume(.failure(.cancelled), nil) }
        for turn in actions.turns { turn() }
        for (removal, onReady) in actions.ready { onReady(removal) }
        for (flight, work, priority) in actions.start { start(flight, work, priority) }
    }

    private func start(_ flight: FlightID, _ work: @escaping Work, _ priority: UInt8) {
        let task = startTask(priority: TaskPriority(rawValue: priority)) { [self] in
            let result = await work(flight)
            land(flight, result)
        }
        let controls = LoadControls(
            cancel: { task.cancel() },
            escalate: { priority in
                // Earlier systems cannot do it from outside; there the load keeps the priority with which it has begun.
                if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { task.escalatePriority(to: TaskPriority(rawValue: priority)) }
            }
        )
        perform(state.withLock { $0.machine.loadStarted(flight, priority: priority, controls: controls) })
    }

    /// A load has ended: all waiting callers are told, and the result of a prefetch is kept for the fetch that is
    /// expected.
    private func land(_ flight: FlightID, _ result: Result<FetchedView, ViewError>) {
        let now = ticker.nanoseconds()
        let (landing, actions, record, dropped) = state.withLock { state in
            let (landing, actions) = state.machine.loadFinished(flight)
            let (record, dropped) = shelve(result, landing, now: now, &state)
            return (landing, actions, record, dropped)
        }
        settle(dropped)
        perform(actions)
        for (interest, waiter) in landing.waiters { waiter.resume(result, interest.isFetch ? nil : record) }
    }

    private func shelve(
        _ result: Result<FetchedView, ViewError>,
        _ landing: Machine.Landing,
        now: Int64,
        _ state: inout State
    ) -> (PrefetchRecord?, [PrefetchShelf<FetchedView>.Entry]) {
        let periods = landing.waiters.compactMap { (interest, _) -> Int64? in
            if case .prefetch(_, let keepsFor) = interest { keepsFor } else { nil }
        }
        guard case .success(let view) = result, let period = periods.max() else { return (nil, []) }
        let record = PrefetchRecord(deadline: now.addingSaturated(max(0, period)), ticker: ticker)
        if landing.isFetched {
            record.settle(.used)
            return (record, [])
        }
        // A screen that stands in is no success that should hide a better one.
        guard !landing.isFenced, view.staleness == nil else {
            record.settle(.unused)
            return (record, [])
        }
        return (record, state.shelf.add(view, byteCount: view.content.count, record: record, forKey: landing.key.view, now: now))
    }

    /// Settles the entries that have left the shelf before a fetch asked for them.
    func settle(_ dropped: [PrefetchShelf<FetchedView>.Entry]) {
        guard !dropped.isEmpty else { return }
        for entry in dropped { entry.record.settle(.unused) }
        state.withLock { $0.unusedPrefetches += dropped.count }
    }

    /// Whether nothing of a load is kept: its screen or partition has been removed since it began, or another load has taken its place.
    func isFenced(_ flight: FlightID) -> Bool { state.withLock { $0.machine.isFenced(flight) } }

    /// Whether the screen or the partition of a load has been removed since it began.
    func isRemoved(_ flight: FlightID) -> Bool { state.withLock { $0.machine.isRemoved(flight) } }

    /// The longest response that any caller of the load takes, where a fetch takes `limit`.
    func maximumBytes(_ flight: FlightID, limit: Int) -> Int {
        state.withLock { $0.machine.maximumBytes(flight, limit: limit) }
    }

    /// Whether a response of so many bytes is too long for all callers that wait. If so, no caller joins the load any more.
    func mayGiveUp(_ flight: FlightID, bytes: Int, limit: Int) -> Bool {
        state.withLock { $0.machine.mayGiveUp(flight, bytes: bytes, limit: limit) }
    }

    /// Keeps something of a load, unless its screen or its partition has been removed since the load began. A removal
    /// waits until it has been kept.
    func publish(_ flight: FlightID, _ keep: () async -> Void) async {
        while true {
            let permission: Machine.Permission = await withCheckedContinuation { continuation in
                let permission = state.withLock { state in
                    let permission = state.machine.beginPublication(flight) { continuation.resume(returning: .queued) }
                    if permission == .refused { state.fencedResults += 1 }
                    return permission
                }
                if permission != .queued { continuation.resume(returning: permission) }
            }
            switch permission {
            case .queued: continue
            case .refused: return
            case .begun: break
            }
            await keep()
            return perform(state.withLock { $0.machine.publicationEnded(flight) })
        }
    }
}
