// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

@Suite struct StoredResponseTests {
    @Test func whatDecisionsReadIsDerivedFromTheHead() {
        let stored = StoredResponse.test(
            404,
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Vary: Accept",
            "Cache-Tag: a, b",
            "Surrogate-Key: c",
            "No-Vary-Search: key-order"
        )
        #expect(stored.statusCode == 404)
        #expect(stored.freshness.lifetime == .init(seconds: 60, source: .maxAge))
        #expect(stored.validators == Validators(of: fields("ETag: \"1\"")))
        #expect(stored.vary == Vary([.accept]))
        #expect(stored.tags == ["a", "b", "c"])
        #expect(stored.noVarySearch != nil)
        #expect(stored.isComplete)
        #expect(stored.staleSince == nil)
    }

    @Test func rulesDecideWhichDirectivesAreInForce() {
        let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", "CDN-Cache-Control: max-age=5", rules: rules)
        #expect(stored.freshness.lifetime.seconds == 5)
    }

    @Test func headOfAnswersLacksTheAge() {
        let stored = StoredResponse.test(200, "A: 1", "Age: 10", "B: 2")
        #expect(stored.head.headerFields.lines == ["A: 1", "Age: 10", "B: 2"])
        #expect(stored.headWithoutAge.headerFields.lines == ["A: 1", "B: 2"])
    }

    @Test func responsesAreEqualIfAllThatWasStoredIs() {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60")
        var copy = stored
        #expect(copy == stored)
        #expect(StoredResponse.test(200, "Cache-Control: max-age=60") == stored)
        #expect(StoredResponse.test(200, "Cache-Control: max-age=60").hashValue == stored.hashValue)
        copy.trailers = fields("X: y")
        #expect(copy != stored)
        copy = stored
        copy.body = .empty
        #expect(copy != stored)
        #expect(StoredResponse.test(200, "Cache-Control: max-age=61") != stored)
        #expect(StoredResponse.test(200, "Cache-Control: max-age=60", requestTime: -1) != stored)
        #expect(stored.markedStale(at: time(5), rules: .test()) != stored)
    }

    @Test func weightIsThatOfTheBytesInMemory() {
        let bare = StoredResponse.test(200, "A: 1", parts: [])
        let whole = StoredResponse.test(200, "A: 1")
        #expect(whole.weight == bare.weight + 10)
        var trailing = whole
        trailing.trailers = fields("Name: value")
        #expect(trailing.weight > whole.weight + 9)
        let referenced = StoredResponse(
            head: whole.head,
            body: StoredBody(
                extents: [.init(offset: 0, length: 1 << 20, source: .reference(.init(id: 1, segmentLength: 1, length: 1 << 20)))],
                completeLength: 1 << 20
            ),
            requestTime: time(0),
            responseTime: time(0),
            rules: .test()
        )
        #expect(referenced.weight == bare.weight, "Segments are entries of their own.")
    }

    @Test func earliestMarkCounts() {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60").markedStale(at: time(20), rules: .test())
        #expect(stored.markedStale(at: time(10), rules: .test()).staleSince == time(10))
        #expect(stored.markedStale(at: time(30), rules: .test()).staleSince == time(20))
        #expect(stored.freshness.timeToLive(at: time(15)) == 5)
        // A mark after the end of the lifetime changes nothing.
        let late = StoredResponse.test(200, "Cache-Control: max-age=60").markedStale(at: time(100), rules: .test())
        #expect(late.freshness.lifetime.seconds == 60)
    }
}
