// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIO
import HoardTesting
import Testing

@testable import HoardProxy

@Suite("PopularURLs")
struct PopularURLsTests {
    private func add(_ path: String, bytes: Int = 10, to urls: inout PopularURLs) throws {
        let report = get(path, bytes: bytes)
        let identity = try #require(RequestIdentity(report.request, hasher: fixedHasher(), distinguishesHosts: false))
        urls.add(report, identity, ObjectAccess(report, identity), distinguishesHosts: false)
    }

    @Test func atFirstEveryRequestCounts() throws {
        var urls = PopularURLs()
        for _ in 0..<5 { try add("/a", to: &urls) }
        for _ in 0..<3 { try add("/b", bytes: 100, to: &urls) }
        #expect(PopularURLs.hottest(of: [urls], count: 10) == [.init(uri: "/a", requests: 5, bytes: 50), .init(uri: "/b", requests: 3, bytes: 300)])
        #expect(PopularURLs.hottest(of: [urls, urls], count: 1) == [.init(uri: "/a", requests: 10, bytes: 100)])
        #expect(PopularURLs.largest(of: [urls, urls], count: 10) == [.init(uri: "/b", bytes: 100), .init(uri: "/a", bytes: 10)])
    }

    @Test func whereManyRequestsComeAFewStandForAll() throws {
        var urls = PopularURLs()
        for _ in 0..<20_000 { try add("/first", to: &urls) }
        urls.adapt()
        #expect(urls.stride == 20)
        urls.turn(largestToo: true)
        urls.turn(largestToo: true)
        // In turns, so that each twentieth request is for the same URL.
        for step in 0..<20_000 { try add("/\(step % 20)", to: &urls) }
        let hottest = PopularURLs.hottest(of: [urls], count: 100)
        #expect(hottest.count == 20)
        // 50 samples of each, on average; 20 standard deviations of a binomial distribution would be 140.
        #expect(hottest.allSatisfy { (200...2_200).contains($0.requests) })
        #expect((15_000...25_000).contains(hottest.reduce(0) { $0 + $1.requests }))
        urls.adapt()
        urls.adapt()
        #expect(urls.stride == 1)
    }

    @Test func twoPeriodsAreRemembered() throws {
        var urls = PopularURLs()
        try add("/old", to: &urls)
        urls.turn(largestToo: false)
        try add("/new", to: &urls)
        #expect(Set(PopularURLs.hottest(of: [urls], count: 10).map(\.uri)) == ["/old", "/new"])
        urls.turn(largestToo: false)
        #expect(PopularURLs.hottest(of: [urls], count: 10).map(\.uri) == ["/new"])
        #expect(Set(PopularURLs.largest(of: [urls], count: 10).map(\.uri)) == ["/old", "/new"])
        urls.turn(largestToo: true)
        urls.turn(largestToo: true)
        #expect(PopularURLs.largest(of: [urls], count: 10).isEmpty)
    }

    @Test func theNewestLengthOfAnObjectCounts() throws {
        var urls = PopularURLs()
        try add("/a", bytes: 1_000, to: &urls)
        urls.turn(largestToo: true)
        try add("/a", bytes: 700, to: &urls)
        #expect(PopularURLs.largest(of: [urls], count: 10) == [.init(uri: "/a", bytes: 700)])
    }
}
