// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A site owner's policy for how the cache treats some requests, beyond the responses' own fields.
///
/// ```swift
/// var policy = HTTPCachePolicy()
/// policy.lifetime = .always(.seconds(60))
/// policy.ignoredQueryParameters = ["utm_*", "fbclid"]
/// policy.tags = ["catalogue"]
/// ```
public struct HTTPCachePolicy: Sendable, Hashable {
    /// A freshness lifetime, and when it counts.
    public struct Lifetime: Sendable, Hashable {
        enum Base: Sendable, Hashable {
            case ifUnspecified(Duration)
            case always(Duration)
        }
        let base: Base

        /// For responses that name no lifetime: instead of a heuristic ([RFC 9111 §4.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.2)).
        public static func ifUnspecified(_ lifetime: Duration) -> Self { .init(base: .ifUnspecified(lifetime)) }
        /// For all responses, whatever they say, as a targeted field would ([RFC 9213](https://www.rfc-editor.org/rfc/rfc9213)).
        public static func always(_ lifetime: Duration) -> Self { .init(base: .always(lifetime)) }
    }

    /// Requests neither get stored responses, nor are theirs stored. Default: `false`.
    public var isBypassed = false

    /// How long responses are fresh. `nil`: as they say. Default: `nil`.
    public var lifetime: Lifetime?

    /// For how long a stale response is served while it is revalidated in the background (RFC 5861 §3), if it does not say itself. Default: `nil`.
    public var staleWhileRevalidate: Duration?

    /// For how long a stale response stands in for an origin that fails (RFC 5861 §4), if it does not say itself. Default: `nil`.
    public var staleIfError: Duration?

    /// Parameters of the query that do not matter: names, or beginnings of names with `*` behind them; `*` alone for all. Default: none.
    public var ignoredQueryParameters: [String] = []

    /// Fields of the request that responses depend on although they do not say so in `Vary`. Default: none.
    public var keyFields: [HTTPField.Name] = []

    /// Values of request fields that mean the same. Default: none.
    public var normalizations: [FieldNormalization] = []

    /// Tags by which responses may be removed, beyond their own. Default: none.
    public var tags: Set<String> = []

    /// Whether content may be coded, if the cache does that at all (``HTTPCache/Configuration/contentCodings``). Turn
    /// it off where responses mix secrets with data that clients send. Default: `true`.
    public var codesContent = true

    /// Creates a policy that changes nothing; set the properties afterwards.
    public init() {}
}
