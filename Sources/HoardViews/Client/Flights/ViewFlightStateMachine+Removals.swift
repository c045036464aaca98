// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Removals while loads are under way.
extension ViewFlightStateMachine {
    /// Something is about to be removed: flights that are under way for it are detached and keep nothing, prefetches
    /// are given up, and flights that begin from now on keep nothing before ``removalEnded(_:)``.
    ///
    /// - Parameter onReady: To be called when all that is being kept has been kept, and the removal can find it.
    mutating func removalBegan(_ scope: RemovalScope, onReady: @escaping @Sendable (RemovalID) -> Void) -> (id: RemovalID, actions: Actions) {
        var actions = Actions()
        lastNumber += 1
        let removal = RemovalID(number: lastNumber)
        var awaited: Set<FlightID> = []
        for (id, flight) in flights where scope.covers(flight.key.view) {
            if flight.stage == .publishing { awaited.insert(id) }
            fence(id, givesUpPrefetch: true, &actions)
        }
        removals[removal] = Removal(scope: scope, awaited: awaited, onReady: awaited.isEmpty ? nil : onReady)
        if awaited.isEmpty { actions.ready.append((removal, onReady)) }
        return (removal, actions)
    }

    /// All has been removed. A flight that has begun meanwhile may have seen some of it: it is detached too.
    mutating func removalEnded(_ removal: RemovalID) -> Actions {
        var actions = Actions()
        guard let scope = removals.removeValue(forKey: removal)?.scope else { return actions }
        for (id, flight) in flights where scope.covers(flight.key.view) { fence(id, &actions) }
        return actions
    }

    mutating func fence(_ id: FlightID, isRemoval: Bool = true, givesUpPrefetch: Bool = false, _ actions: inout Actions) {
        guard var flight = flights[id] else { return }
        flight.isFenced = true
        if isRemoval { flight.isRemoved = true }
        if joinable[flight.key] == id { joinable[flight.key] = nil }
        let isGivenUp = givesUpPrefetch && !flight.isFetched
        if isGivenUp {
            for (waiterID, _, waiter) in flight.waiters {
                flightsOfWaiters[waiterID] = nil
                actions.giveUp.append(waiter)
            }
            flight.waiters = []
        }
        flights[id] = flight
        if isGivenUp { abandon(id, &actions) }
    }
}
