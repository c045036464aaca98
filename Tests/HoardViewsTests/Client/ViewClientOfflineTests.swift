// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import Testing

@testable import HoardViews

/// The screen that is shown when the server is away, and requests that ask the server even if a valid screen is kept.
@Suite(.timeLimit(.minutes(5))) struct ViewClientOfflineTests {
    static let away: [TransportError] = [
        TransportError(.cannotConnect, "No route."), TransportError(.timedOut, "Too late."), TransportError(.connectionClosed, "Closed."),
    ]

    @Test(arguments: away)
    func screenThatIsNotValidStandsInAndSaysSo(error: TransportError) async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin.fail(with: error)
        let view = try await harness.client.fetch("/home")
        #expect(view.title == "/home")
        #expect(view.source == .memory)
        let staleness = try #require(view.staleness)
        #expect(staleness.age == .seconds(100))
        #expect(staleness.isStandIn)
        #expect(staleness.reason == "The server is away: \(error.message)")
        #expect(harness.client.statistics.standIns == 1)
        // It is asked again as soon as that helps.
        harness.origin.fail(with: nil)
        #expect(try await harness.client.fetch("/home").source == .renewed)
    }

    @Test(arguments: [500, 502, 503, 504])
    func screenStandsInForAServerThatFails(code: Int) async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin["/home"] = .init(title: "", status: .init(code: code))
        #expect(try await harness.client.fetch("/home").staleness?.isStandIn == true)
    }

    @Test(arguments: [206, 400, 401, 403, 404, 410, 501])
    func screenDoesNotStandInForAnAnswer(code: Int) async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin["/home"] = .init(title: "", status: .init(code: code))
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.statusCode == code)
    }

    @Test(arguments: [401, 403, 404, 410])
    func screenThatTheServerHasTakenBackIsNotShownAnyMore(code: Int) async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "", status: .init(code: code))
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch(ViewRequest("/home", revalidates: true)) }
        harness.origin.fail(with: Self.away[0])
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.networkError?.code == .unreachable)
    }

    @Test func screenStandsInForTheConfiguredTimeAndNotLonger() async throws {
        var configuration = ViewClient.Configuration()
        configuration.staleIfUnreachable = .seconds(100)
        let harness = ViewHarness(configuration: configuration)
        _ = try await harness.client.fetch("/home")
        harness.origin.fail(with: Self.away[0])
        harness.time.advance(by: .seconds(159))
        #expect(try await harness.client.fetch("/home").staleness?.age == .seconds(159))
        harness.time.advance(by: .seconds(1))
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.networkError?.code == .unreachable)
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func nothingStandsInIfThatIsTurnedOff(period: Duration) async throws {
        var configuration = ViewClient.Configuration()
        configuration.staleIfUnreachable = period
        let harness = ViewHarness(configuration: configuration)
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        harness.origin.fail(with: Self.away[0])
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
    }

    @Test func nothingStandsInIfThatIsTurnedOffAlthoughTheClockIsSetBack() async throws {
        var configuration = ViewClient.Configuration()
        configuration.staleIfUnreachable = .zero
        let harness = ViewHarness()
        var dependencies = harness.client.dependencies
        dependencies.cache = CacheManager(disk: nil, clock: harness.time)
        let client = ViewClient(dependencies: dependencies, configuration: configuration, clock: harness.time, ticker: harness.time)
        _ = try await client.fetch("/home")
        harness.time.setWallClock(to: harness.time.now() - 100)
        harness.origin.fail(with: Self.away[0])
        _ = try await #require(throws: ViewError.self) { try await client.fetch("/home") }
    }

    @Test(arguments: ["max-age=60, must-revalidate", "no-cache"])
    func screenThatMustBeConfirmedDoesNotStandIn(directives: String) async throws {
        let harness = ViewHarness()
        harness.origin["/home"].fields = [.cacheControl: directives]
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        harness.origin.fail(with: Self.away[0])
        let error = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
        #expect(error.code == .network)
    }

    @Test func screenOfHTTPAloneStandsInAsHTTPAllows() async throws {
        let harness = ViewHarness()
        harness.origin["/home"].hash = nil
        harness.origin["/home"] = .init(title: "/home", hash: nil)
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin.fail(with: Self.away[0])
        let view = try await harness.client.fetch("/home")
        #expect(view.source == .memory)
        #expect(view.staleness?.isStandIn == true)
        #expect(view.staleness?.age == .seconds(100))
    }

    @Test(arguments: away)
    func screenOfHTTPAloneStandsInForAServerThatIsSlowOrBreaksOff(error: TransportError) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "/home", hash: nil, fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin.fail(with: error)
        let view = try await harness.client.fetch("/home")
        #expect(view.title == "/home")
        #expect(view.staleness?.isStandIn == true)
        #expect(view.staleness?.age == .seconds(100))
        // Not for longer than HTTP allows, and not against the server's will.
        harness.time.advance(by: .seconds(86_400))
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
    }

    @Test(arguments: away)
    func screenOfHTTPAloneThatMustBeConfirmedDoesNotStandIn(error: TransportError) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "/home", hash: nil, fields: [.cacheControl: "max-age=60, must-revalidate", .eTag: "\"1\""])
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin.fail(with: error)
        _ = try await #require(throws: ViewError.self) { try await harness.client.fetch("/home") }
    }

    /// A disk that has lost a piece of a long response: the server has it all.
    @Test func screenOfWhichAStoreHasLostAPartIsFetchedAgain() async throws {
        let title = String(repeating: "long ", count: 200_000)
        let store = MemoryStore(clock: ManualTicker())
        let before = ViewHarness(stores: [store])
        before.origin["/home"] = .init(title: title, hash: nil)
        _ = try await before.client.fetch("/home")
        await before.http.flush()
        let after = ViewHarness(stores: [LossyStore(store)])
        after.origin["/home"] = .init(title: title, hash: nil)
        let view = try await after.client.fetch("/home")
        #expect(view.title == title)
        #expect(view.source == .network)
        #expect(after.requestCount == 1)
    }

    @Test func validScreenNeedsNoServer() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.origin.fail(with: Self.away[0])
        let view = try await harness.client.fetch("/home")
        #expect(view.staleness == nil)
        #expect(harness.requestCount == 1)
    }

    // MARK: Asking whatever is kept

    @Test func revalidatingRequestAsksAlthoughTheScreenIsValid() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        #expect(try await harness.client.fetch(ViewRequest("/home", revalidates: true)).source == .renewed)
        harness.origin["/home"] = .init(title: "new", hash: "2")
        #expect(try await harness.client.fetch(ViewRequest("/home", revalidates: true)).title == "new")
        #expect(try await harness.client.fetch("/home").title == "new")
        #expect(harness.requestCount == 3)
    }

    @Test func revalidatingRequestAsksForAScreenOfHTTPAlone() async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "old", hash: nil)
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: nil)
        #expect(try await harness.client.fetch("/home").title == "old")
        #expect(try await harness.client.fetch(ViewRequest("/home", revalidates: true)).title == "new")
        #expect(try await harness.client.fetch("/home").title == "new")
    }

    @Test(arguments: ["hash", nil])
    func revalidatingRequestGetsWhatIsKeptIfTheServerIsAway(hash: String?) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "kept", hash: hash, fields: [.cacheControl: "max-age=60, must-revalidate"])
        _ = try await harness.client.fetch("/home")
        harness.origin.fail(with: Self.away[0])
        harness.time.advance(by: .seconds(5))
        let view = try await harness.client.fetch(ViewRequest("/home", revalidates: true))
        #expect(view.title == "kept")
        #expect(view.staleness?.isStandIn == true)
        #expect(view.age == .seconds(5))
        #expect(try await harness.client.fetch("/home").staleness == nil)
    }

    @Test func revalidatingRequestTakesThePlaceOfALoadThatMayNotAsk() async throws {
        let harness = ViewHarness()
        let gate = Gate()
        _ = try await harness.client.fetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: "2")
        // This client will find the valid screen, and wants to keep the component that it has decoded.
        let client = harness.restarted()
        harness.cache?.hold(lookupsAt: gate)
        let ordinary = Task { try await client.fetch("/home") }
        await gate.arrivals(1)
        harness.cache?.hold(lookupsAt: nil)
        #expect(try await client.fetch(ViewRequest("/home", revalidates: true)).title == "new")
        gate.open()
        #expect(try await ordinary.value.title == "/home")
        #expect(try await client.fetch("/home").title == "new")
        #expect(client.statistics.fencedResults == 1)
    }

    @Test(arguments: away)
    func screenOfHTTPAloneStandsInAlthoughARevalidatingRequestHasTakenThePlaceOfItsLoad(error: TransportError) async throws {
        let harness = ViewHarness()
        harness.origin["/home"] = .init(title: "/home", hash: nil, fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(100))
        harness.origin.fail(with: error)
        let hold = harness.transport.hold()
        let ordinary = Task { try await harness.client.fetch("/home") }
        await hold.arrivals(1)
        let revalidating = Task { try await harness.client.fetch(ViewRequest("/home", revalidates: true)) }
        try await waitUntil { harness.client.statistics.currentLoads == 2 }
        hold.release()
        #expect(try await ordinary.value.staleness?.isStandIn == true)
        _ = await revalidating.result
        // The kept copy is still there the next time.
        #expect(try await harness.client.fetch("/home").staleness?.isStandIn == true)
    }

    @Test func revalidatingRequestsShareOneRequestAndOthersJoinThem() async throws {
        let harness = ViewHarness()
        _ = try await harness.client.fetch("/home")
        harness.time.advance(by: .seconds(60))
        let hold = harness.transport.hold()
        let first = Task { try await harness.client.fetch(ViewRequest("/home", revalidates: true)) }
        await hold.arrivals(1)
        let others = [true, false].map { revalidates in
            Task { try await harness.client.fetch(ViewRequest("/home", revalidates: revalidates)) }
        }
        try await waitUntil { harness.client.statistics.currentWaiters == 3 }
        hold.release()
        for task in [first] + others { #expect(try await task.value.source == .renewed) }
        #expect(harness.requestCount == 2)
    }

    @Test func revalidatingRequestTakesNothingThatAPrefetchHasBrought() async throws {
        let harness = ViewHarness()
        let prefetch = try await harness.client.prefetch("/home")
        harness.origin["/home"] = .init(title: "new", hash: "2")
        #expect(try await harness.client.fetch(ViewRequest("/home", revalidates: true)).title == "new")
        #expect(prefetch.use == .unused)
        #expect(try await harness.client.fetch("/home").title == "new")
    }

    // MARK: Validators of HTTP

    @Test func screenThatHTTPHasConfirmedIsRenewed() async throws {
        let harness = ViewHarness()
        let time = harness.time
        let transport = FakeTransport { request in
            let isKnown = request.head.headerFields[.ifNoneMatch] == #""a""#
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: #""a""#, .date: HTTPDate(time.now()).description]
            return .text(isKnown ? "" : #"{"title": "terms"}"#, status: isKnown ? .notModified : .ok, fields: fields)
        }
        var dependencies = harness.client.dependencies
        dependencies.client = CachingClient(transport: transport, cache: harness.http, ticker: time)
        let client = ViewClient(dependencies: dependencies, clock: time, ticker: time)
        #expect(try await client.fetch("/terms").source == .network)
        time.advance(by: .seconds(60))
        let renewed = try await client.fetch("/terms")
        #expect(renewed.source == .renewed)
        #expect(renewed.title == "terms")
        #expect(renewed.age == .zero)
        #expect(try await client.fetch("/terms").source == .memory)
        #expect(client.statistics.renewals == 1)
        #expect(harness.coder.decodeCount == 1)
    }
}
