// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A response directive that forbids serving a stale response without validation.
///
/// Nothing else permits it then: no `max-stale`, no `stale-while-revalidate`, no `stale-if-error` and no configuration. If the origin cannot be
/// asked, the answer is 504: [RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4),
/// [§5.2.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.2).
package enum StaleProhibition: Hashable, Sendable, CaseIterable {
    case noCache
    case mustRevalidate
    /// In a shared cache.
    case proxyRevalidate
    /// `s-maxage` has the same effect as `proxy-revalidate`, in a shared cache.
    case sharedMaxAge

    /// The directive's name.
    package var token: String {
        switch self {
        case .noCache: "no-cache"
        case .mustRevalidate: "must-revalidate"
        case .proxyRevalidate: "proxy-revalidate"
        case .sharedMaxAge: "s-maxage"
        }
    }

    package var section: String {
        switch self {
        case .noCache: "RFC 9111 §5.2.2.4"
        case .mustRevalidate: "RFC 9111 §5.2.2.2"
        case .proxyRevalidate: "RFC 9111 §5.2.2.8"
        case .sharedMaxAge: "RFC 9111 §5.2.2.10"
        }
    }

    package var explanation: String {
        switch self {
        case .noCache: "The response says no-cache, so it may never be used before the origin has confirmed it."
        case .mustRevalidate: "The response says must-revalidate, so it may not be used stale."
        case .proxyRevalidate: "The response says proxy-revalidate, so a shared cache may not use it stale."
        case .sharedMaxAge: "The response says s-maxage, which forbids a shared cache to use it stale."
        }
    }
}
