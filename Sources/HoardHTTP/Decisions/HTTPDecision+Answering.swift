// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPDecision {
    // MARK: Reused

    package static let fresh = Self(
        "FRESH",
        .reusing,
        "RFC 9111 §4.2",
        "The stored response is younger than its lifetime, and the request does not ask for more."
    )
    package static let collapsed = Self(
        "COLLAPSED",
        .reusing,
        "RFC 9111 §4",
        "Another request for the same has just been answered by the origin, and that answer serves this one too."
    )
    package static let confirmed = Self(
        "CONFIRMED",
        .reusing,
        "RFC 9111 §4.3.3",
        "The origin has just said that the stored response is still current."
    )

    // MARK: Forwarded

    package static let uriMiss = Self(
        "URI-MISS",
        .forwarding,
        "RFC 9111 §4",
        "Nothing is stored for the URI."
    )
    package static let varyMiss = Self(
        "VARY-MISS",
        .forwarding,
        "RFC 9111 §4.1",
        "Responses are stored for the URI, but for requests with other fields."
    )
    package static let stale = Self(
        "STALE",
        .forwarding,
        "RFC 9111 §4.2",
        "The stored response is older than its lifetime."
    )
    package static let responseNoCache = Self(
        "RESPONSE-NO-CACHE",
        .forwarding,
        "RFC 9111 §5.2.2.4",
        "The stored response may be used only after the origin has confirmed it."
    )
    package static let requestNoCache = Self(
        "REQUEST-NO-CACHE",
        .forwarding,
        "RFC 9111 §5.2.1.4",
        "The request wants the stored response to be confirmed by the origin."
    )
    package static let requestMaxAge = Self(
        "REQUEST-MAX-AGE",
        .forwarding,
        "RFC 9111 §5.2.1.1",
        "The stored response is older than the request accepts."
    )
    package static let requestMinFresh = Self(
        "REQUEST-MIN-FRESH",
        .forwarding,
        "RFC 9111 §5.2.1.3",
        "The stored response would be stale sooner than the request accepts."
    )
    package static let incomplete = Self(
        "INCOMPLETE",
        .forwarding,
        "RFC 9111 §3.3",
        "Of what the request asks for only a part is stored, or none."
    )
    package static let method = Self(
        "METHOD",
        .forwarding,
        "RFC 9111 §4",
        "Only GET, HEAD and QUERY are answered from what is stored."
    )
    package static let content = Self(
        "REQUEST-CONTENT",
        .forwarding,
        "RFC 9110 §9.3.1",
        "The request has content, which no stored response takes account of."
    )
    package static let originCondition = Self(
        "ORIGIN-CONDITION",
        .forwarding,
        "RFC 9111 §4.3.2",
        "If-Match and If-Unmodified-Since are for the origin to judge."
    )
    package static let requestNoStore = Self(
        "REQUEST-NO-STORE",
        .forwarding,
        "RFC 9111 §5.2.1.5",
        "The request wants nothing to do with what is stored."
    )
    package static let modeNoStore = Self(
        "MODE-NO-STORE",
        .forwarding,
        "Fetch, cache mode",
        "The caller chose to go past the cache and to leave nothing in it."
    )
    package static let policyBypass = Self(
        "POLICY-BYPASS",
        .forwarding,
        "HTTPCachePolicy",
        "The owner of the site keeps such requests away from the cache."
    )
    package static let modeReload = Self(
        "MODE-RELOAD",
        .forwarding,
        "Fetch, cache mode",
        "The caller chose to fetch the response anew."
    )
    package static let modeNoCache = Self(
        "MODE-NO-CACHE",
        .forwarding,
        "Fetch, cache mode",
        "The caller chose to have the stored response confirmed by the origin."
    )
    package static let wrongNotModified = Self(
        "WRONG-NOT-MODIFIED",
        .forwarding,
        "RFC 9111 §4.3.4",
        "The 304 is about another response than the one stored, so nothing is updated and the origin is asked again without conditions."
    )
    package static let unusablePart = Self(
        "UNUSABLE-PART",
        .forwarding,
        "RFC 9111 §3.4",
        "What came is not the range that was missing, so the origin is asked again for the whole."
    )

    // MARK: Stale on purpose

    /// The permission by which ``StaleServing`` lets a stale response be served.
    package init(_ permission: StalePermission) {
        self.init(permission.token, .stale, permission.section, permission.explanation)
    }

    package static let modeForced = Self(
        "MODE-FORCED",
        .stale,
        "Fetch, cache mode",
        "The caller chose to get what is stored, however old it is."
    )

    // MARK: Made up

    package static let onlyIfCached = Self(
        "ONLY-IF-CACHED",
        .generating,
        "RFC 9111 §5.2.1.7",
        "What is stored cannot answer the request, whose client wants no request to be forwarded: 504."
    )
    package static let unsatisfiable = Self(
        "RANGE-NOT-SATISFIABLE",
        .generating,
        "RFC 9110 §15.5.17",
        "The range lies beyond the end of the stored content: 416."
    )

    // MARK: Invalidated

    package static let unsafeMethod = Self(
        "UNSAFE-METHOD",
        .invalidating,
        "RFC 9111 §4.4",
        "A request that may change something has succeeded, so what is stored for its target, Location and Content-Location goes."
    )
    package static let superseded = Self(
        "SUPERSEDED",
        .invalidating,
        "RFC 9111 §4.3.3",
        "The origin has given another answer, which is not stored; what was stored would contradict it."
    )
    package static let headDiffers = Self(
        "HEAD-DIFFERS",
        .invalidating,
        "RFC 9111 §4.3.5",
        "The response to HEAD shows that the stored response is no longer current."
    )
}

extension HTTPDecision {
    /// The reason for which a stored response has to be confirmed.
    package init(_ reason: ReuseDecision.Reason) {
        self =
            switch reason {
            case .responseNoCache: .responseNoCache
            case .stale: .stale
            case .requestNoCache: .requestNoCache
            case .requestMaxAge: .requestMaxAge
            case .requestMinFresh: .requestMinFresh
            }
    }
}
