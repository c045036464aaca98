// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides which caller starts a load of a screen, which callers wait, when it is cancelled, and whether its result may
/// be kept. Does no I/O and runs no user code.
///
/// ``ViewFlights`` calls it under a lock, leaves the lock, and then does what the returned actions say.
///
/// A *flight* is a load and the callers that wait for it. One for which only prefetches wait counts against their
/// limits: it waits for its turn in a queue. The first fetch that joins takes it out of there.
///
/// A flight is *fenced* by a removal that covers it, and by one that is under way when it begins: then nothing of it is kept. It is *detached* too, so
/// that later callers begin a new one. While a flight publishes, which is keeping its result, it is neither abandoned nor overtaken: a removal waits for it.
struct ViewFlightStateMachine<Waiter, Work> {
    enum Stage { case queued, running, publishing }

    struct Flight {
        let key: ViewFlightKey
        /// The work of its load.
        let work: Work
        var waiters: [(id: UInt64, interest: FlightInterest, waiter: Waiter)]
        var stage: Stage
        var priority: UInt8
        /// It asks the server whatever is kept.
        let confirms: Bool
        /// It takes one of the places for prefetches.
        var hasPlace: Bool
        /// A fetch waits for it.
        var isFetched: Bool
        var isFenced: Bool
        /// It is fenced by a removal, and not only overtaken by a load that asks the server whatever is kept.
        var isRemoved: Bool
        /// No caller waits any more: its load is to be cancelled.
        var isAbandoned = false
        var controls: LoadControls?
        /// The flights that publish something of the same screen next.
        var successors: [@Sendable () -> Void] = []
    }

    struct Removal {
        let scope: RemovalScope
        /// The publications under way that it waits for.
        var awaited: Set<FlightID>
        var onReady: (@Sendable (RemovalID) -> Void)?
    }

    let maximumPrefetches: Int
    let maximumConcurrentPrefetches: Int

    var flights: [FlightID: Flight] = [:]
    /// The flight that a new caller joins. A detached or abandoned flight is no longer here.
    var joinable: [ViewFlightKey: FlightID] = [:]
    var flightsOfWaiters: [UInt64: FlightID] = [:]
    var removals: [RemovalID: Removal] = [:]
    /// Prefetches that wait for a place, the oldest first; some may have left meanwhile.
    var queue: [FlightID] = []
    var queueStart = 0
    var takenPlaces = 0
    var lastNumber: UInt64 = 0

    init(maximumPrefetches: Int, maximumConcurrentPrefetches: Int) {
        self.maximumPrefetches = max(0, maximumPrefetches)
        self.maximumConcurrentPrefetches = max(1, maximumConcurrentPrefetches)
    }

    /// The actions to take outside the lock.
    struct Actions {
        /// Loads to start, with their priorities.
        var start: [(flight: FlightID, work: Work, priority: UInt8)] = []
        var escalate: [(controls: LoadControls, priority: UInt8)] = []
        var cancel: [LoadControls] = []
        /// Waiters whose flight has been given up.
        var giveUp: [Waiter] = []
        /// Publications whose turn has come.
        var turns: [@Sendable () -> Void] = []
        /// The work to release outside the lock.
        var released: [Work] = []
        /// Removals that have nothing to wait for any more.
        var ready: [(removal: RemovalID, onReady: @Sendable (RemovalID) -> Void)] = []
    }

    // MARK: Callers

    enum JoinOutcome: Hashable, Sendable {
        /// The caller is the first, and waits for a load of its own.
        case began
        /// The caller waits for a load that another has begun.
        case joined
        /// There are too many prefetches; the caller does not wait.
        case refused
    }

    /// - Parameter confirms: Whether the caller wants the server to be asked whatever is kept. It joins no load that may not do so, and takes the place of one:
    ///   that keeps nothing any more.
    mutating func join(
        _ key: ViewFlightKey,
        waiterID: UInt64,
        interest: FlightInterest,
        confirms: Bool = false,
        priority: UInt8,
        work: Work,
        waiter: Waiter
    ) -> (outcome: JoinOutcome, actions: Actions) {
        var actions = Actions()
        let overtaken = joinable[key].flatMap { confirms && flights[$0]?.confirms == false ? $0 : nil }
        // Before anything changes: a caller that is refused has no effect on others.
        if interest != .fetch, overtaken != nil || joinable[key] == nil, prefetchCount >= maximumPrefetches { return (.refused, actions) }
        if let overtaken { fence(overtaken, isRemoval: false, &actions) }
        if let id = joinable[key], var flight = flights[id] {
            // The fetches for which it began may have left while it keeps its result.
            if flight.waiters.isEmpty { flight.isFetched = false }
            flight.waiters.append((waiterID, interest, waiter))
            flightsOfWaiters[waiterID] = id
            if interest == .fetch { flight.isFetched = true }
            if priority > flight.priority {
                flight.priority = priority
                if let controls = flight.controls { actions.escalate.append((controls, priority)) }
            }
            if interest == .fetch, flight.stage == .queued {
                flight.stage = .running
                actions.start.append((id, flight.work, flight.priority))
            }
            let freesPlace = interest == .fetch && flight.hasPlace
            if freesPlace { flight.hasPlace = false }
            flights[id] = flight
            if freesPlace { freePlace(&actions) }
            return (.joined, actions)
        }
        lastNumber += 1
        let id = FlightID(number: lastNumber)
        let needsPlace = interest != .fetch
        let startsNow = !needsPlace || takenPlaces < maximumConcurrentPrefetches
        let isBeingRemoved = removals.values.contains { $0.scope.covers(key.view) }
        flights[id] = Flight(
            key: key,
            work: work,
            waiters: [(waiterID, interest, waiter)],
            stage: startsNow ? .running : .queued,
            priority: priority,
            confirms: confirms,
            hasPlace: needsPlace && startsNow,
            isFetched: interest == .fetch,
            isFenced: isBeingRemoved,
            isRemoved: isBeingRemoved
        )
        flightsOfWaiters[waiterID] = id
        joinable[key] = id
        if startsNow {
            if needsPlace { takenPlaces += 1 }
            actions.start.append((id, work, priority))
        } else {
            queue.append(id)
        }
        return (.began, actions)
    }

    /// A waiter's task was cancelled.
    ///
    /// - Returns: The waiter to tell so; `nil` if it has been answered already, or never joined.
    mutating func leave(waiterID: UInt64) -> (waiter: Waiter?, actions: Actions) {
        var actions = Actions()
        guard let id = flightsOfWaiters.removeValue(forKey: waiterID), var flight = flights[id],
            let position = flight.waiters.firstIndex(where: { $0.id == waiterID })
        else { return (nil, actions) }
        let waiter = flight.waiters.remove(at: position).waiter
        // A fetch that has left leaves a prefetch behind, if others wait.
        if !flight.waiters.isEmpty { flight.isFetched = flight.waiters.contains { $0.interest.isFetch } }
        flights[id] = flight
        if flight.waiters.isEmpty { abandon(id, &actions) }
        return (waiter, actions)
    }

    /// Gives up a flight that no caller waits for any more. A result that is being kept is kept to the end, and a caller may still join the flight.
    mutating func abandon(_ id: FlightID, _ actions: inout Actions) {
        guard var flight = flights[id], flight.stage != .publishing else { return }
        if joinable[flight.key] == id { joinable[flight.key] = nil }
        if flight.stage == .queued {
            flights[id] = nil
            actions.released.append(flight.work)
            return
        }
        flight.isAbandoned = true
        if let controls = flight.controls { actions.cancel.append(controls) }
        flights[id] = flight
    }

    // MARK: State

    /// The number of loads that run or wait for their turn.
    var flightCount: Int { flights.count }
    var waiterCount: Int { flightsOfWaiters.count }
    var removalCount: Int { removals.count }
    var takenPlaceCount: Int { takenPlaces }
    /// The number of flights for which no fetch has waited yet.
    var prefetchCount: Int { flights.values.count { !$0.isFetched && !$0.isAbandoned } }
    func isLoading(_ key: ViewFlightKey) -> Bool { joinable[key] != nil }
    /// The number of callers waiting for the flight that a new caller would join.
    func waiterCount(for key: ViewFlightKey) -> Int { joinable[key].flatMap { flights[$0]?.waiters.count } ?? 0 }
    func isFenced(_ id: FlightID) -> Bool { flights[id]?.isFenced ?? true }
    /// Whether the screen of a flight has been removed since it began.
    func isRemoved(_ id: FlightID) -> Bool { flights[id]?.isRemoved ?? true }
}

extension ViewFlightStateMachine.Actions: Sendable where Waiter: Sendable, Work: Sendable {}
