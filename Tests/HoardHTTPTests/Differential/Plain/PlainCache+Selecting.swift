// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension PlainCache {
    /// Whether all fields that the stored response varies by are as in its request: RFC 9111 §4.1.
    func selects(_ stored: PlainStored, _ request: PlainRequest) -> Bool {
        if has(.forgetsVary) { return true }
        return stored.varyNames.allSatisfy { $0 != "*" && stored.selecting.all($0) == request.fields.all($0) }
    }

    /// The stored responses of which the cache has to use one: the most recent by Date among those that the
    /// request selects (RFC 9111 §4). `[nil]`: there is none.
    func selected(_ world: PlainWorld, _ request: PlainRequest) -> [PlainStored?] {
        let matching = world.filter { selects($0, request) }
        guard let latest = matching.map(\.date).max() else { return [nil] }
        var choices = matching.filter { $0.date == latest }
        // Known: if the origin's clock goes back, this cache uses the one that came last. See
        // RecentResponseTests.
        if let last = matching.last, !choices.contains(last) { choices.append(last) }
        return choices
    }

    /// The URIs whose responses go: RFC 9111 §4.4.
    func invalidated(by exchange: PlainExchange) -> Set<String> {
        guard !["GET", "HEAD"].contains(exchange.request.method), !has(.keepsWhatWasChanged) else { return [] }
        guard let response = exchange.calls.last?.response, (200..<400).contains(response.status) else { return [] }
        // Location and Content-Location may go too, if they are of the same origin; this cache
        // claims that they do.
        return Set([exchange.request.uri, response.fields["location"], response.fields["content-location"]].compactMap { $0 })
    }
}
