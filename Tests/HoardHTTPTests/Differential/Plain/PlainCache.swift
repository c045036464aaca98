// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// A second HTTP cache, slow and plain, written from RFC 9111 alone. It judges the behaviour of another cache.
///
/// Where the RFC leaves a choice, several answers are right. So it keeps, for each URI, all states that a
/// conforming cache may be in after the exchanges so far. An exchange is wrong if none of them allows it, and
/// otherwise leaves those that do.
struct PlainCache {
    /// Rules that can be broken, to show that this is noticed.
    enum Mistake: CaseIterable {
        case forgetsVary, ignoresSMaxAge, ignoresAge, ignoresDate, ignoresNoCache, ignoresNoStore, ignoresPrivate, ignoresRequestMaxAge
        case keepsWhatWasChanged, ignoresMustRevalidate, neverUpdatesFields, comparesWeakly, ignoresStaleIfError, sharesAuthorized
        case ignoresRanges, countsOneSecondMore
    }

    let isShared: Bool
    var mistakes: Set<Mistake> = []
    /// For how long a response may stand in for an origin that cannot be reached: RFC 9111 §4.2.4,
    /// a setting of the cache.
    var staleIfUnreachable = 86_400

    private var states: [Key: [PlainWorld]] = [:]
    private(set) var largestCount = 0

    /// The key of the responses that may be used: those of the URI, and in a private cache those of the same
    /// credentials (stricter than RFC 9111 §3.5).
    struct Key: Hashable {
        var uri: String
        var credentials: String?
    }

    init(isShared: Bool, mistakes: Set<Mistake> = []) {
        self.isShared = isShared
        self.mistakes = mistakes
    }

    func has(_ mistake: Mistake) -> Bool { mistakes.contains(mistake) }

    /// Judges an exchange, and goes on from the states that allow it.
    ///
    /// - Returns: `nil` if it is right; else a description of the answers that were allowed.
    mutating func difference(in exchange: PlainExchange) -> String? {
        let key = Key(uri: exchange.request.uri, credentials: isShared ? nil : exchange.request.fields["authorization"])
        var next: [PlainWorld] = []
        var allowed: [String] = []
        for world in states[key] ?? [[]] {
            for branch in branches(world, exchange) {
                if accepts(branch, exchange) {
                    for world in branch.next where !next.contains(world) { next.append(world) }
                } else {
                    let text = Self.description(branch)
                    if !allowed.contains(text) { allowed.append(text) }
                }
            }
        }
        guard !next.isEmpty else { return allowed.joined(separator: "\n") }
        for uri in invalidated(by: exchange) { states = states.filter { $0.key.uri != uri } }
        states[key] = next
        largestCount = max(largestCount, next.count)
        return nil
    }

    /// The responses that may be stored for the URI of a request.
    func worlds(_ request: PlainRequest) -> [PlainWorld] {
        states[Key(uri: request.uri, credentials: isShared ? nil : request.fields["authorization"])] ?? [[]]
    }

    private func accepts(_ branch: PlainBranch, _ exchange: PlainExchange) -> Bool {
        guard branch.calls.count == exchange.calls.count, branch.reply.accepts(exchange.reply) else { return false }
        return zip(branch.calls, exchange.calls).allSatisfy { $0.contains(PlainConditions($1.request.fields)) }
    }

    private static func description(_ branch: PlainBranch) -> String {
        let calls = branch.calls.map { "call with " + $0.map { "\($0)" }.joined(separator: " or ") }
        return "    \(branch.why): \((calls + ["reply \(branch.reply)"]).joined(separator: ", then "))"
    }
}
