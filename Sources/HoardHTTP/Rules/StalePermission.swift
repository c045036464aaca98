// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The source of a permission to serve a stale response.
package enum StalePermission: Hashable, Sendable, CaseIterable {
    /// The client, by `max-stale`.
    case maxStale
    /// The origin, by `stale-while-revalidate`.
    case staleWhileRevalidate
    /// The origin or the client, by `stale-if-error`.
    case staleIfError
    /// The owner of the cache, for an origin that cannot be reached: ``HTTPCacheRules/staleIfUnreachable``.
    case unreachable

    /// A constant in capitals, for the `detail` parameter of `Cache-Status`.
    package var token: String {
        switch self {
        case .maxStale: "MAX-STALE"
        case .staleWhileRevalidate: "STALE-WHILE-REVALIDATE"
        case .staleIfError: "STALE-IF-ERROR"
        case .unreachable: "UNREACHABLE"
        }
    }

    package var section: String {
        switch self {
        case .maxStale: "RFC 9111 §5.2.1.2"
        case .staleWhileRevalidate: "RFC 5861 §3"
        case .staleIfError: "RFC 5861 §4"
        case .unreachable: "RFC 9111 §4.2.4"
        }
    }

    package var explanation: String {
        switch self {
        case .maxStale: "The request accepts a response that is as stale as this one."
        case .staleWhileRevalidate: "The response may be served stale for a while, as long as it is being revalidated."
        case .staleIfError: "The origin failed, and the response or the request permits a stale answer in that case."
        case .unreachable: "The origin could not be reached, and the cache is configured to serve what it has for a while."
        }
    }
}
