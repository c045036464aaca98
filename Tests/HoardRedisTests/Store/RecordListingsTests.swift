// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct RecordListingsTests {
    private let node = FakeRedis(ticker: ManualTicker()).connect(prefix: nil) { _ in }

    private func take(_ cursor: RecordCursor, _ listings: inout RecordListings) -> (listing: RecordListings.Listing, isAgain: Bool)? {
        listings.take(cursor)
    }

    @Test func aKeyThatIsFoundTwiceIsListedOnce() {
        var listings = RecordListings()
        var listing = listings.begin(nodes: [node])
        listing.add(["a", "b", "a"], next: [UInt8(ascii: "7")])
        #expect(listing.takePage(limit: 10) == ["a", "b"])
        listing.add(["b", "c"], next: RecordListings.Listing.start)
        #expect(!listing.isComplete)
        #expect(listing.takePage(limit: 10) == ["c"])
        #expect(listing.isComplete && listing.cursor == nil)
    }

    @Test func pagesHaveTheirLengthAndTheRestWaits() {
        var listings = RecordListings()
        var listing = listings.begin(nodes: [node, node])
        listing.add(["a", "b", "c"], next: RecordListings.Listing.start)
        #expect(listing.nodes.count == 1)
        #expect(listing.takePage(limit: 2) == ["a", "b"])
        #expect(listing.takePage(limit: 2) == ["c"])
        listing.add([], next: RecordListings.Listing.start)
        #expect(listing.isComplete)
    }

    @Test func aCursorIsGoodForItsPageAndForTheSamePageAgain() throws {
        var listings = RecordListings()
        var listing = listings.begin(nodes: [node])
        listing.add(["a", "b", "c"], next: [UInt8(ascii: "7")])
        _ = listing.takePage(limit: 1)
        let first = try #require(listing.cursor)
        listings.put(listing)
        let found = take(first, &listings)
        var taken = try #require(found)
        #expect(!taken.isAgain)
        #expect(taken.listing.takePage(limit: 1) == ["b"])
        let second = try #require(taken.listing.cursor)
        listings.put(taken.listing)
        let foundAgain = take(first, &listings)
        let again = try #require(foundAgain)
        #expect(again.isAgain && again.listing.lastPage == ["b"])
        listings.put(again.listing)
        let foundNext = take(second, &listings)
        let next = try #require(foundNext)
        #expect(!next.isAgain)
        // While one process has it, no other can.
        #expect(listings.take(second) == nil)
    }

    @Test(arguments: ["", "-", "1", "1-", "-1", "x-1", "1-x", "99-1", "1-5", "1-1-1", "no cursor", "1-9223372036854775807", "1--9223372036854775808"])
    func anyOtherTextIsNoCursor(text: String) {
        var listings = RecordListings()
        var listing = listings.begin(nodes: [node])
        _ = listing.takePage(limit: 1)
        listings.put(listing)
        #expect(listings.take(RecordCursor(text: text)) == nil)
    }

    @Test func aListingThatBeginsAgainListsNoKeyTwice() {
        var listings = RecordListings()
        var listing = listings.begin(nodes: [node], eventCount: 1)
        listing.add(["a"], next: RecordListings.Listing.start)
        listing.beginAgain(nodes: [node, node], eventCount: 3)
        #expect(!listing.isComplete && listing.passCount == 2 && listing.eventCount == 3)
        listing.add(["b"], next: RecordListings.Listing.start)
        listing.add(["a"], next: RecordListings.Listing.start)
        #expect(listing.takePage(limit: 10) == ["a", "b"])
        #expect(listing.isComplete)
    }

    @Test func theOldestOfTooManyListingsGivesWay() {
        var listings = RecordListings()
        for _ in 0..<20 { listings.put(listings.begin(nodes: [node])) }
        #expect(listings.count == RecordListings.maximumCount)
        #expect(listings.take(RecordCursor(text: "1-0")) == nil)
        #expect(listings.take(RecordCursor(text: "20-0")) != nil)
    }
}
