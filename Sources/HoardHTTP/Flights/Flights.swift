// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// The key of requests that one answer may serve: the key of the responses, and the variant as far as it is known.
struct FlightKey: Hashable, Sendable {
    var key: HTTPCacheKey
    /// The selecting fields and the request's values in them; `nil` until the cache knows that fields select the response.
    var variant: String?
}

extension FlightKey {
    /// That of a request for which a lookup has found this.
    init(_ found: HTTPCache.Found) {
        self.init(key: found.base, variant: found.variant.map { "\($0.fieldNames)\($0.digest)" })
    }
}

/// The exchanges that requests may join.
///
/// A key whose answer could not be shared is left alone for a second: requests for it go to the origin side by side, instead of one after the
/// other finding out the same.
final class Flights: Sendable {
    private struct State {
        var exchanges: [FlightKey: Exchange] = [:]
        var unshareable = UnshareableKeys()

        mutating func begin(_ key: FlightKey, _ makeExchange: () -> Exchange) -> Exchange {
            let exchange = makeExchange()
            exchanges[key] = exchange
            return exchange
        }
    }

    private let state = Mutex(State())
    private let ticker: any Ticker

    init(ticker: any Ticker) {
        self.ticker = ticker
    }

    enum Entry: Sendable {
        /// The request leads this exchange, and has to start it.
        case lead(Exchange)
        case follow(Exchange, Int)
        case landed(Exchange, Exchange.Arrival)
        /// Requests for the key are not collapsed now.
        case alone
    }

    /// Joins the exchange of a key, or begins one.
    func enter(_ key: FlightKey, makeExchange: () -> Exchange) -> Entry {
        interleavingPoint()
        return state.withLock { state in
            if state.unshareable.contains(key, at: ticker.nanoseconds) { return .alone }
            if let exchange = state.exchanges[key] {
                switch exchange.join() {
                case .wait(let follower): return .follow(exchange, follower)
                case .landed(let arrival): return .landed(exchange, arrival)
                case .refused: break
                }
            }
            return .lead(state.begin(key, makeExchange))
        }
    }

    /// The same for a request that does not wait for others: `nil` if there is an exchange of the key.
    func enterFirst(_ key: FlightKey, makeExchange: () -> Exchange) -> Entry? {
        interleavingPoint()
        return state.withLock { state in
            if state.unshareable.contains(key, at: ticker.nanoseconds) { return .alone }
            return state.exchanges[key] == nil ? .lead(state.begin(key, makeExchange)) : nil
        }
    }

    /// Keeps requests from joining an exchange from now on.
    func remove(_ exchange: Exchange) {
        interleavingPoint()
        state.withLock { state in
            if state.exchanges[exchange.key] === exchange { state.exchanges[exchange.key] = nil }
        }
    }

    /// Keeps requests from joining, from now on, any of the exchanges that are under way.
    func removeAll() {
        // Released after the lock.
        let removed = state.withLock { state in
            defer { state.exchanges = [:] }
            return state.exchanges
        }
        withExtendedLifetime(removed) {}
    }

    /// The same for some keys, of which nothing is known afterwards.
    func removeAll(where isRemoved: (FlightKey) -> Bool) {
        interleavingPoint()
        let removed = state.withLock { state in
            let removed = state.exchanges.filter { isRemoved($0.key) }
            for key in removed.keys { state.exchanges[key] = nil }
            state.unshareable.removeAll(where: isRemoved)
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Requests for the key go to the origin by themselves for a while.
    func markUnshareable(_ key: FlightKey) {
        let now = ticker.nanoseconds()
        state.withLock { $0.unshareable.insert(key, at: now) }
    }

    /// An answer for the key can be shared after all.
    func markShareable(_ key: FlightKey) {
        state.withLock { $0.unshareable.remove(key) }
    }

    /// The number of exchanges that can be joined. For tests.
    var count: Int { state.withLock { $0.exchanges.count } }

    /// The exchange of a key. For tests.
    func exchange(_ key: FlightKey) -> Exchange? { state.withLock { $0.exchanges[key] } }
}
