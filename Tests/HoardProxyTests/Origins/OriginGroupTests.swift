// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

/// Choice, fail-over and retries, with servers that are closures.
@Suite(.timeLimit(.minutes(1)))
struct OriginGroupTests {
    @Test func requestsGoToTheServersInTurnWithTheirOwnHost() async throws {
        let servers = [FakeServer(), FakeServer()]
        let group = try OriginGroup.of(servers)
        for _ in 0..<4 { _ = try await group.send(.to("/a?b")).text() }
        for (index, server) in servers.enumerated() {
            #expect(server.requests.map(\.authority) == ["\(index).test", "\(index).test"])
            #expect(server.requests.allSatisfy { $0.path == "/a?b" && $0.scheme == "http" })
        }
    }

    @Test func serversMayHaveTheirOwnSchemeAndBasePath() async throws {
        let servers = [FakeServer(), FakeServer()]
        let group = try OriginGroup.of(servers) { $0.servers = [try Origin("http://0.test/app"), try Origin("https://1.test:8443/v2/app")] }
        for _ in 0..<2 { _ = try await group.send(.to("/app/page")) }
        #expect(servers[0].requests.first?.path == "/app/page")
        let second = try #require(servers[1].requests.first)
        #expect(second.scheme == "https" && second.authority == "1.test:8443" && second.path == "/v2/app/page")
    }

    @Test func hostOfTheClientIsKeptIfServersAreToGetIt() async throws {
        let server = FakeServer()
        let group = try OriginGroup.of([server]) { $0.forwardsHost = true }
        var request = HTTPRequest.to()
        request.authority = "shop.example"
        _ = try await group.send(request)
        #expect(server.requests.first?.authority == "shop.example")
    }

    // MARK: Fail-over

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func anotherServerStandsInForOneThatCannotBeReached(_ method: HTTPRequest.Method) async throws {
        let servers = [FakeServer(failing: .refused), FakeServer(failing: .refused), FakeServer()]
        let group = try OriginGroup.of(servers) { $0.maximumRetryCount = 0 }
        let text = try await group.send(.to("/", method), body: HTTPBody(Parts.texts("x"), length: 1)).text()
        #expect(text == "ok")
        #expect(servers.map(\.requests.count) == [1, 1, 1])
        #expect(group.states().map(\.failures) == [1, 1, 0])
    }

    @Test func everyServerIsTriedOnceAtMost() async throws {
        let servers = [FakeServer(failing: .refused), FakeServer(failing: .refused)]
        let error = await #expect(throws: TransportError.self) { try await OriginGroup.of(servers).send(.to()) }
        #expect(error?.code == .cannotConnect)
        #expect(servers.map(\.requests.count) == [1, 1])
    }

    @Test func requestLostOnAKeptConnectionIsSentAgainOnANewOne() async throws {
        let server = FakeServer(failing: .lost)
        let group = try OriginGroup.of([server])
        let error = await #expect(throws: TransportError.self) { try await group.send(.to()) }
        #expect(error?.code == .connectionClosed)
        #expect(server.requests.count == 2 && server.freshCount == 1)
        // That says nothing about its health.
        #expect(group.states().map(\.failures) == [0])
    }

    @Test func lostRequestWithAnEffectIsNotSentAgain() async throws {
        let server = FakeServer(failing: .lost)
        await #expect(throws: TransportError.self) { try await OriginGroup.of([server]).send(.to("/", .post), body: HTTPBody("x")) }
        #expect(server.requests.count == 1)
    }

    @Test func originThatRestartsIsLeftForAnother() async throws {
        // Lost on the old connection, and nothing listens any more.
        let answers = Counter()
        let restarting = FakeServer { _ throws(TransportError) in
            answers.add()
            throw answers.value == 1 ? TransportError.lost : .refused
        }
        let servers = [restarting, FakeServer()]
        let text = try await OriginGroup.of(servers).send(.to()).text()
        #expect(text == "ok")
        #expect(restarting.requests.count == 2 && servers[1].requests.count == 1)
    }

    @Test func unansweredRequestGoesToAnotherServerButNotToTheSame() async throws {
        let servers = [FakeServer(failing: .unanswered), FakeServer()]
        #expect(try await OriginGroup.of(servers).send(.to()).text() == "ok")
        let alone = FakeServer(failing: .unanswered)
        await #expect(throws: TransportError.self) { try await OriginGroup.of([alone]).send(.to()) }
        #expect(alone.requests.count == 1)
    }

    @Test func lateResponseIsNotAskedForAgain() async throws {
        let servers = [FakeServer(failing: .late), FakeServer()]
        let error = await #expect(throws: TransportError.self) { try await OriginGroup.of(servers).send(.to()) }
        #expect(error?.code == .timedOut)
        #expect(servers[1].requests.isEmpty)
    }

    @Test(arguments: [0, 1, 3])
    func requestIsSentAgainNoMoreOftenThanAllowed(_ count: Int) async throws {
        let servers = (0..<5).map { _ in FakeServer(failing: .unanswered) }
        let group = try OriginGroup.of(servers) { $0.maximumRetryCount = count }
        await #expect(throws: TransportError.self) { try await group.send(.to()) }
        #expect(servers.map(\.requests.count).reduce(0, +) == count + 1)
    }

    @Test func retriesAreABoundedShareOfAllRequests() async throws {
        // One in ten of each server's exchanges is lost, so that no circuit opens; all first tries are lost.
        let lost = Counter()
        let server = FakeServer { _ throws(TransportError) in
            lost.add()
            throw TransportError.lost
        }
        let group = try OriginGroup.of([server])
        for _ in 0..<500 { _ = try? await group.send(.to()) }
        // 500 first tries, ten retries for free, and a fifth.
        #expect(server.freshCount <= 110)
        #expect(server.freshCount >= 100)
    }

    @Test func cancelledRequestIsNotSentAgain() async throws {
        let server = FakeServer(failing: TransportError(.cancelled, "", progress: .notProcessed))
        await #expect(throws: TransportError.self) { try await OriginGroup.of([server, server]).send(.to()) }
        #expect(server.requests.count == 1)
    }

    // MARK: Dead servers

    @Test func deadServerIsNotAskedUntilItsPauseIsOver() async throws {
        let ticker = ManualTicker()
        let server = FakeServer(failing: .refused)
        let group = try OriginGroup.of([server], ticker: ticker)
        for _ in 0..<3 { _ = try? await group.send(.to()) }
        #expect(group.states().map(\.state) == [.unhealthy])
        for _ in 0..<10 {
            let error = try await #require(throws: TransportError.self) { try await group.send(.to()) }
            #expect(error.code == .cannotConnect)
            #expect(error.underlyingError is UpstreamOutage)
            #expect(error.message == "No server of the upstream “test” answers as it should; the next try is made in 1 s.")
        }
        #expect(server.requests.count == 3)
        ticker.advance(by: .seconds(1))
        _ = try? await group.send(.to())
        _ = try? await group.send(.to())
        #expect(server.requests.count == 4)
        server.behave { _ in .text("well") }
        ticker.advance(by: .seconds(2))
        #expect(try await group.send(.to()).text() == "well")
        #expect(try await group.send(.to()).text() == "well")
        #expect(group.states().map(\.state) == [.healthy])
    }

    @Test(arguments: [TransportError.late, .unanswered, TransportError(.invalidResponse, "nonsense")])
    func pageThatFailsDoesNotTakeTheOnlyServerAway(_ error: TransportError) async throws {
        let server = FakeServer { request throws(TransportError) in
            if request.path == "/bad" { throw error }
            return .text("ok")
        }
        let group = try OriginGroup.of([server])
        for _ in 0..<10 { await #expect(throws: TransportError.self) { try await group.send(.to("/bad")) } }
        #expect(try await group.send(.to()).text() == "ok")
        #expect(group.states().map(\.failures) == [10])
    }

    @Test func uploadIsNoProbeWhileAnotherRequestMayCome() async throws {
        let ticker = ManualTicker()
        let server = FakeServer(failing: .refused)
        let group = try OriginGroup.of([server], ticker: ticker)
        for _ in 0..<3 { _ = try? await group.send(.to()) }
        server.behave { _ in .text("ok") }
        ticker.advance(by: .seconds(1))
        func upload() async throws -> String {
            try await group.send(.to("/", .post), body: HTTPBody(Parts.texts("x"), length: 1)).text()
        }
        let error = await #expect(throws: TransportError.self) { try await upload() }
        #expect(error?.underlyingError is UpstreamOutage)
        #expect(server.requests.count == 3)
        ticker.advance(by: .seconds(1))
        #expect(try await upload() == "ok")
    }

    @Test func requestThatTriesADeadServerIsServedByAnother() async throws {
        let ticker = ManualTicker()
        let servers = [FakeServer(failing: .refused), FakeServer()]
        let group = try OriginGroup.of(servers, ticker: ticker)
        for _ in 0..<20 { #expect(try await group.send(.to()).text() == "ok") }
        #expect(servers[0].requests.count == 3)
        ticker.advance(by: .seconds(1))
        for _ in 0..<20 { #expect(try await group.send(.to()).text() == "ok") }
        #expect(servers[0].requests.count == 4)
        servers[0].behave { _ in .text("ok") }
        ticker.advance(by: .seconds(2))
        for _ in 0..<20 { #expect(try await group.send(.to()).text() == "ok") }
        #expect(servers[0].requests.count == 14)
    }

    @Test func exchangeIsInProgressUntilItsContentHasEnded() async throws {
        let server = FakeServer { _ in TransportResponse(head: HTTPResponse(status: .ok), body: HTTPBody(Parts.texts("a", "b"), length: nil)) }
        let group = try OriginGroup.of([server])
        do {
            let response = try await group.send(.to())
            #expect(group.states().map(\.inProgress) == [1])
            #expect(try await response.text() == "ab")
            #expect(group.states().map(\.inProgress) == [0])
        }
        _ = try await group.send(.to())
        #expect(group.states().map(\.inProgress) == [0])
    }

    @Test func contentThatBreaksOffIsAFailureOfTheServer() async throws {
        let server = FakeServer { _ in
            TransportResponse(
                head: HTTPResponse(status: .ok),
                body: HTTPBody(Parts.texts("a", failing: TransportError(.connectionClosed, "")), length: 5)
            )
        }
        let group = try OriginGroup.of([server])
        for _ in 0..<3 { _ = try? await group.send(.to()).text() }
        let state = try #require(group.states().first)
        #expect(state.failures == 3 && state.inProgress == 0)
        // The heads arrived, so the failures were not in a row.
        #expect(state.state == .healthy)
    }

    // MARK: Clients

    @Test func serversAreToldOfTheClientBehindTheCache() async throws {
        let server = FakeServer { _ in .text("ok", fields: [.vary: "X-Forwarded-For"]) }
        let group = try OriginGroup.of([server])
        let client = group.client(address: "192.0.2.1", scheme: "https", host: "shop.example")
        let response = try await group.transport(for: client).send(.to())
        #expect(server.requests.first?.headerFields[.forwarded] == "for=192.0.2.1;proto=https")
        #expect(server.requests.first?.headerFields[.xForwardedFor] == "192.0.2.1")
        #expect(response.head.headerFields[.vary] == "*")
    }

    @Test func hostIsToldOnlyIfItIsPartOfTheKey() throws {
        let server = FakeServer()
        #expect(try OriginGroup.of([server]) { $0.forwardsHost = true }.client(address: "::1", scheme: "http", host: "a")?.host == "a")
        #expect(try OriginGroup.of([server]).client(address: "::1", scheme: "http", host: "a")?.host == nil)
        #expect(try OriginGroup.of([server]) { $0.tellsOfClient = false }.client(address: "::1", scheme: "http", host: "a") == nil)
    }

    @Test func serversAreNotToldOfClientsUnlessAskedTo() async throws {
        let server = FakeServer()
        _ = try await OriginGroup.of([server]).transport(for: nil).send(.to())
        #expect(server.requests.first?.headerFields.isEmpty == true)
    }
}
