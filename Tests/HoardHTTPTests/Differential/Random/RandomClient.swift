// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// A client whose requests are drawn from a seed. It remembers the validators that it has seen.
struct RandomClient {
    private var random: RandomSource
    private var eTags: [String: [String]] = [:]
    private var dates: [String: [String]] = [:]

    init(seed: UInt64) {
        random = RandomSource(seed: seed)
    }

    mutating func uri() -> String { random.pick(RandomOrigin.uris) }

    mutating func request(_ uri: String, now: Int) -> PlainRequest {
        var request = PlainRequest(method: method(), uri: uri)
        if random.once(in: 2) { request.fields.add("x-tone", random.pick(["warm", "cool"])) }
        if random.once(in: 2) { request.fields.add("accept-language", random.pick(["fi", "sv"])) }
        if random.once(in: 6) { request.fields.add("authorization", random.pick(["ann", "bob"])) }
        guard ["GET", "HEAD"].contains(request.method) else { return request }
        if random.once(in: 4) {
            request.fields.add("cache-control", random.pick(Self.cacheControls))
        } else if random.once(in: 40) {
            request.fields.add("pragma", "no-cache")
        }
        let dates = (dates[uri] ?? []) + [PlainDate.text(now - random.int(0...100)), "long ago"]
        let tags = (eTags[uri] ?? []) + ["\"none\"", "*"]
        if random.once(in: 8) {
            request.fields.add("if-none-match", random.once(in: 3) ? "\"none\", " + random.pick(tags.dropLast()) : random.pick(tags))
        }
        if random.once(in: 10) { request.fields.add("if-modified-since", random.pick(dates)) }
        if random.once(in: 7) {
            request.fields.add("range", random.pick(Self.ranges))
            if random.once(in: 2) { request.fields.add("if-range", random.pick(tags.dropLast() + dates.dropLast())) }
        }
        return request
    }

    private mutating func method() -> String {
        switch random.int(1...30) {
        case 1: random.pick(["POST", "PUT", "DELETE"])
        case 2: "POST"
        case 3...6: "HEAD"
        default: "GET"
        }
    }

    mutating func learn(_ reply: PlainReply, _ uri: String) {
        if let tag = reply.eTag { eTags[uri] = ((eTags[uri] ?? []) + [tag]).suffix(3) }
        if let date = reply.lastModified, date != "yesterday" { dates[uri] = ((dates[uri] ?? []) + [date]).suffix(3) }
    }

    /// The seconds until the next request, often just until something stored becomes stale, or must
    /// not be served any longer.
    mutating func pause(_ edges: [Int]) -> Int {
        switch random.int(1...20) {
        case 1...9: 0
        case 10...12: random.int(1...3)
        case 13...14: random.int(4...30)
        case 15 where random.once(in: 10): random.pick([100, 1000, 90_000])
        default: edges.isEmpty ? 1 : max(0, random.pick(edges) + random.int(-1...1))
        }
    }

    private static let cacheControls = [
        "no-cache", "no-store", "max-age=0", "max-age=5", "max-age=20", "min-fresh=5", "min-fresh=20", "max-stale", "max-stale=10", "max-stale=0",
        "only-if-cached", "only-if-cached, max-stale=10", "max-age=20, max-stale=10", "stale-if-error=60", "MAX-AGE=5", "max-age=\"5\"",
        "no-transform",
        "no-store, only-if-cached",
    ]

    private static let ranges = [
        "bytes=0-1", "bytes=2-", "bytes=-3", "bytes=0-0", "bytes=3-1", "bytes=100-", "bytes=0-999", "bytes=-0", "bytes=-999", "bytes=abc",
        "items=0-1",
        "bytes 0-1", "BYTES=0-1", "bytes=1", "bytes=",
    ]
}
