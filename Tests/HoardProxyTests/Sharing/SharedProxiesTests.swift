// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardRedisTestSupport
import HoardTesting
import HoardTestingServer
import NIOCore
import Testing

@testable import HoardProxy

/// Two proxies over one Redis: each serves the responses that the other stores, and neither serves a response
/// that one has removed. They are patient: these tests are not about a proxy that gives up on Redis because a
/// machine stands still for a second.
@Suite(.enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.requirement)), .timeLimit(.minutes(5)))
struct SharedProxiesTests {
    // MARK: Storing

    @Test func whatOneStoresIsAHitOnTheOther() async throws {
        try await ProxyFleet.run(isPatient: true) { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a")
            let reply = try await fleet.second.probe.send(.get, "/a")
            #expect(reply.isHit && reply.text == "/a 1")
            #expect(fleet.origin.requests.count == 1)
        }
    }

    @Test func aVariantStoredByOneIsAHitOnTheOther() async throws {
        let language = HTTPField.Name.acceptLanguage
        try await ProxyFleet.run(
            isPatient: true,
            origin: { request, _ in
                .init(request.headerFields[language] ?? "", fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"])
            }
        ) { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a", fields: [language: "en"])
            try await fleet.second.fill("/a", fields: [language: "de"])
            #expect(fleet.origin.requests.count == 2)
            for member in fleet.members {
                for value in ["en", "de"] {
                    let reply = try await member.probe.send(.get, "/a", [language: value])
                    #expect(reply.isHit && reply.text == value, "\(value): \(reply.cacheStatus)")
                }
                #expect(try await member.probe.isCached("/a", [language: "fr"]) == false)
            }
            #expect(fleet.origin.requests.count == 2)
        }
    }

    @Test func longBodiesAndTheirRangesAreShared() async throws {
        let bytes = ByteBuffer(bytes: (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try await ProxyFleet.run(
            isPatient: true,
            origin: { _, _ in
                .init(fields: [.cacheControl: "max-age=600", .eTag: #""1""#], body: HTTPBody(bytes))
            }
        ) { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/long")
            let range = try await fleet.second.probe.send(.get, "/long", [.range: "bytes=300000-600000"])
            #expect(range.status == 206 && range.isHit)
            #expect(range.content == bytes.getSlice(at: 300_000, length: 300_001))
            let whole = try await fleet.second.probe.send(.get, "/long")
            #expect(whole.isHit && whole.content == bytes)
            #expect(fleet.origin.requests.count == 1)
        }
    }

    // MARK: Purging

    @Test(arguments: [#""url":"/x/1""#, #""prefix":"/x/""#, #""tag":"news""#, #""all":true"#], [false, true])
    func whatOnePurgesIsGoneOnTheOther(extent: String, isStale: Bool) async throws {
        let paths = ["/a", "/x/1", "/x/2", "/tag"]
        let left: Set<String> =
            switch extent.prefix(4) {
            case #""url"#: ["/a", "/x/2", "/tag"]
            case #""pre"#: ["/a", "/tag"]
            case #""tag"#: ["/a", "/x/1", "/x/2"]
            default: []
            }
        try await ProxyFleet.run(isPatient: true) { (fleet: ProxyFleet) async throws in
            for path in paths { try await fleet.first.fill(path) }
            for path in paths { #expect(try await fleet.second.probe.send(.get, path).isHit) }
            let reply = try await fleet.first.purge("{\(extent),\"stale\":\(isStale)}")
            #expect(reply.status == 200)
            for path in paths where !left.contains(path) {
                try await waitUntil { try await !fleet.second.probe.isCached(path) }
                #expect(try await !fleet.first.probe.isCached(path))
            }
            for member in fleet.members {
                for path in left { #expect(try await member.probe.isCached(path), "\(path) stays") }
            }
            let count = fleet.origin.requests.count
            for path in paths where !left.contains(path) { _ = try await fleet.second.probe.send(.get, path) }
            #expect(fleet.origin.requests.count == count + paths.count - left.count, "what has gone is asked for again")
        }
    }

    @Test func anUnsafeRequestThroughOneRemovesWhatTheOtherHas() async throws {
        try await ProxyFleet.run(isPatient: true) { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a")
            #expect(try await fleet.second.probe.send(.get, "/a").isHit)
            _ = try await fleet.first.probe.send(.post, "/a", body: "x")
            try await waitUntil { try await !fleet.second.probe.isCached("/a") }
        }
    }

    @Test func aVariantIsPurgedWithItsURL() async throws {
        let language = HTTPField.Name.acceptLanguage
        try await ProxyFleet.run(
            isPatient: true,
            origin: { request, _ in
                .init(request.headerFields[language] ?? "", fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"])
            }
        ) { (fleet: ProxyFleet) async throws in
            try await fleet.first.fill("/a", fields: [language: "en"])
            try await fleet.second.fill("/a", fields: [language: "de"])
            try await fleet.first.purge(#"{"url":"/a"}"#)
            for value in ["en", "de"] {
                try await waitUntil { try await !fleet.second.probe.isCached("/a", [language: value]) }
                #expect(try await !fleet.first.probe.isCached("/a", [language: value]))
            }
        }
    }

    // MARK: What is under way

    @Test(arguments: [#""url":"/x/tag""#, #""prefix":"/x/""#, #""tag":"news""#, #""all":true"#], ["", "Accept-Language"])
    func whatTheOtherIsFetchingDuringAPurgeIsNeitherStoredNorJoined(extent: String, vary: String) async throws {
        let gate = Gate()
        let numbers = Counter()
        try await ProxyFleet.run(
            isPatient: true,
            origin: { request, _ in
                var fields: HTTPFields = [.cacheControl: "max-age=600"]
                if !vary.isEmpty { fields[.vary] = vary }
                guard request.path == "/x/tag" else { return .init("other", fields: fields) }
                if let tags = ProxyFleet.tags { fields[tags] = "news" }
                let number = numbers.increment()
                if number == 1 { await gate.pass() }
                return .init("\(number)", fields: fields)
            }
        ) { (fleet: ProxyFleet) async throws in
            async let early = fleet.second.probe.send(.get, "/x/tag")
            await gate.arrivals(1)
            try await fleet.first.purge("{\(extent)}")
            try await fleet.secondHasHeard()
            let later = try await fleet.second.probe.send(.get, "/x/tag")
            #expect(later.text == "2", "who asks after the purge does not wait for what was asked for before")
            gate.open()
            #expect(try await early.text == "1")
            await fleet.second.proxy.cache.flush()
            for member in fleet.members {
                let reply = try await member.probe.send(.get, "/x/tag")
                #expect(reply.text != "1", "\(reply.cacheStatus)")
            }
        }
    }

    @Test func twoThatFetchTheSameLongURLNeverMixTheirBodies() async throws {
        let numbers = Counter()
        let content: @Sendable (Int) -> ByteBuffer = { ByteBuffer(repeating: UInt8(ascii: "a") + UInt8($0 % 26), count: 600_000 + $0 * 1_000) }
        try await ProxyFleet.run(
            isPatient: true,
            origin: { _, _ in
                let number = numbers.increment()
                return .init(fields: [.cacheControl: "max-age=600", .eTag: "\"\(number)\""], body: HTTPBody(content(number)))
            }
        ) { (fleet: ProxyFleet) async throws in
            for round in 0..<4 {
                try await withThrowingTaskGroup { group in
                    for member in fleet.members {
                        for fields in [[.cacheControl: "no-cache"], [:]] as [HTTPFields] {
                            group.addTask {
                                let reply = try await member.probe.send(.get, "/long", fields)
                                let number = Int(reply.head.headerFields[.eTag]?.dropFirst().dropLast() ?? "") ?? 0
                                #expect(reply.status == 200 && number > 0, "round \(round)")
                                #expect(reply.content == content(number), "round \(round)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
}
