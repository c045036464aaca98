// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    /// The freshness lifetimes that a response may be given: RFC 9111 §4.2.1.
    func lifetimes(_ response: PlainResponse, date: Int) -> [Int] {
        let directives = PlainDirectives(response.fields)
        // s-maxage is for shared caches (§5.2.2.10), and comes before max-age (§5.2.2.1), which
        // comes before Expires (§5.3).
        if isShared, !has(.ignoresSMaxAge), let lifetimes = Self.lifetimes(directives.seconds("s-maxage")) { return lifetimes }
        if let lifetimes = Self.lifetimes(directives.seconds("max-age")) { return lifetimes }
        let expires = response.fields.all("expires")
        if !expires.isEmpty {
            // A text that is no date is in the past: §5.3. If there are several, the first counts, or
            // the response is stale: §4.2.1.
            let first = PlainDate.seconds(expires[0]).map { max(0, $0 - date) } ?? 0
            return Set(expires).count == 1 ? [first] : [first, 0]
        }
        return [heuristicLifetime(response, directives, date: date)]
    }

    /// `nil`: the directive is absent.
    private static func lifetimes(_ seconds: PlainDirectives.Seconds) -> [Int]? {
        switch seconds {
        case .absent: nil
        // Caches are encouraged to take responses with invalid information for stale: §4.2.1.
        case .invalid: [0]
        case .values(let values): values.count == 1 ? values : [values[0], 0]
        }
    }

    /// A tenth of the time since the last modification, but at most a day: RFC 9111 §4.2.2, where
    /// the RFC has the tenth as an example.
    private func heuristicLifetime(_ response: PlainResponse, _ directives: PlainDirectives, date: Int) -> Int {
        guard Self.isHeuristicallyCacheable(response.status) || directives.has("public") else { return 0 }
        guard let modified = PlainDate.seconds(response.fields["last-modified"]) else { return 0 }
        return min(86_400, max(0, date - modified) / 10)
    }

    /// RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// RFC 9111 §4.2.3.
    func correctedInitialAge(_ fields: PlainFields, date: Int, requestTime: Int, responseTime: Int) -> Int {
        let apparentAge = has(.ignoresDate) ? 0 : max(0, responseTime - date)
        let ageValue = has(.ignoresAge) ? 0 : Self.ageValue(fields)
        return max(apparentAge, ageValue + responseTime - requestTime) + (has(.countsOneSecondMore) ? 1 : 0)
    }

    /// The first member counts; a member that is no number is ignored: RFC 9111 §5.1.
    static func ageValue(_ fields: PlainFields) -> Int {
        fields["age"].flatMap { PlainDirectives.split($0).first }.flatMap { PlainDirectives.seconds($0) } ?? 0
    }

    /// The date of a response. If it has no date, or a text that is no date, the time of
    /// receipt counts: RFC 9110 §6.6.1.
    static func date(_ fields: PlainFields, responseTime: Int) -> Int {
        PlainDate.seconds(fields["date"]) ?? responseTime
    }
}
