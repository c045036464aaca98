// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A site owner's policy for some requests, in addition to the directives of responses.
///
/// ```swift
/// var policy = HTTPCachePolicy()
/// policy.lifetime = .always(.seconds(60))
/// policy.ignoredQueryParameters = ["utm_*", "fbclid"]
/// policy.tags = ["catalogue"]
/// ```
public struct HTTPCachePolicy: Sendable, Hashable {
    /// The time for which responses are fresh.
    public enum Lifetime: Sendable, Hashable {
        /// The lifetime of a response that states none, instead of a heuristic ([RFC 9111
        /// §4.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.2)).
        case ifUnspecified(Duration)
        /// The lifetime of every response, whatever it states, as by a targeted field ([RFC 9213](https://www.rfc-editor.org/rfc/rfc9213)).
        case always(Duration)
    }

    /// Whether requests bypass the cache: they get no stored responses, and their responses are not stored. Default: `false`.
    public var isBypassed = false

    /// The time for which responses are fresh. `nil`: the time that they state. Default: `nil`.
    public var lifetime: Lifetime?

    /// The time for which a stale response is served while it is revalidated in the background (RFC 5861 §3), if it states none. Default: `nil`.
    public var staleWhileRevalidate: Duration?

    /// The time for which a stale response stands in for an origin that fails (RFC 5861 §4), if it states none. Default: `nil`.
    public var staleIfError: Duration?

    /// The parameters of the query that do not matter: names, or prefixes of names followed by `*`; `*` alone for all. Default: none.
    public var ignoredQueryParameters: [String] = []

    /// The request fields on which responses depend although they do not name them in `Vary`. Default: none.
    public var keyFields: [HTTPField.Name] = []

    /// The rules for values of request fields that mean the same. Default: none.
    public var normalizations: [FieldNormalization] = []

    /// Tags by which responses may be removed, in addition to their own. Default: none.
    public var tags: Set<String> = []

    /// Whether content may be coded, if the cache codes content (``HTTPCache/Configuration/contentCodings``). Turn it off where responses mix secrets
    /// with data that clients send. Default: `true`.
    public var codesContent = true

    public init() {}
}
