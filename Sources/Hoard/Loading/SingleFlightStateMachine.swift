// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides which caller starts a load, which callers wait and when the load is cancelled. Does no I/O and runs no user code.
///
/// ``SingleFlight`` calls it under a lock, leaves the lock, and then does what the returned action says.
struct SingleFlightStateMachine<Key: Hashable, Waiter> {
    struct FlightID: Hashable { fileprivate let number: UInt64 }

    private struct Flight {
        let key: Key
        var waiters: [(id: UInt64, waiter: Waiter)]
        /// Whether the load goes on even if no caller waits any more.
        var mustEnd = false
    }

    private var flights: [FlightID: Flight] = [:]
    /// The flight that a new caller joins. A detached or abandoned flight is no longer here.
    private var joinableFlights: [Key: FlightID] = [:]
    private var flightsOfWaiters: [UInt64: FlightID] = [:]
    private var lastFlightNumber: UInt64 = 0

    enum JoinAction {
        /// The caller is the first: start the load. The waiter is registered already.
        case startLoad(FlightID)
        /// A load is under way; the waiter is registered.
        case wait
    }

    mutating func join(_ key: Key, waiterID: UInt64, waiter: Waiter) -> JoinAction {
        if let flight = joinableFlights[key] {
            flights[flight]?.waiters.append((waiterID, waiter))
            flightsOfWaiters[waiterID] = flight
            return .wait
        }
        lastFlightNumber += 1
        let flight = FlightID(number: lastFlightNumber)
        flights[flight] = Flight(key: key, waiters: [(waiterID, waiter)])
        flightsOfWaiters[waiterID] = flight
        // Under a key that does not equal itself, such as NaN, it would not be found again to be removed.
        if key == key { joinableFlights[key] = flight }
        return .startLoad(flight)
    }

    enum LeaveAction {
        /// The waiter has been answered already, or never joined.
        case none
        /// Answer this waiter with a cancellation. If it was the last one of its flight, the load is abandoned: cancel it too.
        case resume(Waiter, abandoned: FlightID?)
    }

    /// Removes a waiter whose task was cancelled.
    mutating func leave(waiterID: UInt64) -> LeaveAction {
        guard let flightID = flightsOfWaiters.removeValue(forKey: waiterID), var flight = flights[flightID],
            let position = flight.waiters.firstIndex(where: { $0.id == waiterID })
        else { return .none }
        let waiter = flight.waiters.remove(at: position).waiter
        let isAbandoned = flight.waiters.isEmpty && !flight.mustEnd
        if isAbandoned, joinableFlights[flight.key] == flightID { joinableFlights[flight.key] = nil }
        flights[flightID] = flight
        return .resume(waiter, abandoned: isAbandoned ? flightID : nil)
    }

    /// Removes a waiter at its deadline. The load goes on, even if no caller waits any more.
    ///
    /// - Returns: The waiter to answer; `nil` if it has been answered already.
    mutating func stopWaiting(waiterID: UInt64) -> Waiter? {
        guard let flightID = flightsOfWaiters.removeValue(forKey: waiterID), var flight = flights[flightID],
            let position = flight.waiters.firstIndex(where: { $0.id == waiterID })
        else { return nil }
        let waiter = flight.waiters.remove(at: position).waiter
        flight.mustEnd = true
        flights[flightID] = flight
        return waiter
    }

    /// Makes later callers start a new flight instead of joining the one under way. Its waiters still get its result.
    mutating func detach(_ key: Key) {
        joinableFlights[key] = nil
    }

    mutating func detachAll() {
        joinableFlights.removeAll()
    }

    /// Ends a flight whose load has ended.
    ///
    /// - Returns: The waiters to answer with its result, in the order in which they came.
    mutating func loadFinished(_ flightID: FlightID) -> [Waiter] {
        guard let flight = flights.removeValue(forKey: flightID) else {
            preconditionFailure("The load of \(flightID) has ended twice.")
        }
        if joinableFlights[flight.key] == flightID { joinableFlights[flight.key] = nil }
        for (id, _) in flight.waiters { flightsOfWaiters[id] = nil }
        return flight.waiters.map(\.waiter)
    }

    /// The number of loads under way.
    var flightCount: Int { flights.count }
    /// The keys whose loads a new caller would join.
    var joinableKeys: [Key] { Array(joinableFlights.keys) }
    /// The load that a new caller would join.
    func joinableFlight(for key: Key) -> FlightID? { joinableFlights[key] }
    /// The number of callers waiting for `key`'s joinable load.
    func waiterCount(for key: Key) -> Int { joinableFlights[key].flatMap { flights[$0]?.waiters.count } ?? 0 }
}
