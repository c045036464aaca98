// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard

/// Collapsed forwarding: of requests that one answer may serve, only the first goes to the origin.
extension HTTPCache {
    /// Asks the origin, or waits for the answer to another request like this one.
    func ask(
        _ forward: HTTPCacheStateMachine.Forward,
        _ machine: HTTPCacheStateMachine,
        _ call: Call,
        _ flight: Flight
    ) async throws(HTTPCacheError) -> (HTTPCacheResponse, Outcome) {
        if let early = call.early, flight === early.flight, let found = flight.found {
            guard let exchange = early.exchange else { return try await answer(of: send(forward, machine, call, flight).answer) }
            return try await lead(exchange, found, forward, machine, call)
        }
        guard forward.isCollapsible, configuration.collapseTimeout > .zero, let found = flight.found else {
            return try await answer(of: send(forward, machine, call, flight).answer)
        }
        var key = FlightKey(found)
        var hasOtherVariant = false
        while true {
            let exchange: Exchange
            let arrival: Exchange.Arrival
            switch flights.enter(key, makeExchange: { Exchange(key: key, leaderFields: .known(machine.selectingFields), flight: flight) }) {
            case .alone:
                return try await answer(of: send(forward, machine, call, flight).answer)
            case .lead(let exchange):
                if let response = await responseSince(found, machine, call, exchange) { return (response, .collapsedHits) }
                return try await lead(exchange, found, forward, machine, call)
            case .follow(let leading, let follower):
                exchange = leading
                arrival = await arrivalInTime(for: follower, of: leading)
            case .landed(let landed, let itsArrival):
                (exchange, arrival) = (landed, itsArrival)
            }
            switch arrival {
            case .cancelled:
                throw HTTPCacheError.cancelled
            case .failed(let failure, let error) where !error.mayBeOfOneRequest:
                var machine = machine
                return try await answer(of: failed(failure, error, &machine, call, foundKey: found.key))
            case .response(let shared):
                guard await comesWhole(shared) else { break }
                if let response = await response(shared, to: call, machine, exchange) { return (response, .collapsedHits) }
                // A request that selects another variant may share that one with others.
                if !hasOtherVariant, let next = flightKey(found.base, shared.stored.vary, machine, unlike: exchange) {
                    hasOtherVariant = true
                    key = next
                    continue
                }
            case .notAsked:
                // Of those that have waited, one asks for all.
                continue
            case .failed, .unshareable, .timedOut: break
            }
            return try await answer(of: send(forward, machine, call, flight).answer)
        }
    }

    private func lead(
        _ exchange: Exchange,
        _ found: Found,
        _ forward: HTTPCacheStateMachine.Forward,
        _ machine: HTTPCacheStateMachine,
        _ call: Call
    ) async throws(HTTPCacheError) -> (HTTPCacheResponse, Outcome) {
        // An exchange that no caller waits for any more is cancelled before it begins.
        let task = transfers.start(isImmediate: !Task.isCancelled) { [self] in
            let turn = await turnToAsk(exchange, found, machine, call)
            if case .found(let landing) = turn {
                flights.remove(exchange)
                return exchange.land(landing)
            }
            let permit = turn.permit
            let landing = await send(forward, machine, call, permit?.flight ?? exchange.flight) { [self] in
                permit?.lease.release()
                flights.remove(exchange)
            }
            switch landing.shared {
            case .arriving: flights.markShareable(exchange.key)
            case .stored, .failed, .notAsked:
                permit?.lease.release()
                flights.remove(exchange)
            case .unshareable:
                permit?.lease.release()
                flights.markUnshareable(exchange.key)
                flights.remove(exchange)
            }
            exchange.land(landing)
        }
        if let landed = exchange.takeLeaderAnswer() { return try answer(of: landed) }
        exchange.setTask(task)
        return try answer(of: await passingPriority(to: task) { await exchange.leaderAnswer() })
    }

    private func answer(of answer: Result<Exchange.LeaderAnswer, HTTPCacheError>) throws(HTTPCacheError) -> (HTTPCacheResponse, Outcome) {
        let answer = try answer.get()
        return (answer.response, answer.outcome)
    }

    // MARK: Following

    private func arrivalInTime(for follower: Int, of exchange: Exchange) async -> Exchange.Arrival {
        let end = ticker.nanoseconds().addingSaturated(configuration.collapseTimeout.saturatingNanoseconds)
        let token = deadlines.schedule(at: end) { exchange.giveUp(follower, .timedOut) }
        defer { deadlines.cancel(token) }
        return await exchange.arrival(for: follower)
    }

    /// Whether the response that a follower is about to get is known to be whole, or so long that the follower should
    /// not wait for that. The leader's request may be the cause if the transfer breaks off; a follower that has been
    /// given nothing yet can ask for itself.
    private func comesWhole(_ shared: Exchange.SharedResponse) async -> Bool {
        guard let reader = shared.reader, let length = shared.length, length <= SharedBody.awaitedLength else { return true }
        return await reader.isWholeInTheEnd()
    }

    /// The response to a request that has waited for the answer to another one.
    ///
    /// - Returns: `nil` if the answer is none for this request.
    private func response(
        _ shared: Exchange.SharedResponse,
        to call: Call,
        _ machine: HTTPCacheStateMachine,
        _ exchange: Exchange
    ) async -> HTTPCacheResponse? {
        var machine = machine
        guard isResponse(shared.stored, to: call.key, as: exchange.flight.key),
            case .respond(let answer) = machine.joined(shared.stored, leaderFields: exchange.leaderFields, now: clock.now())
        else { return nil }
        guard let reader = shared.reader else { return await response(answer, to: call, key: nil) }
        return response(answer, reading: reader, length: shared.length)
    }

    /// Whether a response to a request for one URI is one to a request for another: parts of the query may differ that do not matter.
    private func isResponse(_ response: StoredResponse, to key: HTTPCacheKey, as other: HTTPCacheKey) -> Bool {
        if other == key { return true }
        guard let rules = response.noVarySearch else { return false }
        return other.canonicalKey(rules) == key.canonicalKey(rules)
    }

    /// The key for requests that select the same variant as this one, if that is another one than the exchange brings.
    private func flightKey(_ base: HTTPCacheKey, _ vary: Vary, _ machine: HTTPCacheStateMachine, unlike exchange: Exchange) -> FlightKey? {
        guard case .fields(let names) = vary, !names.isEmpty else { return nil }
        let fieldNames = names.map(\.canonicalName)
        guard let variant = variant(fieldNames, machine.selectingFields), variant != self.variant(fieldNames, exchange.leaderFields) else {
            return nil
        }
        return FlightKey(key: base, variant: "\(fieldNames)\(variant.digest)")
    }

    /// The response to a request that was about to lead an exchange, from a response stored since its lookup: another exchange may have ended
    /// just before the request could join it.
    private func responseSince(_ found: Found, _ machine: HTTPCacheStateMachine, _ call: Call, _ exchange: Exchange) async -> HTTPCacheResponse? {
        guard let now = lookUpInMemory(found.base, machine.selectingFields), let stored = now.response, stored.isComplete else { return nil }
        var machine = machine
        guard case .respond(let answer) = machine.joined(stored, leaderFields: machine.selectingFields, now: clock.now()),
            let response = await response(answer, to: call, key: now.key)
        else { return nil }
        // Requests that have joined meanwhile get the same. The leader has its answer.
        flights.remove(exchange)
        exchange.land(.init(answer: .failure(.cancelled), shared: .stored(stored)))
        return response
    }
}

extension TransportError {
    /// Whether the fields of the request may be the cause. Other requests that wait for the same answer then ask for
    /// themselves, so that one client's request never fails another's.
    fileprivate var mayBeOfOneRequest: Bool {
        switch code {
        case .cancelled, .connectionClosed, .invalidResponse, .requestTooLarge: true
        // Refused by a server that was reached: RFC 9113 §8.7.
        case .failed: progress == .notProcessed && stage == nil
        default: false
        }
    }
}
