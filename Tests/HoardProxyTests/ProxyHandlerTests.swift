// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

@Suite(.timeLimit(.minutes(1))) struct ProxyHandlerTests {
    private static let address = "10.1.2.3"

    @Test(
        arguments: [
            (TransportError(.cannotConnect, "Nothing listens at \(address) port 3000.", progress: .notProcessed, stage: .connecting), 502),
            (TransportError(.timedOut, "The origin at \(address) did not answer.", progress: .unanswered, stage: .awaitingResponse), 504),
            (TransportError(.invalidResponse, "The answer of \(address) is not HTTP."), 502),
        ]
    )
    func clientsAreNotToldWhatIsBehindTheProxy(_ error: TransportError, _ status: Int) async throws {
        let group = try OriginGroup.of([FakeServer(failing: error)])
        let route = ProxyRoute(.init(upstream: "test"), origin: try Origin("http://0.test"), group: group)
        let (cache, log) = (HTTPCache(), KeptMessages())
        let handler = ProxyHandler(routes: CurrentRoutes(RouteTable([route])), name: "test", cache: cache, logger: log.logger)
        let head = HTTPRequest(method: .get, scheme: "http", authority: "public.test", path: "/")
        let response = await handler.respond(to: HTTPServerRequest(head: head, remoteAddress: "192.0.2.1"))
        #expect(response.head.status.code == status)
        let text = String(buffer: try await response.body.collect(upTo: 10_000))
        #expect(text.hasPrefix("The proxy got no answer from the origin"))
        for told in [text] + response.head.headerFields.map(\.value) { #expect(!told.contains(Self.address) && !told.contains("0.test")) }
        // The log tells the operator.
        #expect(log.all.count == 1 && log.all.allSatisfy { $0.contains(Self.address) })
        await cache.close()
    }

    @Test func clientThatHasLeftIsNoFailureOfTheOrigin() async throws {
        let group = try OriginGroup.of([FakeServer(failing: TransportError(.cancelled, "The request was cancelled."))])
        let route = ProxyRoute(.init(upstream: "test"), origin: try Origin("http://0.test"), group: group)
        let (cache, log) = (HTTPCache(), KeptMessages())
        let handler = ProxyHandler(routes: CurrentRoutes(RouteTable([route])), name: "test", cache: cache, logger: log.logger)
        let head = HTTPRequest(method: .get, scheme: "http", authority: "public.test", path: "/")
        let response = await handler.respond(to: HTTPServerRequest(head: head, remoteAddress: "192.0.2.1"))
        #expect(response.head.status.code == 499)
        #expect(response.note?.report == AnswerReport(.abandoned, tier: .none))
        #expect(log.all.isEmpty)
        #expect(cache.statistics.abandoned == 1 && cache.statistics.failures == 0)
        await cache.close()
    }
}
