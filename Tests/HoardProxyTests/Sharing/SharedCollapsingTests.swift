// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardRedisTestSupport
import HoardTesting
import HoardTestingServer
import NIOCore
import Testing

@testable import HoardProxy

/// Several proxies share a Redis, and one of them asks the origin for a response that none has,
/// if the configuration wants it.
@Suite(.enabled(if: RedisServer.isAvailable, Comment(rawValue: RedisServer.requirement)), .serialized, .timeLimit(.minutes(5)))
struct SharedCollapsingTests {
    @Sendable private static func collapse(_ configuration: inout CachingProxy.Configuration) {
        configuration.cache.collapsesAcrossCaches = true
        // No proxy gives up, and no lease ends, however busy the machine is.
        configuration.cache.collapseTimeout = .seconds(4_000)
        configuration.cache.leaseDuration = .seconds(1_000)
    }

    @Test(arguments: ["", "Accept-Language"], [10, 700_000]) func ofAllProxiesOneAsksForWhatNoneHas(vary: String, length: Int) async throws {
        let gate = Gate()
        let numbers = Counter()
        try await ProxyFleet.run(
            count: 3,
            isPatient: true,
            configure: Self.collapse,
            origin: { request, _ in
                guard request.path == "/cold" else { return .init("other") }
                numbers.increment()
                await gate.pass()
                var fields: HTTPFields = [.cacheControl: "max-age=600"]
                if !vary.isEmpty { fields[.vary] = vary }
                return .init(fields: fields, body: HTTPBody(ByteBuffer(repeating: 0x61, count: length)))
            }
        ) { (fleet: ProxyFleet) async throws in
            try await withThrowingTaskGroup { group in
                for member in fleet.members {
                    for _ in 0..<20 {
                        group.addTask {
                            let reply = try await member.probe.send(.get, "/cold")
                            #expect(reply.status == 200 && reply.content.readableBytes == length)
                        }
                    }
                }
                await gate.arrivals(1)
                for member in fleet.members { _ = try await member.probe.send(.get, "/other") }
                gate.open()
                try await group.waitForAll()
            }
            #expect(numbers.value == 1)
            // A store that fails would have let a proxy ask by itself.
            #expect(fleet.members.flatMap { $0.proxy.cache.storeHealth.map(\.failures) } == [0, 0, 0])
        }
    }

    @Test func whatCannotBeStoredIsAskedForByEach() async throws {
        try await ProxyFleet.run(configure: Self.collapse, origin: { _, _ in .init("x", fields: [.cacheControl: "no-store"]) }) {
            (fleet: ProxyFleet) async throws in
            for member in fleet.members {
                for _ in 1...3 { #expect(try await member.probe.send(.get, "/a").text == "x") }
            }
            #expect(fleet.origin.requests.count == 6)
        }
    }

    @Test func anOriginThatFailsIsToldToEach() async throws {
        try await ProxyFleet.run(configure: Self.collapse, origin: { _, _ in .init("away", status: .serviceUnavailable) }) {
            (fleet: ProxyFleet) async throws in
            for member in fleet.members { #expect(try await member.probe.send(.get, "/a").status == 503) }
        }
    }

    @Test func withoutRedisEachAsksForItself() async throws {
        try await ProxyFleet.run(configure: Self.collapse) { (fleet: ProxyFleet) async throws in
            fleet.redis.kill()
            for member in fleet.members { #expect(try await member.probe.send(.get, "/a").status == 200) }
            #expect(fleet.origin.requests.count == 2)
        }
    }

    @Test func whatIsPurgedWhileOneAsksIsAskedForAgain() async throws {
        let gate = Gate()
        let numbers = Counter()
        try await ProxyFleet.run(
            configure: Self.collapse,
            origin: { request, _ in
                guard request.path == "/cold" else { return .init("other", fields: [.cacheControl: "max-age=600"]) }
                let number = numbers.increment()
                if number == 1 { await gate.pass() }
                return .init("\(number)", fields: [.cacheControl: "max-age=600"])
            }
        ) { (fleet: ProxyFleet) async throws in
            async let early = fleet.second.probe.send(.get, "/cold")
            await gate.arrivals(1)
            try await fleet.first.purge(#"{"url":"/cold"}"#)
            try await fleet.secondHasHeard()
            gate.open()
            #expect(try await early.text == "1")
            for member in fleet.members { #expect(try await member.probe.send(.get, "/cold").text != "1") }
        }
    }
}
