// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An explanation of the response that an ``HTTPCache`` has for a URI, and of the answer that a plain GET would get now.
///
/// Each reason names the section of the RFC where it stands. ``description`` is the same in words. Asking counts and changes nothing.
public struct HTTPCacheExplanation: Hashable, Sendable, Codable {
    /// A reason for an action of the cache.
    public struct Reason: Hashable, Sendable, Codable {
        /// A constant in capitals. For a reason of an answer, it is the `detail` of the `Cache-Status` field.
        public let token: String
        /// The section that has the rule, such as `RFC 9111 §4.2`.
        public let section: String
        /// The rule in one sentence.
        public let sentence: String
    }

    /// A stored response.
    public struct Stored: Hashable, Sendable, Codable {
        public let status: Int
        /// The date when it arrived, or was last confirmed by the origin.
        public let received: Date
        /// The seconds since it was generated, as in the `Age` field.
        public let age: Int64
        /// The seconds for which it counts as fresh.
        public let lifetime: Int64
        /// The source of the lifetime: `s-maxage`, `max-age`, `Expires`, `policy`, `heuristic` or `none`.
        public let lifetimeSource: String
        /// The seconds for which it stays fresh; negative if it is stale.
        public let timeToLive: Int64
        /// The directive that forbids using it stale, if there is one.
        public let staleProhibition: Reason?
        public let entityTag: String?
        public let lastModified: String?
        /// The request fields that select it.
        public let vary: [String]
        /// The tags by which it may be removed, besides its URI.
        public let tags: [String]
        /// The groups of its origin to which it belongs ([RFC 9875](https://www.rfc-editor.org/rfc/rfc9875)).
        public let groups: [String]
        /// The bytes of its content that are stored.
        public let storedBytes: Int
        /// The bytes of its whole content, if that is known.
        public let completeBytes: Int?
        /// Whether all of its content is stored.
        public let isComplete: Bool
    }

    /// The outcome of a request.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The request is answered from the cache.
        case answered
        /// The request is answered from the cache with a stale response, which is then revalidated.
        case answeredAndRefreshed
        /// The origin is asked whether the stored response is current.
        case validated
        /// The origin is asked for the missing parts of the stored response.
        case completed
        /// The request is forwarded as it is.
        case forwarded
    }

    /// The URI in the cache's normal form.
    public let uri: String
    /// The stored response that the request selects; `nil` if there is none.
    public let stored: Stored?
    /// The stored variants of the URI; `nil` if it does not vary by request fields.
    public let variants: Variants?
    /// The outcome of the request, if it were made now.
    public let outcome: Outcome
    /// The reason for the outcome.
    public let reason: Reason
    /// The reason for which the last response for the URI was stored or not, if the cache remembers.
    public let lastDecision: Reason?
}
