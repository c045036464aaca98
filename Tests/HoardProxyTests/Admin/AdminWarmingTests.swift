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

    /// Pages that may be stored, two sitemaps, and pages that fail.
    private let server = FakeServer { request in
        switch request.path {
        case "/sitemap.xml":
            .text("<urlset><url><loc>http://public.test/a</loc></url><url><loc>http://public.test/b?x=1&amp;y=2</loc></url></urlset>")
        case "/own": .text("mine", fields: [.cacheControl: "no-store"])
        case "/gone": .text("no", status: .gone)
        default: .text("page", fields: [.cacheControl: "max-age=600"])
        }
    }

    private static func warming(
        _ group: OriginGroup,
        _ cache: HTTPCache,
        _ time: ManualTicker,
        hosts: [String] = [],
        schemes: Set<String> = ["http"]
    ) throws -> ProxyWarming {
        var configuration = CachingProxy.Configuration.Route(upstream: "test")
        configuration.hosts = hosts
        let route = ProxyRoute(configuration, origin: try Origin("http://0.test"), group: group)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let table = RouteTable([route], clientSchemes: schemes)
        return ProxyWarming(handler: ProxyHandler(routes: CurrentRoutes(table), name: "test", cache: cache, logger: logger), ticker: time)
    }

    private func makeHarness(forwardsHost: Bool = false, hosts: [String] = [], schemes: Set<String> = ["http"]) throws -> AdminHarness {
        try AdminHarness { cache, time in
            try Self.warming(OriginGroup.of([server]) { $0.forwardsHost = forwardsHost }, cache, time, hosts: hosts, schemes: schemes)
        }
    }

    /// One server that answers when a gate is opened.
    private static func held(_ gate: Gate, then second: Gate? = nil, _ cache: HTTPCache, _ time: ManualTicker) throws -> ProxyWarming {
        let upstream = CachingProxy.Configuration.Upstream(name: "test", servers: [try Origin("http://0.test")])
        let server = HeldServer(gate: gate, gateOfB: second ?? gate)
        let links = [OriginLink(try Origin("http://0.test"), transport: server, checkTransport: server)]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try warming(OriginGroup(upstream, links: links, ticker: time, logger: logger), cache, time)
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
                .init(url: "http://localhost/gone", reason: "The sitemap http://localhost/gone cannot be read: status 410."),
                .init(url: "nothing", reason: "This is neither a path nor an http or https URL with a host."),
                .init(url: "http://localhost/gone", reason: "status 410"),
            ]
        )
    }

    @Test func pathAloneSaysTooLittleWhereHostsMatter() async throws {
        let harness = try makeHarness(forwardsHost: true)
        let progress = try await result(harness, #"{"urls":["/a","http://one.test/a"]}"#)
        #expect(progress.report.failed == 1 && progress.report.stored == 1)
        #expect(progress.failures.first?.reason == "What is asked for by this path depends on the host; give the URL with its host.")
        #expect(server.requests.map(\.authority) == ["one.test"])
    }

    @Test func onlyOneRunsAtATimeAndItCanBeEnded() async throws {
        let gate = Gate()
        let harness = try AdminHarness { try Self.held(gate, $0, $1) }
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
        (#"{"urls":["/a"],"rate":0}"#, 400, "from 0.001 to 1000000"), (#"{"urls":["/a"],"rate":1e-300}"#, 400, "from 0.001"),
        (#"{"urls":["/a"],"fields":{"a b":"c"}}"#, 400, "no field “a b”"),
        (#"{"urls":["/a"],"fields":{"a":"b\r\nc: d"}}"#, 400, "no field “a”"),
        (#"{"urls":["/a"],"fields":{"Host":"b"}}"#, 400, "belongs to the message"),
        (#"{"urls":["/a"],"fields":{"A":"b","a":"c"}}"#, 400, "there twice"),
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

    @Test func pathIsAskedForAsClientsCome() async throws {
        for (schemes, url, told) in [
            (["http"], "/a", "http"), (["http"], "https://public.test/a", "http"), (["https"], "/a", "https"),
            (["https"], "http://public.test/a", "https"),
            (["http", "https"], "/a", "https"), (["http", "https"], "http://public.test/a", "http"),
        ] as [(Set<String>, String, String)] {
            let harness = try makeHarness(schemes: schemes)
            #expect(try await result(harness, #"{"urls":["\#(url)"]}"#).report.urls == 1)
            #expect(server.requests.last?.headerFields[.xForwardedProto] == told, "\(schemes), \(url)")
        }
    }

    @Test func pathOfAProxyWithHostsOnlyNeedsOne() async throws {
        let harness = try makeHarness(hosts: ["one.test"])
        let progress = try await result(harness, #"{"urls":["/a","http://one.test/a"]}"#)
        #expect(progress.report.failed == 1 && progress.report.stored == 1)
        #expect(progress.failures.first?.reason.contains("depends on the host") == true)
    }

    @Test func whatIsStrangeInASitemapDoesNotTakeTheRestWithIt() async throws {
        server.behave { request in
            switch request.path {
            case "/index.xml": .text("<sitemapindex><loc>http://a.test/gone</loc><loc>http://a.test/good.xml</loc><loc>page</loc></sitemapindex>")
            case "/good.xml": .text("<urlset><loc>http://a.test/1</loc><loc>/2</loc><loc>mailto:a</loc><loc>http://a.test/3</loc></urlset>")
            case "/page": .text("<html></html>")
            case "/gone": .text("", status: .gone)
            default: .text("page", fields: [.cacheControl: "max-age=600"])
            }
        }
        let progress = try await result(try makeHarness(), #"{"sitemaps":["/index.xml","/page"]}"#)
        #expect(progress.report.stored == 2 && progress.report.failed == 0 && progress.failedSitemaps == 4)
        #expect(
            progress.failures.map(\.reason) == [
                "The sitemap http://localhost/index.xml names “page”, which is not an http or https URL with a host.",
                "The sitemap http://a.test/gone cannot be read: status 410.",
                "The sitemap http://a.test/good.xml names “/2”, which is not an http or https URL with a host, and 1 more of that kind.",
                "What is at http://localhost/page is neither a sitemap nor a list of URLs.",
            ]
        )
    }

    @Test func rateIsKeptAndResultsAreToldAsTheyCome() async throws {
        let harness = try makeHarness()
        #expect(try await warm(harness, #"{"urls":["/a","/b","/c"],"rate":0.1,"concurrency":100}"#).code == 202)
        let warming = try #require(harness.handler.services.warming)
        for count in 1...2 {
            try await waitUntil { warming.progress?.report.urls == count }
            #expect(server.requests.count == count)
            await harness.time.sleepers(3 - count)
            harness.time.advance(by: .seconds(9))
            #expect(server.requests.count == count)
            harness.time.advance(by: .seconds(1))
        }
        await warming.waitUntilOver()
        #expect(warming.progress?.report.stored == 3 && warming.progress?.report.milliseconds == 20_000)
        // URLs that have ended before the warm-up is ended count.
        #expect(try await warm(harness, #"{"urls":["/d","/e"],"rate":0.1}"#).code == 202)
        try await waitUntil { warming.progress?.report.urls == 1 }
        await warming.cancel()
        #expect(warming.progress?.report.stored == 1 && warming.progress?.failures == [])
    }

    @Test func longTextsOfOthersAreCut() async throws {
        let harness = try makeHarness()
        let progress = try await result(harness, #"{"urls":["\#(String(repeating: "x", count: 100_000))"]}"#)
        #expect(progress.failures.first?.url.count == 1_001)
    }

    // MARK: The start

    private func warmUp(_ urls: [String], wait: Duration = .seconds(30)) -> ProxyWarming.Request {
        .init(urls: urls, readinessWait: wait)
    }

    /// Half a second whenever the warm-up waits, until it is over.
    private func letTimePass(_ time: ManualTicker, for warming: ProxyWarming) async throws {
        while warming.progress?.isRunning == true {
            try await waitUntil { time.sleeperCount > 0 || warming.progress?.isRunning == false }
            time.advance(by: .milliseconds(500))
        }
    }

    @Test func readinessWaitsForTheWarmUpOfTheStartButNotForEver() async throws {
        let (gate, time, cache) = (Gate(), ManualTicker(), HTTPCache())
        let warming = try Self.held(gate, cache, time)
        #expect(warming.reasonToWait == nil)
        #expect(warming.start(.init(sitemaps: ["/sitemap.xml"], readinessWait: .seconds(30))) == .begun)
        await gate.arrivals(1)
        #expect(warming.reasonToWait == "The cache is being warmed: 0 of an unknown number of URLs have been asked for.")
        time.advance(by: .seconds(30))
        #expect(warming.reasonToWait == nil && warming.progress?.isRunning == true)
        warming.stop()
        await warming.waitUntilOver()
        #expect(warming.progress?.isRunning == false && warming.progress?.failures == [])
        #expect(warming.start(warmUp(["/a"])) == .isEnding)
        await cache.close()
    }

    @Test func whatNoServerCouldAnswerIsAskedForAgainWhileReadinessWaits() async throws {
        let (time, cache) = (ManualTicker(), HTTPCache())
        server.behave { _ throws(TransportError) in throw .refused }
        let warming = try Self.warming(OriginGroup.of([server], ticker: time), cache, time)
        #expect(warming.start(.init(urls: ["/a"], sitemaps: ["/sitemap.xml"], readinessWait: .seconds(60))) == .begun)
        await time.sleepers(1)
        #expect(warming.progress?.report.failed == 0 && warming.progress?.failedSitemaps == 0 && warming.reasonToWait != nil)
        server.behave { request in
            request.path == "/sitemap.xml"
                ? .text("http://public.test/b") : .text("page", fields: [.cacheControl: "max-age=600"])
        }
        // The upstream's own pause after failures is over by then, too.
        try await letTimePass(time, for: warming)
        await warming.waitUntilOver()
        #expect(warming.progress?.report.stored == 2 && warming.progress?.failures == [] && warming.progress?.total == 2)
        await cache.close()
    }

    @Test func whatFailsUntilTheWaitIsOverHasFailed() async throws {
        let (time, cache) = (ManualTicker(), HTTPCache())
        server.behave { _ in .text("no", status: .serviceUnavailable) }
        let warming = try Self.warming(OriginGroup.of([server], ticker: time), cache, time)
        #expect(warming.start(.init(urls: ["/a"], sitemaps: ["/sitemap.xml"], readinessWait: .seconds(5))) == .begun)
        try await letTimePass(time, for: warming)
        #expect(warming.progress?.report.failed == 1 && warming.progress?.failedSitemaps == 1)
        #expect(time.nanoseconds() < 13_000_000_000 && server.requests.count > 4)
        await cache.close()
    }

    @Test func anotherWarmUpTakesThePlaceOfTheOneUnderWay() async throws {
        let (gate, second, time, cache) = (Gate(), Gate(), ManualTicker(), HTTPCache())
        let warming = try Self.held(gate, then: second, cache, time)
        #expect(warming.start(warmUp(["/a"])) == .begun)
        await gate.arrivals(1)
        time.advance(by: .seconds(10))
        warming.replace(with: warmUp(["/b", "/c"], wait: .seconds(15)))
        #expect(warming.start(warmUp(["/d"])) == .isRunning, "nothing comes in between")
        second.open()
        await warming.waitUntilOver()
        await warming.waitUntilOver()
        #expect(warming.progress?.isRunning == false && warming.progress?.isCancelled == false && warming.progress?.report.stored == 2)
        // Without one, the one under way only ends.
        #expect(warming.start(warmUp(["/e"])) == .begun)
        warming.replace(with: nil)
        await warming.waitUntilOver()
        #expect(warming.progress?.isRunning == false)
        await cache.close()
    }

    @Test func readinessWaitsAsLongSinceTheStartAsTheNewSettingsSay() async throws {
        let (gate, time, cache) = (Gate(), ManualTicker(), HTTPCache())
        let warming = try Self.held(gate, cache, time)
        #expect(warming.start(warmUp(["/a"])) == .begun)
        await gate.arrivals(1)
        time.advance(by: .seconds(10))
        #expect(warming.reasonToWait != nil)
        warming.replace(with: warmUp(["/b"], wait: .zero))
        await warming.waitUntilOver()
        #expect(warming.reasonToWait == nil)
        await cache.close()
    }
}

/// A server that answers when a gate is opened, which cancelling does, too.
private struct HeldServer: ReconnectingTransport {
    let gate: Gate
    /// The gate for the page /b.
    let gateOfB: Gate

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let gate = request.path == "/b" ? gateOfB : gate
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
