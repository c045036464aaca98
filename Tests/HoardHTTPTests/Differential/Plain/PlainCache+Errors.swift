// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    /// RFC 9111 §4.3.3: the error is passed on, or a stale response takes its place (§4.2.4, RFC 5861 §4).
    func afterError(
        _ stored: PlainStored,
        _ world: PlainWorld,
        _ request: PlainRequest,
        _ call: PlainCall,
        _ conditions: [PlainConditions],
        at time: Int
    ) -> [PlainBranch] {
        let error = delivering(call, world, request, found: stored, "§4.3.3, the error", conditions)
        let times = Array(Set([time, call.responseTime]))
        let permissions = times.map { permitsStandIn(stored, request, isUnreachable: call.response == nil, at: $0) }
        guard permissions.contains(where: { $0 != .no }) else { return [error] }
        let standIns = serving(stored, request, at: times).map {
            PlainBranch(why: "RFC 5861 §4 or §4.2.4, standing in", calls: [conditions], reply: $0, next: [world])
        }
        return permissions.allSatisfy { $0 == .yes } ? standIns : standIns + [error]
    }

    private enum Permission {
        case yes, maybe, no
    }

    private func permitsStandIn(_ stored: PlainStored, _ request: PlainRequest, isUnreachable: Bool, at time: Int) -> Permission {
        if stored.isNoCache { return .no }
        // A fresh response was only too old for this client: §5.2.2.2 forbids the use of stale responses.
        if stored.isFresh(at: time) { return .maybe }
        guard !prohibitsStale(stored) else { return .no }
        let staleness = stored.staleness(at: time)
        let directives = PlainDirectives(request.fields)
        // A client that wants confirmation prefers it: §5.2.1. It may get the error.
        let isWanted = !demandsConfirmation(stored, request, at: time) && !directives.has("max-age")
        let periods = [stored.directives, directives].compactMap { has(.ignoresStaleIfError) ? nil : $0.first("stale-if-error") }
        if let period = periods.max(), staleness <= period { return isWanted && staleness < period ? .yes : .maybe }
        // The setting of the cache is for responses that say nothing themselves.
        guard isUnreachable, staleness <= staleIfUnreachable else { return .no }
        if !periods.isEmpty { return stored.directives.first("stale-if-error") == nil ? .maybe : .no }
        return isWanted ? .yes : .maybe
    }
}
