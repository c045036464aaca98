// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Whether a stored response may answer a request as it is.
///
/// The request has already selected the response by URI, method and ``Vary``. Whether a stale response may be served on purpose says
/// ``StaleServing``; everything needed to decide it is in the properties.
///
/// [RFC 9111 §4](https://www.rfc-editor.org/rfc/rfc9111#section-4)
package struct ReuseDecision: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        /// It may, and stays fresh for that many seconds; more than 0.
        case fresh(timeToLive: TimeInterval)
        /// The origin has to confirm it first.
        case mustRevalidate(Reason)
    }

    /// The reason why the origin has to be asked.
    package enum Reason: Hashable, Sendable {
        /// The response's `no-cache`: RFC 9111 §5.2.2.4.
        case responseNoCache
        /// The age has reached the lifetime: RFC 9111 §4.2.
        case stale
        /// The request's `no-cache`, or `Pragma: no-cache`: RFC 9111 §5.2.1.4, §5.4.
        case requestNoCache
        /// The response is older than the request's `max-age`: RFC 9111 §5.2.1.1.
        case requestMaxAge
        /// The response would be stale before the request's `min-fresh` is over: RFC 9111 §5.2.1.3.
        case requestMinFresh

        /// Whether the response would do if the client had not asked for more.
        package var isDemandedByRequest: Bool {
            switch self {
            case .requestNoCache, .requestMaxAge, .requestMinFresh: true
            case .responseNoCache, .stale: false
            }
        }
    }

    package let verdict: Verdict
    /// The age of the response in seconds.
    package let age: TimeInterval
    package let lifetime: FreshnessLifetime
    /// The directive that forbids serving the response now unless the origin confirms it, if there is one. While the response is fresh, only
    /// `no-cache` does.
    package let staleProhibition: StaleProhibition?
    /// The staleness in seconds that the client accepts; ``CacheControl/unlimitedStaleness`` for any, `nil` for none.
    package let maxStale: Int64?
    /// For how many seconds of staleness the origin permits serving the response while it is being revalidated.
    package let staleWhileRevalidate: Int64?
    /// For how many seconds of staleness the response may be served when the origin fails; the greater of the
    /// permissions of origin and client.
    package let staleIfError: Int64?
    /// The part of ``staleIfError`` that the client itself permits.
    package let requestStaleIfError: Int64?
    /// Whether the client wants no unconfirmed response: `no-cache` or `Pragma: no-cache`.
    package let requestNoCache: Bool
    /// Whether the client, as far as its directives tell, would take a response that is stale.
    ///
    /// It would not if it wants one that stays fresh, is younger than this one, or is fresh: `max-age` without `max-stale` also means the latter
    /// ([RFC 9111 §5.2.1.1](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1.1)).
    package let requestAcceptsStale: Bool
    /// Whether the client wants no request to be forwarded: where the response may not be used, the answer is 504.
    ///
    /// [RFC 9111 §5.2.1.7](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1.7)
    package let onlyIfCached: Bool

    /// The number of seconds that the response will stay fresh; negative if it is stale.
    package var timeToLive: TimeInterval { TimeInterval(lifetime.seconds) - age }

    /// For how many seconds the response has been stale; 0 if it is fresh.
    package var staleness: TimeInterval { max(0, -timeToLive) }

    /// Decides. Complexity: O(1).
    ///
    /// A fresh response that is `immutable` is used although the request's `max-age` asks for a younger one, as a
    /// reload does; `no-cache` and `min-fresh` are still obeyed.
    /// [RFC 8246 §2](https://www.rfc-editor.org/rfc/rfc8246#section-2)
    ///
    /// - Parameter request: The directives of the request: `CacheControl(request: fields)`.
    package init(request: CacheControl, stored: ResponseFreshness, now: Date) {
        let response = stored.cacheControl
        let age = stored.age.seconds(at: now)
        self.age = age
        lifetime = stored.lifetime
        maxStale = request.maxStale
        staleWhileRevalidate = response.staleWhileRevalidate
        requestStaleIfError = request.staleIfError
        staleIfError = Self.greater(response.staleIfError, request.staleIfError)
        requestNoCache = request.noCache != nil
        let isYoungEnough = request.maxAge.map { request.maxStale != nil && age <= TimeInterval($0) } ?? true
        requestAcceptsStale = request.noCache == nil && request.minFresh == nil && isYoungEnough
        onlyIfCached = request.onlyIfCached

        let timeToLive = TimeInterval(lifetime.seconds) - age
        staleProhibition = stored.staleProhibition.flatMap { $0 == .noCache || timeToLive <= 0 ? $0 : nil }
        if response.noCache == .wholeResponse {
            verdict = .mustRevalidate(.responseNoCache)
        } else if request.noCache != nil {
            verdict = .mustRevalidate(.requestNoCache)
        } else if timeToLive <= 0 {
            verdict = .mustRevalidate(.stale)
        } else if let minFresh = request.minFresh, timeToLive < TimeInterval(minFresh) {
            verdict = .mustRevalidate(.requestMinFresh)
        } else if let maxAge = request.maxAge, age > TimeInterval(maxAge), !response.isImmutable {
            verdict = .mustRevalidate(.requestMaxAge)
        } else {
            verdict = .fresh(timeToLive: timeToLive)
        }
    }

    private static func greater(_ first: Int64?, _ second: Int64?) -> Int64? {
        guard let first, let second else { return first ?? second }
        return max(first, second)
    }
}
