// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Loads that begin, publish and end.
extension ViewFlightStateMachine {
    /// The load's task exists.
    mutating func loadStarted(_ id: FlightID, priority: UInt8, controls: LoadControls) -> Actions {
        var actions = Actions()
        guard var flight = flights[id] else { return actions }
        flight.controls = controls
        if flight.isAbandoned { actions.cancel.append(controls) }
        if flight.priority > priority { actions.escalate.append((controls, flight.priority)) }
        flights[id] = flight
        return actions
    }

    /// The longest response that any caller of the load takes, where a fetch takes `limit`.
    func maximumBytes(_ id: FlightID, limit: Int) -> Int {
        guard let flight = flights[id], !flight.isFetched else { return limit }
        return flight.waiters.reduce(0) { longest, waiter in
            guard case .prefetch(let bytes, _) = waiter.interest else { return limit }
            return min(limit, max(longest, bytes))
        }
    }

    /// The response has turned out longer than a load may be.
    ///
    /// - Returns: Whether that is so for all callers that wait. Then no caller joins the load any more, and it is to end.
    mutating func mayGiveUp(_ id: FlightID, bytes: Int, limit: Int) -> Bool {
        guard bytes > maximumBytes(id, limit: limit) else { return false }
        if let key = flights[id]?.key, joinable[key] == id { joinable[key] = nil }
        return true
    }

    enum Permission { case begun, refused, queued }

    /// The load wants to keep its result.
    ///
    /// - Parameter onTurn: Called when the one is over that has to be waited for: then the load asks again.
    /// - Returns: Whether it may. If so, ``publicationEnded(_:)`` has to follow.
    mutating func beginPublication(_ id: FlightID, onTurn: @escaping @Sendable () -> Void) -> Permission {
        guard var flight = flights[id], !flight.isFenced, !flight.isAbandoned else { return .refused }
        precondition(flight.stage == .running, "A flight publishes once at a time, and while it runs.")
        if let other = flights.first(where: { $0.value.stage == .publishing && $0.value.key.view == flight.key.view })?.key {
            flights[other]?.successors.append(onTurn)
            return .queued
        }
        flight.stage = .publishing
        flights[id] = flight
        return .begun
    }

    mutating func publicationEnded(_ id: FlightID) -> Actions {
        var actions = Actions()
        flights[id]?.stage = .running
        actions.turns = flights[id]?.successors ?? []
        flights[id]?.successors = []
        for removal in removals.keys {
            guard removals[removal]?.awaited.remove(id) != nil, removals[removal]?.awaited.isEmpty == true else { continue }
            if let ready = removals[removal]?.onReady { actions.ready.append((removal, ready)) }
            removals[removal]?.onReady = nil
        }
        if flights[id]?.waiters.isEmpty == true { abandon(id, &actions) }
        return actions
    }

    struct Landing {
        /// The waiting callers, in the order in which they came.
        var waiters: [(interest: FlightInterest, waiter: Waiter)]
        let key: ViewFlightKey
        /// A fetch waits for it.
        let isFetched: Bool
        let isFenced: Bool
    }

    /// The load has ended.
    mutating func loadFinished(_ id: FlightID) -> (landing: Landing, actions: Actions) {
        var actions = Actions()
        guard let flight = flights.removeValue(forKey: id) else { preconditionFailure("The load of \(id) has ended twice.") }
        precondition(flight.stage == .running, "A load ends when it has published.")
        if joinable[flight.key] == id { joinable[flight.key] = nil }
        for (waiterID, _, _) in flight.waiters { flightsOfWaiters[waiterID] = nil }
        if flight.hasPlace { freePlace(&actions) }
        let landing = Landing(
            waiters: flight.waiters.map { ($0.interest, $0.waiter) },
            key: flight.key,
            isFetched: flight.isFetched,
            isFenced: flight.isFenced
        )
        return (landing, actions)
    }

    /// Gives the place of a prefetch to the one that has waited longest.
    mutating func freePlace(_ actions: inout Actions) {
        takenPlaces -= 1
        while queueStart < queue.count {
            let id = queue[queueStart]
            queueStart += 1
            guard var flight = flights[id], flight.stage == .queued else { continue }
            flight.stage = .running
            flight.hasPlace = true
            takenPlaces += 1
            actions.start.append((id, flight.work, flight.priority))
            flights[id] = flight
            break
        }
        if queueStart == queue.count || queueStart > 64 {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
    }
}

extension ViewFlightStateMachine.Landing: Sendable where Waiter: Sendable, Work: Sendable {}
