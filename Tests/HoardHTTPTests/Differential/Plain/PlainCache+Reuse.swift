// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    /// The ways to answer a request in one state: RFC 9111 §4.
    func branches(_ world: PlainWorld, _ exchange: PlainExchange) -> [PlainBranch] {
        let request = exchange.request
        guard ["GET", "HEAD"].contains(request.method) else { return changing(world, exchange) }
        let directives = PlainDirectives(request.fields)
        if directives.has("no-store") {
            // §5.2.1.5 forbids to store. This cache claims not to read either.
            if directives.has("only-if-cached") { return [Self.gatewayTimeout(world)] }
            return selected(world, request).flatMap { passing(world, exchange, found: $0, "§5.2.1.5, no-store in the request") }
        }
        // A cache need not keep a response that is of no use any more, or of little.
        let useful = world.filter { isOfUse($0, at: exchange.time) }
        let confirmable = world.filter { isOfUse($0, at: exchange.time) || $0.hasValidator }
        let worlds = [world, confirmable, useful].reduce(into: [PlainWorld]()) { worlds, world in
            if !worlds.contains(world) { worlds.append(world) }
        }
        // A cache need not keep any response. In a private cache, an exchange of one client may take away
        // responses that are kept for the credentials of other clients.
        let isApart = !isShared && request.fields["authorization"] != nil
        return (worlds + (isApart && !world.isEmpty ? [[]] : [])).flatMap { world in
            selected(world, request).flatMap { stored in
                if let stored { return reusing(stored, world, exchange, directives) }
                if directives.has("only-if-cached") { return [Self.gatewayTimeout(world)] }
                return passing(world, exchange, found: nil, "§4, nothing stored is selected")
            }
        }
    }

    /// Whether a response may be of use yet: it is fresh, or has been stale for less than a day and can be
    /// confirmed (§4.3.1 wants a validator) or may be served as it is (§4.2.4).
    private func isOfUse(_ stored: PlainStored, at time: Int) -> Bool {
        if stored.isFresh(at: time) { return true }
        return stored.staleness(at: time) < 86_400 && (stored.hasValidator || !prohibitsStale(stored))
    }

    private func reusing(_ stored: PlainStored, _ world: PlainWorld, _ exchange: PlainExchange, _ directives: PlainDirectives) -> [PlainBranch] {
        let now = exchange.time
        let served = serving(stored, exchange.request, at: [now]).map {
            PlainBranch(why: stored.isFresh(at: now) ? "§4.2, fresh" : "§4.2.4, stale", reply: $0, next: [world])
        }
        var branches: [PlainBranch] = []
        if !demandsConfirmation(stored, exchange.request, at: now) {
            if stored.isFresh(at: now) { return served }
            let staleness = stored.staleness(at: now)
            // §5.2.1.2: without an argument any staleness is accepted.
            let accepted = directives.has("max-stale") ? directives.first("max-stale") ?? .max : -1
            if !prohibitsStale(stored), staleness <= accepted { return served }
            if !prohibitsStale(stored), let period = stored.directives.first("stale-while-revalidate"), staleness <= period {
                branches = servingWhileRevalidating(stored, world, exchange)
                // RFC 5861 §3 says "up to"; and with max-age a client wants nothing stale (RFC 9111 §5.2.1.1).
                if staleness < period, !directives.has("max-age"), !directives.has("only-if-cached") { return branches }
            }
        }
        // The demands of requests are advisory (§5.2.1), and a reload of an immutable response need not reach the
        // origin (RFC 8246 §2). This cache takes that for its right, but not with no-cache.
        if stored.isFresh(at: now), stored.directives.has("immutable"), !stored.isNoCache, !directives.has("no-cache") {
            branches += served
        }
        // §5.2.1.7.
        if directives.has("only-if-cached") { return branches + [Self.gatewayTimeout(world)] }
        return branches + validating(stored, world, exchange)
    }

    /// Whether a response may not be used before the origin has confirmed it, fresh or not.
    func demandsConfirmation(_ stored: PlainStored, _ request: PlainRequest, at time: Int) -> Bool {
        let directives = PlainDirectives(request.fields)
        // §5.2.2.4, §5.2.1.4; and §5.4 for clients that know no Cache-Control.
        if stored.isNoCache || directives.has("no-cache") { return true }
        if request.fields["pragma"] == "no-cache", request.fields["cache-control"] == nil { return true }
        // §5.2.1.1, §5.2.1.3.
        if let limit = directives.first("max-age"), !has(.ignoresRequestMaxAge), stored.age(at: time) > limit { return true }
        if let rest = directives.first("min-fresh"), stored.freshnessLifetime < stored.age(at: time) + rest { return true }
        return false
    }

    /// §4.2.4, §5.2.2.2, §5.2.2.8, §5.2.2.10.
    func prohibitsStale(_ stored: PlainStored) -> Bool {
        let directives = stored.directives
        if stored.isNoCache || (directives.has("must-revalidate") && !has(.ignoresMustRevalidate)) { return true }
        return isShared && (directives.has("proxy-revalidate") || (directives.has("s-maxage") && !has(.ignoresSMaxAge)))
    }

    /// RFC 5861 §3: the stale response is served, and validated behind the client's back.
    private func servingWhileRevalidating(_ stored: PlainStored, _ world: PlainWorld, _ exchange: PlainExchange) -> [PlainBranch] {
        // The client's conditions are not for the request behind its back.
        var exchange = exchange
        var behind = validating(stored, world, exchange)
        let replies = serving(stored, exchange.request, at: [exchange.time])
        exchange.request.fields.remove("if-none-match")
        exchange.request.fields.remove("if-modified-since")
        behind += validating(stored, world, exchange)
        // An error that may be stored may take the place of the stored response: RFC 9111 §3.
        if let call = exchange.calls.first, let response = call.response, response.status >= 500 {
            let next = storing(call, response, for: exchange.request.asGet, world, found: stored)
            behind = behind.map { branch in
                var branch = branch
                branch.next += next
                return branch
            }
        }
        // With only-if-cached no request may be sent: RFC 9111 §5.2.1.7.
        if PlainDirectives(exchange.request.fields).has("only-if-cached") {
            behind = [PlainBranch(why: "only-if-cached", reply: .failure, next: [world])]
        }
        return replies.flatMap { reply in
            behind.map { branch in
                var branch = branch
                branch.why = "RFC 5861 §3, while it is revalidated; " + branch.why
                branch.reply = reply
                return branch
            }
        }
    }

    /// A request that involves no stored response goes to the origin as it is.
    private func passing(_ world: PlainWorld, _ exchange: PlainExchange, found: PlainStored?, _ why: String) -> [PlainBranch] {
        let conditions = PlainConditions(exchange.request.fields)
        guard let call = exchange.calls.first else { return [.forwarding(why, [conditions])] }
        return [delivering(call, world, exchange.request, found: found, why, [conditions])]
    }

    /// A method that may change something is written through: RFC 9111 §4.
    private func changing(_ world: PlainWorld, _ exchange: PlainExchange) -> [PlainBranch] {
        let why = "§4, the method is written through"
        guard let call = exchange.calls.first else { return [.forwarding(why, [PlainConditions()])] }
        var branch = delivering(call, world, exchange.request, found: nil, why, [PlainConditions()])
        if !invalidated(by: exchange).isEmpty { branch.next = [[]] }
        guard let response = call.response, response.status == 200, exchange.request.method == "POST" else { return [branch] }
        // RFC 9110 §9.3.3: the response to POST may answer later GETs.
        let lifetimes = PlainDirectives(response.fields)
        if response.fields["content-location"] == exchange.request.uri, lifetimes.has("max-age") || lifetimes.has("s-maxage") {
            var get = exchange.request
            get.method = "GET"
            branch.next += storing(call, response, for: get, [], found: nil)
        }
        return [branch]
    }

    private static func gatewayTimeout(_ world: PlainWorld) -> PlainBranch {
        PlainBranch(why: "§5.2.1.7, only-if-cached", reply: PlainReplyPattern(status: 504, age: [nil]), next: [world])
    }
}

extension PlainBranch {
    /// A request that should have been sent, and was not.
    static func forwarding(_ why: String, _ conditions: [PlainConditions]) -> PlainBranch {
        PlainBranch(why: why, calls: [conditions], reply: .asOriginAnswers, next: [])
    }
}
