// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

/// The answers to a client that has lost the network.
@Suite(.timeLimit(.minutes(5))) struct OfflineTests {
    private let time = TestTime()
    private let network = Network()

    /// A client whose network can be cut, and the origin behind it.
    private func client(_ fields: HTTPFields, status: HTTPResponse.Status = .ok) -> (client: CachingClient, transport: FakeTransport) {
        let network = network
        let transport = FakeTransport { request in
            guard network.isThere else { return .failure(TransportError(.cannotConnect, "The network is away.")) }
            return .text("kept \(request.head.path ?? "")", status: status, fields: fields)
        }
        return (CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time)), transport)
    }

    private func text(_ body: HTTPBody) async throws -> String { String(buffer: try await body.collect(upTo: 1_000)) }

    @Test func freshResponseIsServedAsEver() async throws {
        let (client, transport) = client([.cacheControl: "max-age=60"])
        _ = try await client.get("http://example.com/a")
        network.cut()
        let response = try await client.get("http://example.com/a")
        #expect(try await text(response.body) == "kept /a")
        #expect(response.isFromCache)
        #expect(response.staleness == nil)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: ["max-age=60, stale-if-error=600", "max-age=60"])
    func staleResponseStandsInAndSaysSo(directives: String) async throws {
        let (client, _) = client([.cacheControl: directives])
        _ = try await client.get("http://example.com/a")
        network.cut()
        time.advance(seconds: 90)
        let response = try await client.get("http://example.com/a")
        #expect(try await text(response.body) == "kept /a")
        #expect(response.isFromCache)
        #expect(response.staleness?.isStandIn == true)
        #expect(response.staleness?.seconds == 30)
        #expect(response.head.headerFields[.age] == "90")
        network.restore()
        let fresh = try await client.get("http://example.com/a")
        #expect(fresh.staleness == nil)
        #expect(!fresh.isFromCache)
    }

    @Test(arguments: ["max-age=60, must-revalidate", "no-cache", "no-store"])
    func responseThatMustNotBeStaleIsNot(directives: String) async throws {
        let (client, _) = client([.cacheControl: directives])
        _ = try await client.get("http://example.com/a")
        network.cut()
        time.advance(seconds: 90)
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/a") }
        #expect(error?.code == .unreachable)
        #expect(error?.message == "The network is away.")
    }

    @Test func nothingStoredIsAnError() async throws {
        let (client, _) = client([:])
        network.cut()
        let error = await #expect(throws: ClientError.self) { try await client.get("http://example.com/a") }
        #expect(error?.code == .unreachable)
        let network = await #expect(throws: NetworkError.self) {
            try await NetworkManager(client: client).fetch(NetworkRequest(.get, "http://example.com/a"))
        }
        #expect(network?.code == .offline)
    }

    @Test func forceCacheTakesWhatThereIsAndAsksNobody() async throws {
        let (client, transport) = client([.cacheControl: "max-age=60"])
        _ = try await client.get("http://example.com/a")
        network.cut()
        time.advance(seconds: 3_600)
        let response = try await client.get("http://example.com/a", options: RequestOptions(cacheMode: .forceCache))
        #expect(try await text(response.body) == "kept /a")
        #expect(response.staleness?.seconds == 3_540)
        #expect(response.staleness?.isStandIn == false, "The origin was not asked.")
        #expect(transport.requests.count == 1)
    }

    @Test func onlyIfCachedNeverSendsARequest() async throws {
        let (client, transport) = client([.cacheControl: "max-age=60"])
        _ = try await client.get("http://example.com/a")
        time.advance(seconds: 90)
        let options = RequestOptions(cacheMode: .onlyIfCached)
        #expect(try await client.get("http://example.com/a", options: options).staleness?.seconds == 30)
        #expect(try await client.get("http://example.com/b", options: options).head.status == .gatewayTimeout)
        #expect(transport.requests.count == 1)
    }

    @Test func managerSaysThatItsResponseIsStale() async throws {
        let (client, _) = client([.cacheControl: "max-age=60, stale-if-error=600"])
        let manager = NetworkManager(client: client)
        let request = NetworkRequest(.get, "http://example.com/a")
        #expect(try await manager.fetch(request).staleness == nil)
        network.cut()
        time.advance(seconds: 70)
        let response = try await manager.fetch(request)
        #expect(String(decoding: response.body, as: UTF8.self) == "kept /a")
        #expect(response.staleness?.isStandIn == true)
        #expect(response.staleness?.seconds == 10)
    }

    @Test func staleRedirectMakesTheResponseStale() async throws {
        let network = network
        let transport = FakeTransport { request in
            guard network.isThere else { return .failure(TransportError(.cannotConnect, "The network is away.")) }
            if request.head.path == "/a" {
                return .text(status: .movedPermanently, fields: [.location: "/b", .cacheControl: "max-age=60, stale-if-error=600"])
            }
            return .text("there", fields: [.cacheControl: "max-age=600"])
        }
        let client = CachingClient(transport: transport, cache: HTTPCache(clock: time, ticker: time))
        _ = try await client.get("http://example.com/a")
        network.cut()
        time.advance(seconds: 90)
        let response = try await client.get("http://example.com/a")
        #expect(response.url == "http://example.com/b")
        #expect(response.staleness?.seconds == 30)
    }
}

/// A network that can be cut.
private final class Network: Sendable {
    private let state = Mutex(true)

    var isThere: Bool { state.withLock { $0 } }
    func cut() { state.withLock { $0 = false } }
    func restore() { state.withLock { $0 = true } }
}
