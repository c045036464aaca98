// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Listings that are under way. Keys that a page has left over are kept for the next one, because a server's own cursor
/// (`SCAN`) neither counts exactly nor tells each key once.
struct RecordListings: Sendable {
    /// One listing.
    struct Listing: Sendable {
        let number: Int
        /// The servers to ask, one after the other.
        var nodes: [any RedisConnection]
        /// The count of the events of connections when ``nodes`` were found. If it is another one at the end, they are asked once more.
        var eventCount: Int
        /// How often the servers are asked, this time included.
        private(set) var passCount = 1
        /// Where the first of ``nodes`` is to go on.
        var scanCursor: [UInt8] = Self.start
        /// Keys that have been found and are on no page yet.
        var found: [RecordKey] = []
        /// The keys found before. A server may list a key again when its table of keys shrinks.
        var seen: Set<KeyHash> = []
        /// The keys of the last page, for a caller that asks for it again.
        var lastPage: [RecordKey] = []
        /// How many pages there have been.
        var pageCount = 0

        static let start: [UInt8] = [UInt8(ascii: "0")]
        /// So many keys are remembered. Of further ones, some may be listed twice if the server's table shrinks meanwhile.
        static let maximumSeenCount = 262_144
        /// Servers are asked so often at most.
        static let maximumPassCount = 4

        init(number: Int, nodes: [any RedisConnection], eventCount: Int) {
            self.number = number
            self.nodes = nodes
            self.eventCount = eventCount
        }

        var isComplete: Bool { nodes.isEmpty && found.isEmpty }

        /// Takes over the keys that a server has listed.
        mutating func add(_ keys: some Sequence<RecordKey>, next: [UInt8]) {
            for key in keys {
                let hash = KeyHash(record: key)
                if seen.contains(hash) { continue }
                if seen.count < Self.maximumSeenCount { seen.insert(hash) }
                found.append(key)
            }
            scanCursor = next
            if next == Self.start { nodes.removeFirst() }
        }

        /// Asks all servers once more. Keys that were found before are not listed again.
        mutating func beginAgain(nodes: [any RedisConnection], eventCount: Int) {
            self.nodes = nodes
            self.eventCount = eventCount
            scanCursor = Self.start
            passCount += 1
        }

        /// The keys of the next page.
        mutating func takePage(limit: Int) -> [RecordKey] {
            lastPage = Array(found.prefix(limit))
            found.removeFirst(lastPage.count)
            pageCount += 1
            return lastPage
        }

        /// Where the last page has ended; `nil` if it was the last one of all.
        var cursor: RecordCursor? { isComplete ? nil : RecordCursor(text: "\(number)-\(pageCount)") }
    }

    /// So many listings may be under way. The one that was not used for longest gives way.
    static let maximumCount = 8

    /// The latest one is last.
    private var listings: [Listing] = []
    private var lastNumber = 0

    mutating func begin(nodes: [any RedisConnection], eventCount: Int = 0) -> Listing {
        lastNumber += 1
        return Listing(number: lastNumber, nodes: nodes, eventCount: eventCount)
    }

    /// Takes out the listing whose next page begins at the cursor, or whose last page did.
    ///
    /// - Returns: The listing, and whether its last page is asked for again; `nil` if the cursor is of no listing.
    mutating func take(_ cursor: RecordCursor) -> (listing: Listing, isAgain: Bool)? {
        let parts = cursor.text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let page = Int(parts[1]), let index = listings.firstIndex(where: { $0.number == number }),
            listings[index].pageCount == page || listings[index].pageCount - 1 == page
        else { return nil }
        let listing = listings.remove(at: index)
        return (listing, isAgain: listing.pageCount != page)
    }

    /// Keeps a listing for its next page.
    mutating func put(_ listing: Listing) {
        listings.append(listing)
        if listings.count > Self.maximumCount { listings.removeFirst() }
    }

    var count: Int { listings.count }
}
