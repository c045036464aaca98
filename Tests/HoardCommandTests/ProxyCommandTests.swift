// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardTesting
import HoardTestingServer
import Testing

/// `hoard proxy` as an operator meets it: a real process, a real origin, real sockets.
@Suite("hoard proxy", .timeLimit(.minutes(5)))
struct ProxyCommandTests {
    let directory: TemporaryDirectory
    let client = HTTPProbe()

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func aSecondRequestIsServedFromMemoryAndARestartedProxyServesFromDisk() async throws {
        let origin = try await FakeOrigin.start { _, _ in .init("hello", fields: [.cacheControl: "max-age=600", .eTag: "\"1\""]) }
        let (first, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)

        let miss = try await client.send(.get, "\(address)/page")
        #expect(miss.text == "hello")
        #expect(miss.cacheStatus.hasPrefix("hoard; fwd=uri-miss; fwd-status=200; ttl="))
        #expect(miss.cacheStatus.hasSuffix("; stored"))
        #expect(miss.fields[.via] == "1.1 hoard")

        let hit = try await client.send(.get, "\(address)/page")
        #expect(hit.text == "hello")
        #expect(hit.cacheStatus.hasPrefix("hoard; hit; ttl="))
        #expect(hit.fields[.age] != nil)
        #expect(origin.requests.count == 1)

        first.signal(SIGTERM)
        let result = await first.result()
        #expect(result.status == 0)
        #expect(result.errors.contains("hoard: done"))

        let (second, newAddress) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)
        let fromDisk = try await client.send(.get, "\(newAddress)/page")
        #expect(fromDisk.text == "hello")
        #expect(fromDisk.cacheStatus.hasPrefix("hoard; hit; ttl="))
        #expect(origin.requests.count == 1)
        second.signal(SIGINT)
        #expect(await second.result().status == 0)
        await origin.stop()
        await client.stop()
    }

    @Test func aStaleResponseIsRevalidatedAndFreshened() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            let isCurrent = request.headerFields[.ifNoneMatch] == "\"v1\""
            return .init(
                isCurrent ? "" : "body",
                status: isCurrent ? .notModified : .ok,
                fields: [.cacheControl: "no-cache", .eTag: "\"v1\""]
            )
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)
        #expect(try await client.send(.get, "\(address)/").text == "body")
        let revalidated = try await client.send(.get, "\(address)/")
        #expect(revalidated.status == 200)
        #expect(revalidated.text == "body")
        #expect(revalidated.cacheStatus.hasPrefix("hoard; fwd=stale; fwd-status=304; ttl="))
        #expect(origin.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"v1\""])
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
        await client.stop()
    }

    @Test func onePersonsResponseIsNeverGivenToAnother() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            .init("for \(request.headerFields[.authorization] ?? "nobody")", fields: [.cacheControl: "max-age=600"])
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)
        #expect(try await client.send(.get, "\(address)/me", fields: [.authorization: "Bearer ann"]).text == "for Bearer ann")
        #expect(try await client.send(.get, "\(address)/me", fields: [.authorization: "Bearer bob"]).text == "for Bearer bob")
        #expect(try await client.send(.get, "\(address)/me").text == "for nobody")
        #expect(origin.requests.count == 3)
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
        await client.stop()
    }

    @Test func aPostIsAlwaysSentAndRemovesWhatIsStoredForItsURL() async throws {
        let origin = try await FakeOrigin.start { request, _ in .init(request.method.rawValue, fields: [.cacheControl: "max-age=600"]) }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)
        _ = try await client.send(.get, "\(address)/thing")
        #expect(try await client.send(.get, "\(address)/thing").cacheStatus.contains("hit"))
        #expect(try await client.send(.post, "\(address)/thing").text == "POST")
        #expect(try await client.send(.post, "\(address)/thing").text == "POST")
        #expect(try await client.send(.get, "\(address)/thing").cacheStatus.contains("fwd=uri-miss"))
        #expect(origin.requests.map(\.method) == [.get, .post, .post, .get])
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
        await client.stop()
    }

    @Test func contradictoryDirectivesAreTakenTheSafeWay() async throws {
        let origin = try await FakeOrigin.start { request, _ in
            .init("x", fields: [.cacheControl: request.path == "/a" ? "max-age=600, no-store" : "max-age=600, max-age=5x"])
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)
        for path in ["/a", "/b", "/a", "/b"] {
            let reply = try await client.send(.get, "\(address)\(path)")
            #expect(reply.status == 200)
            #expect(reply.cacheStatus.contains("fwd="), "\(path): \(reply.cacheStatus)")
        }
        #expect(origin.requests.count == 4)
        proxy.signal(SIGTERM)
        _ = await proxy.result()
        await origin.stop()
        await client.stop()
    }

    @Test func anUnreachableOriginIsABadGatewayThatSaysSo() async throws {
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let (proxy, address) = try await HoardProcess.proxy(origin: "http://127.0.0.1:1", directory: directory.path)
        let reply = try await client.send(.get, "\(address)/")
        #expect(reply.status == 502)
        // Clients must not learn where the origin is.
        #expect(reply.text == "The proxy got no answer from the origin.\n")
        #expect(reply.cacheStatus == "hoard; fwd=uri-miss; detail=cannotConnect")
        #expect(reply.fields[.cacheControl] == "no-store")
        proxy.signal(SIGTERM)
        #expect(await proxy.result().status == 0)
        await client.stop()
    }

    @Test func aRequestUnderWayMayEndWhenTheProxyIsAskedToStop() async throws {
        let gate = Gate()
        let origin = try await FakeOrigin.start { _, _ in
            await gate.pass()
            return .init("late")
        }
        let (proxy, address) = try await HoardProcess.proxy(origin: origin.url, directory: directory.path)
        async let reply = client.send(.get, "\(address)/slow")
        await gate.arrivals(1)
        proxy.signal(SIGTERM)
        _ = try await proxy.errorLine(holding: "finishing")
        gate.open()
        #expect(try await reply.text == "late")
        #expect(await proxy.result().status == 0)
        await origin.stop()
        await client.stop()
    }
}
