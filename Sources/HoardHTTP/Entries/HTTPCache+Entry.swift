// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPCache {
    /// A stored response in a listing.
    public struct Entry: Sendable, Hashable {
        /// The URI in the cache's normal form. For a response to several URIs (`No-Vary-Search`), it has only the parts of the query that matter.
        public let uri: String
        /// The request fields that select the response, with a digest of their values, after the digest of a QUERY's content; `nil` if no field does.
        public let variant: String?
        /// The status of the response.
        public let status: Int
        /// The bytes of its content that are stored.
        public let byteCount: Int
        /// The date when it arrived, or was last confirmed by the origin.
        public let storedAt: Date
        /// The end of the time for which it is fresh. Stale marks have been taken into account.
        public let freshUntil: Date?
        /// Whether it was fresh when it was listed.
        public let isFresh: Bool
        /// Whether memory has it.
        public let isInMemory: Bool
        /// Whether a store that can list (``ListingRecordStore``) has it.
        public let isInStore: Bool
        /// The tags by which it may be removed, in order.
        public let tags: [String]
        /// The groups of its origin to which it belongs ([RFC 9875](https://www.rfc-editor.org/rfc/rfc9875)), in order.
        public let groups: [String]
    }

    /// The conditions of a listing. An entry is listed if it meets every condition that is set.
    public struct EntryFilter: Sendable, Hashable {
        /// Text that the URI contains; the case of ASCII letters does not matter. Default: empty, which matches any URI.
        public var text = ""
        /// The beginning of the URI; an absolute URI is put into the cache's normal form. Default: empty, which matches any URI.
        public var prefix = ""
        /// Other beginnings that the URI may have instead, if there is a ``prefix``.
        package var otherPrefixes: [String] = []
        /// A tag that the response has. Default: `nil`.
        public var tag: String?

        /// Creates a filter. By default every entry passes.
        public init(text: String = "", prefix: String = "", tag: String? = nil) {
            self.text = text
            self.prefix = prefix
            self.tag = tag
        }
    }

    /// A page of entries.
    public struct EntryPage: Sendable, Hashable {
        /// The entries of the page.
        public let entries: [Entry]
        /// The position at which the next page begins; `nil` if there is none. A page may be empty although others follow.
        public let next: EntryCursor?
    }

    /// The position at which a page of entries has ended. Valid only for the cache that made it, as long as its stores are open.
    public struct EntryCursor: Sendable, Hashable {
        let position: Position

        /// Letters, digits and hyphens.
        public var text: String { position.text }

        init(_ position: Position) {
            self.position = position
        }

        /// Creates a cursor from its ``text``; `nil` for any other text.
        public init?(_ text: String) {
            guard let position = Position(text) else { return nil }
            self.position = position
        }
    }
}
