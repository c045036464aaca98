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
    /// A reason for something that the cache does.
    public struct Reason: Hashable, Sendable, Codable {
        /// A constant in capitals; where it concerns an answer, the `detail` of its `Cache-Status` field.
        public let token: String
        /// Where the rule stands, such as `RFC 9111 §4.2`.
        public let section: String
        /// The rule in one sentence.
        public let sentence: String
    }

    /// A stored response.
    public struct Stored: Hashable, Sendable, Codable {
        /// The status of the response.
        public let status: Int
        /// When it arrived, or was last confirmed by the origin.
        public let received: Date
        /// The seconds since it was generated, as the `Age` field has them.
        public let age: Int64
        /// The seconds for which it counts as fresh.
        public let lifetime: Int64
        /// The source of the lifetime: `s-maxage`, `max-age`, `Expires`, `policy`, `heuristic` or `none`.
        public let lifetimeSource: String
        /// The seconds for which it stays fresh; negative if it is stale.
        public let timeToLive: Int64
        /// The directive that forbids using it stale, if there is one.
        public let staleProhibition: Reason?
        /// Its `ETag`, if it has one.
        public let entityTag: String?
        /// Its `Last-Modified`, if it has one.
        public let lastModified: String?
        /// The request fields that select it.
        public let vary: [String]
        /// The tags by which it may be removed, besides its URI.
        public let tags: [String]
        /// The groups of its origin that it belongs to ([RFC 9875](https://www.rfc-editor.org/rfc/rfc9875)).
        public let groups: [String]
        /// The bytes of its content that are stored.
        public let storedBytes: Int
        /// The bytes of its whole content, if that is known.
        public let completeBytes: Int?
        /// Whether all of its content is stored.
        public let isComplete: Bool
    }

    /// The outcome of a request.
    public struct Outcome: Hashable, Sendable, Codable, CustomStringConvertible {
        enum Base: String, Sendable, Codable {
            case answered, answeredAndRefreshed, validated, completed, forwarded
        }
        let base: Base
        private init(_ base: Base) { self.base = base }

        /// It is answered from the cache.
        public static var answered: Self { .init(.answered) }
        /// It is answered from the cache with a stale response, which is then revalidated.
        public static var answeredAndRefreshed: Self { .init(.answeredAndRefreshed) }
        /// The origin is asked whether the stored response is current.
        public static var validated: Self { .init(.validated) }
        /// The origin is asked for the missing part of the stored response.
        public static var completed: Self { .init(.completed) }
        /// It is forwarded as it is.
        public static var forwarded: Self { .init(.forwarded) }

        /// Reads the name.
        public init(from decoder: any Decoder) throws { base = try Base(from: decoder) }

        /// Writes the name.
        public func encode(to encoder: any Encoder) throws { try base.encode(to: encoder) }

        /// The name, such as `answeredAndRefreshed`.
        public var description: String { base.rawValue }
    }

    /// The URI in the form in which the cache has it.
    public let uri: String
    /// The stored response that the request selects; `nil` if there is none.
    public let stored: Stored?
    /// The stored responses for the URI that request fields tell apart; `nil` if nothing does.
    public let variants: Variants?
    /// The outcome that the request would have now.
    public let outcome: Outcome
    /// Why.
    public let reason: Reason
    /// The reason why the last response for the URI was stored or not, if the cache remembers.
    public let lastDecision: Reason?
}
