// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardTransports

private final class Switch: Reachability {
    private let state: Mutex<Bool>

    init(_ isOn: Bool) {
        state = Mutex(isOn)
    }

    var isReachable: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Loses each request on a connection that was kept, and answers those on new ones.
private final class StaleTransport: ReconnectingTransport {
    let requestCount = Mutex(0)

    func send(_: HTTPRequest, body _: HTTPBody, onInterimResponse _: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        requestCount.withLock { $0 += 1 }
        throw TransportError(.connectionClosed, "The connection was closed.", mayRetry: true)
    }

    func sendOnNewConnection(
        _: HTTPRequest,
        body _: HTTPBody,
        onInterimResponse _: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        TransportResponse(head: HTTPResponse(status: .ok), body: .empty)
    }
}

struct ReachabilityTransportTests {
    private let origin = FakeTransport { _ in .text("hello", fields: [.cacheControl: "max-age=0, stale-if-error=60"]) }
    private let network = Switch(true)

    private var transport: ReachabilityTransport { ReachabilityTransport(origin, reachability: network) }

    private func request(_ authority: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
    }

    @Test func requestIsSentWhileTheNetworkIsThere() async throws {
        _ = try await transport.send(request("example.com"))
        #expect(origin.requests.count == 1)
    }

    @Test func requestFailsAtOnceWhileTheNetworkIsAway() async throws {
        network.isReachable = false
        let error = await #expect(throws: TransportError.self) { try await transport.send(request("example.com")) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message == "The network is away, so that example.com port 443 was not asked.")
        #expect(origin.requests.isEmpty)
        network.isReachable = true
        _ = try await transport.send(request("example.com"))
        #expect(origin.requests.count == 1)
    }

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST", "localhost.", "a.localhost", "a.localhost.:80", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:80",
    ])
    func deviceItselfIsAlwaysAsked(authority: String) async throws {
        network.isReachable = false
        _ = try await transport.send(request(authority))
        #expect(origin.requests.count == 1)
    }

    @Test(arguments: ["127.example.com", "localhost.example.com", "notlocalhost", "notlocalhost.", "[::2]", "128.0.0.1"])
    func othersAreNotTakenForTheDevice(authority: String) async {
        network.isReachable = false
        await #expect(throws: TransportError.self) { try await transport.send(request(authority)) }
    }

    @Test func lostRequestIsRepeatedOnANewConnection() async throws {
        let stale = StaleTransport()
        let transport = ReachabilityTransport(stale, reachability: network)
        let response = try await RepeatingTransport(transport).send(request("example.com"))
        #expect(response.head.status == .ok)
        #expect(stale.requestCount.withLock { $0 } == 1)
        network.isReachable = false
        await #expect(throws: TransportError.self) {
            try await transport.sendOnNewConnection(request("example.com"), body: .empty, onInterimResponse: nil)
        }
    }

    @Test func staleResponseStandsInWithoutAskingTheNetwork() async throws {
        let client = CachingClient(transport: transport)
        _ = try await client.get("https://example.com/").body.collect(upTo: 100)
        network.isReachable = false
        let response = try await client.get("https://example.com/")
        #expect(String(buffer: try await response.body.collect(upTo: 100)) == "hello")
        #expect(response.staleness?.isStandIn == true)
        #expect(origin.requests.count == 1)
    }
}
