// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Whether a stored response may be served that is stale, or that the client would rather have confirmed.
///
/// A directive of the response that forbids it (``StaleProhibition``) prevails over every permission.
///
/// [RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4), [RFC 5861](https://www.rfc-editor.org/rfc/rfc5861)
package enum StaleServing: Hashable, Sendable {
    case permitted(StalePermission)
    /// An explicit directive forbids it. Without an answer from the origin the cache answers 504.
    case prohibited(StaleProhibition)
    /// Nothing permits it, or not for so long.
    case notPermitted

    /// The rule before the origin is asked: the client's own acceptance, and the origin's permission while the response
    /// is being revalidated.
    ///
    /// `max-stale` is served without asking the origin at all; it includes its last second, as it is the most that the client accepts.
    /// `stale-while-revalidate` ends exactly with its last second: at a staleness of *n* seconds, *n* are over. Neither helps if the client asks for
    /// more: see ``ReuseDecision/requestAcceptsStale``.
    package static func beforeAsking(_ decision: ReuseDecision) -> Self {
        if let prohibition = decision.staleProhibition { return .prohibited(prohibition) }
        guard case .mustRevalidate(.stale) = decision.verdict, decision.requestAcceptsStale else { return .notPermitted }
        if let maxStale = decision.maxStale, maxStale == CacheControl.unlimitedStaleness || decision.staleness <= Double(maxStale) {
            return .permitted(.maxStale)
        }
        return isWithin(decision.staleWhileRevalidate, decision) ? .permitted(.staleWhileRevalidate) : .notPermitted
    }

    /// After the origin has answered with an error.
    ///
    /// Only the statuses that [RFC 5861 §4](https://www.rfc-editor.org/rfc/rfc5861#section-4) names are errors in this sense. A client that reloads
    /// (`max-age=0`) gets the stored response if the origin permits it, since people reload when they see errors. A client that insists on a
    /// confirmation (`no-cache`) gets the error, unless it has itself sent `stale-if-error`.
    package static func afterError(status: Int, _ decision: ReuseDecision) -> Self {
        switch status {
        case 500, 502, 503, 504: whenFailed(decision)
        default: .notPermitted
        }
    }

    /// When no response came.
    ///
    /// `stale-if-error` counts as after an error, and if it is there nothing else counts. The configured allowance is the cache's own, so it never
    /// prevails over the client's wish. A client that reloads, or wants a fresher response than the stored one, is told that the origin is away.
    package static func whenUnreachable(_ decision: ReuseDecision, rules: HTTPCacheRules) -> Self {
        let asAfterError = whenFailed(decision)
        // A message that says for how long a stale answer will do if something fails, says that it will not do for
        // longer.
        guard asAfterError == .notPermitted, decision.staleIfError == nil, case .mustRevalidate(.stale) = decision.verdict,
            decision.requestAcceptsStale
        else {
            return asAfterError
        }
        return isWithin(rules.staleIfUnreachable, decision) ? .permitted(.unreachable) : .notPermitted
    }

    private static func whenFailed(_ decision: ReuseDecision) -> Self {
        if let prohibition = decision.staleProhibition { return .prohibited(prohibition) }
        let seconds = decision.requestNoCache ? decision.requestStaleIfError : decision.staleIfError
        return isWithin(seconds, decision) ? .permitted(.staleIfError) : .notPermitted
    }

    private static func isWithin(_ seconds: Int64?, _ decision: ReuseDecision) -> Bool {
        guard let seconds else { return false }
        return decision.staleness < Double(seconds)
    }
}
