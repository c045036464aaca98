// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// An origin of a few resources whose versions, fields and failures are drawn from a seed.
///
/// It ignores ranges, as it may: RFC 9110 §14.2.
struct RandomOrigin: Sendable {
    static let uris = ["/a", "/a?x=1", "/b"]

    /// One version of a resource, and its fields.
    private struct Version {
        var number = 0
        var status = 200
        var cacheControl: [String] = []
        /// `nil`: none; else whether it is strong.
        var hasStrongTag: Bool?
        var lastModified: String?
        var vary: String?
        var expires: Expires?
        /// The seconds by which the origin's clock is wrong.
        var skew = 0
    }

    private enum Expires {
        case after(Int, PlainDate.Form)
        case text(String)
        case twice(Int, Int)
    }

    private var random: RandomSource
    private var versions: [String: Version] = [:]

    init(seed: UInt64, now: Int) {
        random = RandomSource(seed: seed)
        for uri in Self.uris { change(uri, now: now) }
    }

    /// A resource changes, behind the cache's back or because of a request.
    mutating func change(_ uri: String, now: Int) {
        var version = Version()
        version.number = (versions[uri]?.number ?? 0) + 1
        if random.once(in: 5) { version.status = random.pick([203, 204, 300, 301, 302, 307, 403, 404, 410, 299, 501]) }
        version.cacheControl = cacheControl()
        version.hasStrongTag = random.pick([true, true, false, nil])
        if random.once(in: 2) {
            let date = PlainDate.text(now - random.pick([0, 1, 30, 59, 60, 61, 200, 1000, 100_000]), random.once(in: 8) ? .asctime : .fixed)
            version.lastModified = random.once(in: 30) ? "yesterday" : date
        }
        if random.once(in: 4) { version.vary = random.pick(["X-Tone", "Accept-Language", "accept-language, X-Tone", "x-tone,Accept-Language", "*"]) }
        if random.once(in: version.cacheControl.isEmpty ? 2 : 8) { version.expires = expires() }
        if random.once(in: 4) { version.skew = random.pick([-40, -5, -1, 1, 15, 100]) }
        versions[uri] = version
    }

    private mutating func expires() -> Expires {
        switch random.int(1...8) {
        case 1: .text(random.pick(["0", "-1", "never", ""]))
        case 2: .twice(random.int(0...30), random.int(0...30))
        default: .after(random.int(-10...60), random.pick(PlainDate.Form.allCases))
        }
    }

    /// `nil`: the connection fails.
    mutating func answer(_ request: PlainRequest, now: Int) -> PlainResponse? {
        if random.once(in: 16) { return nil }
        if random.once(in: 12) { return failure(now) }
        guard ["GET", "HEAD"].contains(request.method) else { return changing(request, now: now) }
        guard let version = versions[request.uri] else { return PlainResponse(status: 404) }
        return answer(request, version, now: now)
    }

    private mutating func failure(_ now: Int) -> PlainResponse {
        var response = PlainResponse(status: random.pick([500, 502, 503, 504]), body: "failure")
        if random.once(in: 4) { response.fields.add("cache-control", random.pick(["max-age=5", "no-store", "public"])) }
        if random.once(in: 2) { response.fields.add("date", PlainDate.text(now)) }
        return response
    }

    private mutating func answer(_ request: PlainRequest, _ version: Version, now: Int) -> PlainResponse {
        var response = PlainResponse(status: version.status)
        let names = PlainStored.varyNames(PlainFields([("vary", version.vary ?? "")]))
        let words = ["\(version.number)"] + PlainCache.selectingNames.filter(names.contains).map { request.fields[$0] ?? "-" }
        let name = words.joined(separator: ".")
        let eTag = version.hasStrongTag.map { ($0 ? "" : "W/") + "\"\(name)\"" }
        response.fields.add("etag", eTag)
        response.fields.add("last-modified", version.lastModified)
        response.fields.add("vary", version.vary)
        for line in random.once(in: 5) ? cacheControl() : version.cacheControl { response.fields.add("cache-control", line) }
        let date = now + version.skew
        switch random.int(1...30) {
        case 1: response.fields.add("date", "today")
        case 2...5: break
        default: response.fields.add("date", PlainDate.text(date))
        }
        switch version.expires {
        case .after(let seconds, let form): response.fields.add("expires", PlainDate.text(date + seconds, form))
        case .text(let text): response.fields.add("expires", text)
        case .twice(let first, let second):
            response.fields.add("expires", PlainDate.text(date + first))
            response.fields.add("expires", PlainDate.text(date + second))
        case nil: break
        }
        if random.once(in: 5) { response.fields.add("age", random.pick(["0", "5", "12", "30", "abc", "7, 300", "-3"])) }
        if version.status == 200, isNotModified(request, eTag, version.lastModified) {
            response.status = 304
            if random.once(in: 20) { confuse(&response) }
        } else if version.status != 204 {
            let content = "\(request.uri) \(name)"
            response.body = request.method == "HEAD" ? "" : content
            if request.method == "HEAD", random.once(in: 2) { response.fields.add("content-length", "\(content.utf8.count)") }
        }
        return response
    }

    /// Makes a 304 that is about another response, or that does not say which response it is about.
    private mutating func confuse(_ response: inout PlainResponse) {
        response.fields.remove("etag")
        if random.once(in: 2) { response.fields.remove("last-modified") }
        if random.once(in: 2) { response.fields.add("etag", random.pick(["\"other\"", "W/\"other\""])) }
    }

    private func isNotModified(_ request: PlainRequest, _ eTag: String?, _ lastModified: String?) -> Bool {
        if let list = request.fields["if-none-match"] {
            return eTag.map { tag in PlainDirectives.split(list).contains { $0 == "*" || PlainCache.opaque($0) == PlainCache.opaque(tag) } } ?? false
        }
        guard let since = PlainDate.seconds(request.fields["if-modified-since"]), let date = PlainDate.seconds(lastModified) else { return false }
        return date <= since
    }

    private mutating func changing(_ request: PlainRequest, now: Int) -> PlainResponse {
        var response = PlainResponse(status: random.pick([200, 200, 201, 204, 303, 400, 409]))
        guard response.status < 400 else { return response }
        change(request.uri, now: now)
        if random.once(in: 4) {
            response.fields.add("cache-control", random.pick(["max-age=20", "no-store", "s-maxage=10"]))
            response.fields.add("date", PlainDate.text(now))
        }
        if random.once(in: 3) { response.fields.add(random.pick(["location", "content-location"]), random.pick(Self.uris)) }
        if response.status == 200 { response.body = "changed \(request.uri)" }
        return response
    }

    private mutating func cacheControl() -> [String] {
        if random.once(in: 6) { return [] }
        return random.once(in: 4) ? random.pick(Self.oddCacheControls) : [random.pick(Self.cacheControls)]
    }
}
