// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPCache {
    /// A stored response, as a listing tells of it.
    public struct Entry: Sendable, Hashable {
        /// The URI in the form in which the cache has it. Of a response that stands for several (`No-Vary-Search`), the one without what does not matter.
        public let uri: String
        /// By which request fields it was selected, and a digest of what they were, after that of the content of a QUERY; `nil`: by none.
        public let variant: String?
        public let status: Int
        /// The bytes of its content that are stored.
        public let byteCount: Int
        /// When it arrived, or was last confirmed by the origin.
        public let storedAt: Date
        /// Until when it is fresh, with marks taken into account.
        public let freshUntil: Date?
        /// Whether it was fresh when it was listed.
        public let isFresh: Bool
        public let isInMemory: Bool
        /// Whether a store has it that can list (``ListingRecordStore``).
        public let isInStore: Bool
        /// The tags by which it may be removed, in order.
        public let tags: [String]
        /// The groups of its origin that it belongs to ([RFC 9875](https://www.rfc-editor.org/rfc/rfc9875)), in order.
        public let groups: [String]
    }

    /// Which entries are listed: those that meet every condition that is set.
    public struct EntryFilter: Sendable, Hashable {
        /// Text that the URI contains; the case of ASCII letters does not matter. Default: empty, which matches any URI.
        public var text = ""
        /// The beginning of the URI; an absolute URI is put into the cache's normal form. Default: empty, which matches any URI.
        public var prefix = ""
        /// Other beginnings that the URI may have instead, if there is a ``prefix``.
        package var otherPrefixes: [String] = []
        /// A tag that the response has. Default: `nil`.
        public var tag: String?

        public init(text: String = "", prefix: String = "", tag: String? = nil) {
            self.text = text
            self.prefix = prefix
            self.tag = tag
        }
    }

    /// Some of the entries.
    public struct EntryPage: Sendable, Hashable {
        public let entries: [Entry]
        /// Where the next page begins; `nil` if there is none. A page may have no entries though others follow.
        public let next: EntryCursor?
    }

    /// Where a page of entries has ended. Means something to the cache that made it, as long as its stores are open.
    public struct EntryCursor: Sendable, Hashable {
        let position: Position

        /// Letters, digits and hyphens.
        public var text: String { position.text }

        init(_ position: Position) {
            self.position = position
        }

        /// Reads back ``text``; `nil` for anything else.
        public init?(_ text: String) {
            guard let position = Position(text) else { return nil }
            self.position = position
        }
    }
}
