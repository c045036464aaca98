// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The directives of a request or of a response.
///
/// Directives that are unknown are ignored ([RFC 9111 §5.2.3](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.3)). Directives that are
/// malformed, or given twice with different values, are read the way that serves less from the cache:
///
/// - one that permits reuse (`max-age`, `s-maxage`, `stale-while-revalidate`, `stale-if-error`, `max-stale`) permits nothing, so its value is 0
///   ([§4.2.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1));
/// - one that forbids something (`no-store`, `no-cache`, `private`, `must-revalidate`, …) forbids it altogether;
/// - `public`, `immutable` and `must-understand`, which widen a cache's rights, are ignored if malformed.
///
/// All values are in seconds, from 0 to ``DeltaSeconds/maximum``.
package struct CacheControl: Hashable, Sendable {
    /// The part of a response that a directive applies to, if the directive can name fields.
    package enum Scope: Hashable, Sendable {
        /// The directive stands alone, or its list of fields cannot be obeyed safely.
        case wholeResponse
        /// Only these fields. Never empty.
        case fields([HTTPField.Name])
    }

    /// `max-age`: RFC 9111 §5.2.1.1 in requests, §5.2.2.1 in responses.
    package var maxAge: Int64?
    /// `no-cache`: RFC 9111 §5.2.1.4 in requests, §5.2.2.4 in responses.
    package var noCache: Scope?
    /// `no-store`: RFC 9111 §5.2.1.5 in requests, §5.2.2.5 in responses.
    package var noStore = false
    /// `no-transform`: RFC 9111 §5.2.1.6 in requests, §5.2.2.6 in responses.
    package var noTransform = false
    /// `stale-if-error`: RFC 5861 §4.
    package var staleIfError: Int64?

    /// `s-maxage`, in responses: RFC 9111 §5.2.2.10.
    package var sharedMaxAge: Int64?
    /// `private`, in responses: RFC 9111 §5.2.2.7.
    package var privateScope: Scope?
    /// `public`, in responses: RFC 9111 §5.2.2.9.
    package var isPublic = false
    /// `must-revalidate`, in responses: RFC 9111 §5.2.2.2.
    package var mustRevalidate = false
    /// `proxy-revalidate`, in responses: RFC 9111 §5.2.2.8.
    package var proxyRevalidate = false
    /// `must-understand`, in responses: RFC 9111 §5.2.2.3.
    package var mustUnderstand = false
    /// `immutable`, in responses: RFC 8246.
    package var isImmutable = false
    /// `stale-while-revalidate`, in responses: RFC 5861 §3.
    package var staleWhileRevalidate: Int64?

    /// `max-stale`, in requests: RFC 9111 §5.2.1.2. ``unlimitedStaleness`` if it has no value.
    package var maxStale: Int64?
    /// `min-fresh`, in requests: RFC 9111 §5.2.1.3. If malformed, ``DeltaSeconds/maximum``: nothing is fresh enough.
    package var minFresh: Int64?
    /// `only-if-cached`, in requests: RFC 9111 §5.2.1.7.
    package var onlyIfCached = false

    /// Whether the directives come from a field for caches of this kind alone, which hides `Cache-Control` and `Expires` from them.
    ///
    /// Set by the code that reads such a field: [RFC 9213 §2.2](https://www.rfc-editor.org/rfc/rfc9213#section-2.2).
    package var isTargeted = false

    /// The lifetime that the owner's policy gives the response, whatever that says itself: ``PolicyField``.
    package var policyLifetime: Int64?

    /// The lifetime that the owner's policy gives the response in place of a heuristic.
    package var policyDefaultLifetime: Int64?

    /// The value of ``maxStale`` if the client accepts any staleness.
    package static let unlimitedStaleness = Int64.max

    /// No directives.
    package init() {}
}
