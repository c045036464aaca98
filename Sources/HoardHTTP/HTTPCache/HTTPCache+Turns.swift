// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Collapsed forwarding among caches that share a store: of them all, one asks the origin.
extension HTTPCache {
    /// Whether an exchange has to ask the origin.
    enum Turn: Sendable {
        /// Another cache has brought the response.
        case found(Exchange.Landing)
        /// It is this cache's turn. It has no permit if no store could grant one, or if the other cache did not finish in time.
        case ask(Permit?)

        var permit: Permit? { if case .ask(let permit) = self { permit } else { nil } }
    }

    /// The right to ask for something of which other caches wait for the response.
    struct Permit: Sendable {
        let lease: HeldLease
        /// The flight that decides whether the response may be stored. It begins with the right to ask, so writes before that do not concern it.
        let flight: Flight
    }

    /// Waits until the leader of an exchange may ask the origin, unless another cache brings a response that answers
    /// its request.
    func turnToAsk(_ exchange: Exchange, _ found: Found, _ machine: HTTPCacheStateMachine, _ call: Call) async -> Turn {
        guard configuration.collapsesAcrossCaches else { return .ask(nil) }
        // Followers give up waiting at the end of the timeout, and would all ask by themselves.
        let lease = CachePolicy.LoadLease(duration: configuration.leaseDuration, maximumWait: configuration.collapseTimeout / 2)
        do {
            let turn = try await entries.turn(toLoad: exchange.key.leaseKey, lease) { [self] in await landing(at: found, machine, call) }
            switch turn {
            case .found(let landing): return .found(landing)
            case .load(nil): return .ask(nil)
            case .load(let held?):
                let flight = Flight(key: call.key, space: call.space, selectingFields: .known(machine.selectingFields), cache: self, isAwaited: true)
                flight.found = exchange.flight.found
                // A removal during the wait also counts if what it has removed may be confirmed now.
                let isRemoved = flight.found?.response.map { !exchange.flight.isIntact(for: $0) } ?? false
                if isRemoved || exchange.flight.hasLostPartition { flight.close() }
                return .ask(Permit(lease: held, flight: flight))
            }
        } catch {
            // No caller wants the answer any more, as the transport will find out.
            return .ask(nil)
        }
    }

    /// The answer to a request from a response that others have stored since its lookup.
    private func landing(at found: Found, _ machine: HTTPCacheStateMachine, _ call: Call) async -> Exchange.Landing? {
        let now = await lookUp(found.base, machine.selectingFields)
        guard let stored = now.response, stored.isComplete else { return nil }
        var machine = machine
        guard case .respond(let answer) = machine.joined(stored, leaderFields: machine.selectingFields, now: clock.now()),
            let response = await response(answer, to: call, key: now.key)
        else { return nil }
        return .init(answer: .success(.init(response, .collapsedHits)), shared: .stored(stored))
    }
}

extension FlightKey {
    /// The lease's key. It is the key under which the answer is stored, if that is known, so that caches that wait hear of it at once.
    fileprivate var leaseKey: HTTPCacheKey {
        guard let variant else { return key }
        var leaseKey = key
        leaseKey.variant = "\(key.variant.map { "\($0)\n" } ?? "")lease\n\(variant)"
        return leaseKey
    }
}
