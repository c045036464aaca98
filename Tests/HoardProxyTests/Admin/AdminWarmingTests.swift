// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardTesting
import Logging
import Testing

@testable import HoardProxy

/// Warming by the admin server.
@Suite(.timeLimit(.minutes(1))) struct AdminWarmingTests {
    private static let json: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]

    /// Pages that may be stored, two sitemaps, and what fails.
    private let server = FakeServer { request in
        switch request.path {
        case "/sitemap.xml":
            .text("<urlset><url><loc>http://public.test/a</loc></url><url><loc>http://public.test/b?x=1&amp;y=2</loc></url></urlset>")
        case "/own": .text("mine", fields: [.cacheControl: "no-store"])
        case "/gone": .text("no", status: .gone)
        default: .text("page", fields: [.cacheControl: "max-age=600"])
        }
    }

    private static func warming(_ group: OriginGroup, _ cache: HTTPCache, _ time: ManualTicker, forwardsHost: Bool = false) throws -> ProxyWarming {
        let route = ProxyRoute(.init(upstream: "test"), origin: try Origin("http://0.test"), group: group)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let handler = ProxyHandler(routes: CurrentRoutes(RouteTable([route])), name: "test", cache: cache, logger: logger)
        return ProxyWarming(handler: handler, ticker: time)
    }

    private func makeHarness(forwardsHost: Bool = false) throws -> AdminHarness {
        try AdminHarness { cache, time in
            try Self.warming(OriginGroup.of([server]) { $0.forwardsHost = forwardsHost }, cache, time)
        }
    }

    private func warm(_ harness: AdminHarness, _ body: String, _ fields: HTTPFields = json) async throws -> AdminHarness.Reply {
        try await harness.send(.post, "/api/warm", fields, body: body)
    }

    /// The progress when the warm-up is over.
    private func result(_ harness: AdminHarness, _ body: String) async throws -> ProxyWarming.Progress {
        #expect(try await warm(harness, body).code == 202)
        await harness.handler.services.warming?.waitUntilOver()
        let progress = try #require(harness.handler.services.warming?.progress)
        #expect(!progress.isRunning)
        return progress
    }

    @Test func whatIsNamedIsStoredAndTheNextTimeItIsThere() async throws {
        let harness = try makeHarness()
        #expect(try await harness.send(.get, "/api/warm").json["isRunning"] as? Bool == false)
        let body = #"{"urls":["/a","/a","http://public.test/c","/own"],"concurrency":2,"fields":{"Accept-Language":"pt"}}"#
        let first = try await result(harness, body)
        // A path is one of any host; the two URLs of /a and /c are asked for once each.
        #expect(first.total == 3 && first.report.stored == 2 && first.report.notStored == 1 && first.report.failed == 0)
        #expect(server.requests.allSatisfy { $0.headerFields[.acceptLanguage] == "pt" && $0.authority == "0.test" })
        let second = try await result(harness, body)
        #expect(second.report.hits == 2 && second.report.notStored == 1)
        #expect(server.requests.count { $0.path == "/a" } == 1)
        let told = try await harness.send(.get, "/api/warm").json
        #expect(told["total"] as? Int == 3 && (told["report"] as? [String: any Sendable])?["hits"] as? Int == 2)
    }

    @Test func sitemapIsAskedForThroughTheProxy() async throws {
        let harness = try makeHarness()
        let progress = try await result(harness, #"{"sitemaps":["/sitemap.xml"]}"#)
        #expect(progress.total == 2 && progress.report.stored == 2)
        #expect(Set(server.requests.compactMap(\.path)) == ["/sitemap.xml", "/a", "/b?x=1&y=2"])
    }

    @Test func failuresAreNamedAndTheOthersAreWarmedAllTheSame() async throws {
        let harness = try makeHarness()
        let progress = try await result(harness, #"{"urls":["/gone","ftp://a/b","/a"],"sitemaps":["/gone","nothing"]}"#)
        #expect(progress.report.stored == 1 && progress.report.failed == 2 && progress.total == 3)
        #expect(
            progress.failures == [
                .init(url: "ftp://a/b", reason: "This is neither a path nor an http or https URL with a host."),
                .init(url: "/gone", reason: "The sitemap http://localhost/gone cannot be read: status 410."),
                .init(url: "nothing", reason: "This is neither a path nor an http or https URL with a host."),
                .init(url: "http://localhost/gone", reason: "status 410"),
            ]
        )
    }

    @Test func pathAloneSaysTooLittleWhereHostsMatter() async throws {
        let harness = try makeHarness(forwardsHost: true)
        let progress = try await result(harness, #"{"urls":["/a","http://one.test/a"]}"#)
        #expect(progress.report.failed == 1 && progress.report.stored == 1)
        #expect(progress.failures.first?.reason == "What is stored for this path depends on the host; give the URL with its host.")
        #expect(server.requests.map(\.authority) == ["one.test"])
    }

    @Test func onlyOneRunsAtATimeAndItCanBeEnded() async throws {
        let gate = Gate()
        let harness = try AdminHarness { cache, time in
            let upstream = CachingProxy.Configuration.Upstream(name: "test", servers: [try Origin("http://0.test")])
            let held = HeldServer(gate)
            let links = [OriginLink(try Origin("http://0.test"), transport: held, checkTransport: held)]
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            return try Self.warming(OriginGroup(upstream, links: links, ticker: time, logger: logger), cache, time)
        }
        let body = #"{"urls":["/a","/b","/c"],"concurrency":1}"#
        let begun = try await warm(harness, body)
        #expect(begun.code == 202)
        #expect(try begun.json["isRunning"] as? Bool == true)
        await gate.arrivals(1)
        #expect(try await warm(harness, body).code == 409)
        #expect(try await harness.send(.get, "/api/warm").json["total"] as? Int == 3)
        #expect(try await harness.send(.delete, "/api/warm").code == 401)
        let ended = try await harness.send(.delete, "/api/warm", Self.json).json
        #expect(ended["isRunning"] as? Bool == false && ended["isCancelled"] as? Bool == true)
        #expect((ended["report"] as? [String: any Sendable])?["urls"] as? Int == 0)
        gate.open()
        let next = try await result(harness, body)
        #expect(next.report.urls == 3 && !next.isCancelled)
    }

    @Test(arguments: [
        ("", 400, "must be an object"), ("[]", 400, "must be an object"), (#"{"urls":"/a"}"#, 400, "must be an object"),
        ("{}", 400, "nothing to ask for"),
        (#"{"url":["/a"]}"#, 400, "no member “url”"), (#"{"urls":["/a"],"concurrency":0}"#, 400, "from 1 to 1000"),
        (#"{"urls":["/a"],"rate":0}"#, 400, "above 0"), (#"{"urls":["/a"],"fields":{"a b":"c"}}"#, 400, "no field “a b”"),
        (#"{"urls":["/a"],"fields":{"a":"b\r\nc: d"}}"#, 400, "no field “a”"),
    ])
    func whatMakesNoSenseIsRefusedInASentence(body: String, code: Int, sentence: String) async throws {
        let harness = try makeHarness()
        let reply = try await warm(harness, body)
        #expect(reply.code == code && reply.text.contains(sentence), "\(reply.text)")
        #expect(harness.handler.services.warming?.progress == nil)
    }

    @Test func itTakesTheToken() async throws {
        let harness = try makeHarness()
        #expect(try await warm(harness, #"{"urls":["/a"]}"#, [.contentType: "application/json"]).code == 401)
        #expect(try await warm(harness, #"{"urls":["/a"]}"#, [.authorization: "Bearer secret"]).code == 415)
        #expect(try await harness.send(.put, "/api/warm", Self.json).code == 405)
        #expect(server.requests.isEmpty)
    }

    @Test func readinessWaitsForTheWarmUpOfTheStartButNotForEver() async throws {
        let (gate, time) = (Gate(), ManualTicker())
        let upstream = CachingProxy.Configuration.Upstream(name: "test", servers: [try Origin("http://0.test")])
        let held = HeldServer(gate)
        let links = [OriginLink(try Origin("http://0.test"), transport: held, checkTransport: held)]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let cache = HTTPCache()
        let warming = try Self.warming(OriginGroup(upstream, links: links, ticker: time, logger: logger), cache, time)
        #expect(warming.reasonToWait == nil)
        var warmUp = CachingProxy.Configuration.WarmUp()
        warmUp.sitemaps = ["/sitemap.xml"]
        warmUp.maximumReadinessWait = .seconds(30)
        try warming.begin(warmUp)
        await gate.arrivals(1)
        #expect(warming.reasonToWait == "The cache is being warmed: 0 of an unknown number of URLs have been asked for.")
        time.advance(by: .seconds(30))
        #expect(warming.reasonToWait == nil && warming.progress?.isRunning == true)
        await warming.end()
        #expect(warming.progress?.isRunning == false)
        #expect(!warming.start(.init(urls: ["/a"])))
        gate.open()
        await cache.close()
    }
}

/// A server that answers when a gate is opened, which cancelling does, too.
private struct HeldServer: ReconnectingTransport {
    let gate: Gate

    init(_ gate: Gate) {
        self.gate = gate
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        await withTaskCancellationHandler {
            await gate.pass()
        } onCancel: {
            gate.open()
        }
        if Task.isCancelled { throw TransportError(.cancelled, "cancelled") }
        return .text("page", fields: [.cacheControl: "max-age=600"])
    }

    func sendOnNewConnection(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: body, onInterimResponse: onInterimResponse)
    }
}
