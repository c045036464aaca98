// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Requests that are sent to the origin before the ordinary way of the cache begins: plain misses before they are parsed, and requests for which
/// memory has a stale response.
extension HTTPCache {
    /// A request for which the cache has nothing that it may use as it is, and that is on its way to the origin.
    ///
    /// It ends in one of five ways. The response is passed on as it came (``passedOn(_:because:)``, ``store(_:_:_:)``). Or it confirms memory's
    /// response (``confirm(_:by:)``). Or it is whole, and answers the request (``answer(_:to:with:_:)``). Or the request is answered in the ordinary
    /// way, with the request that has been sent already (``respond(to:through:onInterimResponse:isFresh:after:)``). Or it has to be forgotten
    /// (``forget(_:)``).
    package struct EarlyMiss: Sendable {
        package let key: HTTPCacheKey
        let flight: Flight
        /// The exchange that others may join; `nil`: requests for the key are not collapsed now.
        let exchange: Exchange?
        /// The response in memory that may not be used as it is, if there is one.
        let found: Found
        /// The fields that ask the origin about that response: whole lines. Empty if there is none, or it has no validator.
        package let conditions: [UInt8]
        let requestTime: Date
        let start: Int64

        /// Whether it is about a response in memory that is stale.
        package var isOfStale: Bool { found.response != nil }
    }

    /// How far a request has come before it is parsed.
    package enum EarlyBeginning: Sendable {
        case miss(EarlyMiss)
        /// Memory has something of which more has to be known: ``beginValidation(_:)``.
        case found
        /// It has to be answered in the ordinary way.
        case nothing
    }

    /// Begins a plain request (``freshHit(targetURI:isHead:now:)``) with GET, if the origin has to be asked and no other request is asking for the same.
    ///
    /// The origin has to be asked if memory has a whole response that needs it, or if it is certain that neither memory nor a store has anything. Never
    /// suspends, and reads no store. From here on a removal keeps the fetched response from being stored.
    ///
    /// - Parameters:
    ///   - targetURI: The normalised URI, as keys have it.
    ///   - selectingFields: Parses those fields of the request that go beyond the connection.
    package func beginMiss(targetURI: String, selectingFields: @escaping @Sendable () -> HTTPFields) -> EarlyBeginning {
        guard beginsEarly else { return .nothing }
        let key = HTTPCacheKey(scope: space.baseScope, targetURI: targetURI)
        let fields = SelectingFields.parsedWhenNeeded(selectingFields)
        let flight = Flight(key: key, space: space, selectingFields: fields, cache: self)
        if let lookup = entries.memoryLookup(forKey: key) { return beginValidation(of: lookup, flight, fields) }
        return beginAbsent(flight, fields).map { .miss($0) } ?? .nothing
    }

    private func beginValidation(of lookup: Lookup<HTTPCacheEntry>, _ flight: Flight, _ fields: SelectingFields) -> EarlyBeginning {
        guard case .response = lookup.value, let found = take(lookup, at: flight.key, HTTPFields()),
            let conditions = found.response?.plainConditions(at: clock.now())
        else { return .found }
        return begin(found, flight, fields, conditions: conditions).map { .miss($0) } ?? .nothing
    }

    /// Begins a plain request if memory has the whole response that it selects, the origin has to be asked about that, and no other request is asking.
    /// Never suspends.
    ///
    /// - Returns: `nil` if the request has to be answered in the ordinary way.
    package func beginValidation(_ request: Request) -> EarlyMiss? {
        guard beginsEarly, let call = call(request) else { return nil }
        var machine = machine(for: call)
        guard case .lookUp = machine.start(), let (found, forward) = staleInMemory(call, &machine) else { return nil }
        let lines = [HTTPField.Name.ifNoneMatch, .ifModifiedSince].flatMap { name in
            forward.request.headerFields[fields: name].flatMap { "\(name.rawName): \($0.value)\r\n".utf8 }
        }
        let fields = SelectingFields.known(machine.selectingFields)
        return begin(found, Flight(key: call.key, space: call.space, selectingFields: fields, cache: self), fields, conditions: lines)
    }

    /// Memory's response to a request and the request for the origin, if that is all that is asked about it.
    func staleInMemory(_ call: Call, _ machine: inout HTTPCacheStateMachine) -> (Found, HTTPCacheStateMachine.Forward)? {
        guard let found = lookUpInMemory(call.key, machine.selectingFields), let stored = found.response, stored.isComplete,
            stored.body.lengthAtHand != nil,
            case .forward(let forward) = machine.lookedUp(stored, isVaryMiss: false, now: clock.now()), forward.isCollapsible,
            forward.reason == ForwardCause.stale.reason
        else { return nil }
        return (found, forward)
    }

    /// Begins a request for a URI of which it is certain that neither memory nor a store has anything.
    func beginAbsent(_ flight: Flight, _ fields: SelectingFields) -> EarlyMiss? {
        guard let miss = begin(Found(base: flight.key), flight, fields) else { return nil }
        if entries.isKnownAbsent(flight.key, and: mayHaveSearchRules.load(ordering: .acquiring) ? flight.key.searchRulesKey : nil) { return miss }
        takeBack(miss)
        return nil
    }

    /// Whether requests may begin early. Only the ordinary way can wait for other caches, have no request wait, or make forms of responses.
    package var beginsEarly: Bool {
        configuration.collapseTimeout > .zero && !configuration.collapsesAcrossCaches && rules.hasPlainTargets && rules.codings == nil
    }

    /// - Returns: `nil` if another request is asking for the same, or has asked for it since the lookup.
    func begin(_ found: Found, _ flight: Flight, _ fields: SelectingFields, conditions: [UInt8] = []) -> EarlyMiss? {
        if found.response != nil { flight.found = found }
        let flightKey = FlightKey(found)
        let exchange: Exchange?
        switch flights.enterFirst(flightKey, makeExchange: { Exchange(key: flightKey, leaderFields: fields, flight: flight) }) {
        case .lead(let led): exchange = led
        case .alone: exchange = nil
        case .follow, .landed, nil: return nil
        }
        let miss = EarlyMiss(
            key: flight.key,
            flight: flight,
            exchange: exchange,
            found: found,
            conditions: conditions,
            requestTime: clock.now(),
            start: ticker.nanoseconds()
        )
        if !isOutdated(found) { return miss }
        takeBack(miss)
        return nil
    }

    /// Whether memory has another response now than the one that a lookup has found: the exchange that brought it may have ended in between.
    private func isOutdated(_ found: Found) -> Bool {
        guard let key = found.key, let stored = found.response, case .response(let now)? = entries.memoryPeek(forKey: key) else { return false }
        return now.responseTime != stored.responseTime
    }

    /// Ends an early miss that was begun in vain, before anything was sent. The requests that wait for it begin again.
    package func takeBack(_ miss: EarlyMiss) { forget(miss, sharing: .notAsked) }

    /// Whether an early miss is one of this request, as the cache understands it.
    package func isBegun(_ pending: PendingRequest, by miss: EarlyMiss) -> Bool { pending.isLookup && pending.key == miss.key }

    /// Ends an early miss of which nothing will come. The requests that wait for it ask by themselves.
    package func forget(_ miss: EarlyMiss) { forget(miss, sharing: .unshareable) }

    func forget(_ miss: EarlyMiss, sharing shared: Exchange.Shared) {
        miss.flight.close()
        guard let exchange = miss.exchange else { return }
        flights.remove(exchange)
        exchange.land(.init(answer: .failure(.cancelled), shared: shared))
    }

    /// Ends an early miss that has been answered.
    func end(_ miss: EarlyMiss, sharing shared: Exchange.Shared) {
        if case .unshareable = shared, let exchange = miss.exchange { flights.markUnshareable(exchange.key) }
        forget(miss, sharing: shared)
    }
}
