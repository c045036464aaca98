// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardDisk
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardSimulator
import HoardTesting
import HoardTransports
import Logging
import NIOCore
import Synchronization
import Testing

@testable import HoardProxy

/// The proxy put together: sockets, routes, upstreams, reloading.
@Suite(.timeLimit(.minutes(1))) struct CachingProxyTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a proxy on a free port before origins that answer with their name and the request that they got.
    private func withProxy(
        names: [String] = ["a"],
        fields: HTTPFields = [.cacheControl: "max-age=600"],
        configure: (inout CachingProxy.Configuration) -> Void = { _ in },
        _ body: (CachingProxy, Probe) async throws -> Void
    ) async throws {
        var servers: [HTTPServer] = []
        var upstreams: [CachingProxy.Configuration.Upstream] = []
        for name in names {
            let server = try await HTTPServer.start { request in
                HTTPServerResponse(
                    head: HTTPResponse(status: .ok, headerFields: fields),
                    body: HTTPBody("\(name) \(request.head.authority ?? "") \(request.head.path ?? "")")
                )
            }
            servers.append(server)
            upstreams.append(.init(name: name, servers: [try Origin("http://127.0.0.1:\(server.port)")]))
        }
        var configuration = CachingProxy.Configuration(upstreams: upstreams)
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        configuration.eventLoopCount = 1
        configure(&configuration)
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
        let probe = Probe(proxy.urls.first ?? "")
        let result: Result<Void, any Error>
        do { result = .success(try await body(proxy, probe)) } catch { result = .failure(error) }
        await probe.stop()
        await proxy.shutdown(gracePeriod: .zero)
        for server in servers { await server.shutdown(gracePeriod: .zero) }
        try result.get()
    }

    @Test func requestsTakeTheirRoutes() async throws {
        try await withProxy(
            names: ["app", "files"],
            configure: { configuration in
                var files = CachingProxy.Configuration.Route(upstream: "files")
                files.pathPrefix = "/files/"
                configuration.routes.insert(files, at: 0)
            }
        ) { (_: CachingProxy, probe: Probe) async throws in
            #expect(try await probe.get("/files/x").text.hasPrefix("files "))
            #expect(try await probe.get("/x").text.hasPrefix("app "))
            #expect(try await probe.get("/files/x").cacheStatus.contains("hit"))
        }
    }

    @Test func warmUpOfTheStartHasTheFirstClientHit() async throws {
        let list = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).urls")
        defer { try? FileManager.default.removeItem(at: list) }
        try Data("# pages\n/a\nhttp://any.test/b\n".utf8).write(to: list)
        try await withProxy(configure: { configuration in
            configuration.warmUp = .init()
            configuration.warmUp?.urlsPath = list.path
            configuration.admin = .init(address: .tcp(host: "127.0.0.1", port: 0))
        }) { (proxy: CachingProxy, probe: Probe) async throws in
            await proxy.warming.waitUntilOver()
            #expect(proxy.warming.progress?.report.stored == 2)
            #expect(try await probe.get("/a").cacheStatus.contains("hit"))
            #expect(try await probe.get("/b").cacheStatus.contains("hit"))
            #expect(try await probe.get("/c").cacheStatus.contains("fwd=uri-miss"))
            let admin = Probe(try #require(proxy.adminAddress))
            let told = try await admin.get("/api/statistics").text
            #expect(told.contains(#""warmUp":{"#) && told.contains(#""stored":2"#), "\(told)")
            #expect(try await admin.get("/readyz").status == 200)
            await admin.stop()
            // Only requests of clients are counted.
            #expect(proxy.recorder.statistics.snapshot().requests.total == 3)
            var other = proxy.configuration
            try Data("/d".utf8).write(to: list)
            try await proxy.reload(other)
            #expect(proxy.warming.progress?.total == 2, "the settings are the same")
            other.warmUp?.concurrency = 1
            try await proxy.reload(other)
            await proxy.warming.waitUntilOver()
            #expect(try await probe.get("/d").cacheStatus.contains("hit"))
            var broken = other
            broken.warmUp?.urlsPath = list.path + ".none"
            broken.limits.headerFieldCount = 3
            await #expect(throws: ProxyError.self) { try await proxy.reload(broken) }
            #expect(proxy.configuration.warmUp == other.warmUp && proxy.configuration.limits == other.limits, "everything stays as it was")
        }
        await #expect(throws: ProxyError.self) {
            try await withProxy(configure: { configuration in
                configuration.warmUp = .init()
                configuration.warmUp?.urlsPath = list.path + ".none"
            }) { (_: CachingProxy, _: Probe) in }
        }
    }

    @Test(arguments: [(0, nil), (-1, nil), (8, 0), (8, -1), (8, .nan)] as [(Int, Double?)])
    func warmUpThatMakesNoSenseIsRefused(_ concurrency: Int, _ rate: Double?) throws {
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:1"))
        var warmUp = CachingProxy.Configuration.WarmUp()
        (warmUp.concurrency, warmUp.rate) = (concurrency, rate)
        configuration.warmUp = warmUp
        let error = try #require(throws: ProxyError.self) { try CachingProxy.checkFiles(of: configuration) }
        #expect(error.code == .invalidConfiguration && error.message.contains("warm-up"))
    }

    @Test func proxyEndsDuringItsWarmUp() async throws {
        let server = try await ScriptedServer.start { _ in [] }
        var configuration = CachingProxy.Configuration(
            upstreams: [.init(name: "a", servers: [try Origin("http://127.0.0.1:\(server.port)")])]
        )
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        configuration.warmUp = .init()
        configuration.warmUp?.sitemaps = ["/sitemap.xml"]
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
        try await waitUntil { server.requests.value == 1 }
        await proxy.shutdown(gracePeriod: .zero)
        #expect(proxy.warming.progress?.isRunning == false)
    }

    /// A background revalidation has no client whose end it could have.
    @Test func theEndDoesNotWaitForAnUpstreamThatWasReplaced() async throws {
        let time = ManualTicker()
        let asked = Counter()
        let origin = try await HTTPServer.start(clock: time) { _ in
            asked.increment()
            if asked.value > 1 { await waitForCancellation() }
            return .text("ok", .ok, [.cacheControl: "max-age=1, stale-while-revalidate=600"])
        }
        var upstream = CachingProxy.Configuration.Upstream(name: "a", servers: [try Origin("http://127.0.0.1:\(origin.port)")])
        // Longer than the test may take.
        upstream.responseTimeout = .seconds(600)
        var configuration = CachingProxy.Configuration(upstreams: [upstream])
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [], clock: time, ticker: time, logger: Self.logger)
        let probe = Probe(proxy.urls.first ?? "")
        #expect(try await probe.get("/x").status == 200)
        time.advance(by: .seconds(2))
        #expect(try await probe.get("/x").status == 200)
        try await waitUntil { asked.value == 2 }
        configuration.upstreams[0].responseTimeout = .seconds(601)
        try await proxy.reload(configuration)
        await probe.stop()
        await proxy.shutdown(gracePeriod: .zero)
        await origin.shutdown(gracePeriod: .zero)
    }

    @Test func unknownHostsAndPathsAreRefused() async throws {
        try await withProxy(configure: { configuration in
            configuration.routes[0].hosts = ["example.com"]
            configuration.routes[0].pathPrefix = "/a"
        }) { (_: CachingProxy, probe: Probe) async throws in
            #expect(try await probe.get("/a").status == 421)
            #expect(try await probe.get("/b", host: "example.com").status == 404)
            let reply = try await probe.get("/a", host: "example.com")
            #expect(reply.status == 200)
            #expect(!reply.text.contains("example.com"), "the origin is asked by its own name")
        }
    }

    @Test func ignoredParametersShareAnEntry() async throws {
        try await withProxy(configure: {
            $0.routes[0].policy.ignoredQueryParameters = ["utm_*"]
        }) { (proxy: CachingProxy, probe: Probe) async throws in
            #expect(try await probe.get("/x?utm_source=a&b=1").text.hasSuffix("/x?utm_source=a&b=1"))
            #expect(try await probe.get("/x?b=1").cacheStatus.contains("hit"))
            #expect(try await probe.get("/x?b=1&utm_source=c").cacheStatus.contains("hit"))
            let target = try #require(proxy.cacheURI(for: "/x?utm_source=z&b=1"))
            await proxy.cache.remove(target.uri, policy: target.policy)
            #expect(try await probe.get("/x?b=1").cacheStatus.contains("uri-miss"))
        }
    }

    @Test func aRouteMayGiveResponsesALifetimeAndAnotherBypassTheCache() async throws {
        try await withProxy(
            fields: [.cacheControl: "no-store"],
            configure: { configuration in
                var bypass = CachingProxy.Configuration.Route(upstream: "a")
                (bypass.pathPrefix, bypass.policy.isBypassed) = ("/live", true)
                configuration.routes[0].policy.lifetime = .always(.seconds(60))
                configuration.routes.insert(bypass, at: 0)
            }
        ) { (_: CachingProxy, probe: Probe) async throws in
            _ = try await probe.get("/x")
            let hit = try await probe.get("/x")
            #expect(hit.cacheStatus.contains("hit"))
            #expect(hit.fields[.hoardPolicy] == nil && hit.fields[.cacheControl] == "no-store")
            for _ in 1...2 { #expect(try await probe.get("/live").cacheStatus.contains("fwd=bypass")) }
        }
    }

    @Test func aReloadChangesRoutesAndKeepsConnectionsAndCache() async throws {
        try await withProxy(
            names: ["a", "b"],
            configure: {
                $0.routes = [.init(upstream: "a")]
            }
        ) { (proxy: CachingProxy, probe: Probe) async throws in
            #expect(try await probe.get("/x").text.hasPrefix("a "))
            var configuration = proxy.configuration
            var route = CachingProxy.Configuration.Route(upstream: "b")
            route.pathPrefix = "/b"
            configuration.routes.insert(route, at: 0)
            #expect(try await proxy.reload(configuration) == [])
            #expect(try await probe.get("/b").text.hasPrefix("b "))
            #expect(try await probe.get("/x").cacheStatus.contains("hit"))
            #expect(proxy.server.acceptedConnectionCount == 1, "the connection of before goes on")
        }
    }

    @Test func aBadReloadChangesNothing() async throws {
        try await withProxy { (proxy: CachingProxy, probe: Probe) async throws in
            var configuration = proxy.configuration
            configuration.routes = [.init(upstream: "nowhere")]
            configuration.limits.connectionCount = 5
            await #expect(throws: ProxyError.self) { try await proxy.reload(configuration) }
            configuration.routes = proxy.configuration.routes
            configuration.limits.headerFieldCount = 0
            await #expect(throws: ProxyError.self) { try await proxy.reload(configuration) }
            #expect(try await probe.get("/x").status == 200)
            #expect(proxy.configuration.limits == .init())
        }
    }

    @Test func whatNeedsARestartIsNamedAndKept() async throws {
        try await withProxy { (proxy: CachingProxy, _: Probe) async throws in
            var configuration = proxy.configuration
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 1))]
            configuration.cache.name = "other"
            configuration.eventLoopCount = 7
            configuration.limits.connectionCount = 77
            #expect(try await proxy.reload(configuration) == ["listen", "cache.name", "event-loops"])
            #expect(proxy.configuration.limits.connectionCount == 77)
            #expect(proxy.configuration.cache.name == "hoard" && proxy.configuration.eventLoopCount == 1)
            #expect(proxy.server.maximumConnectionCount == 77)
        }
    }

    @Test func memoryGetsAnotherSizeByReloadingAndKeepsWhatItHas() async throws {
        try await withProxy { (proxy: CachingProxy, probe: Probe) async throws in
            for number in 0..<20 { _ = try await probe.get("/\(number)") }
            var configuration = proxy.configuration
            configuration.cache.maximumMemoryBytes = 1 << 30
            #expect(try await proxy.reload(configuration) == [])
            #expect(proxy.cache.maximumMemoryBytes == 1 << 30 && proxy.configuration.cache.maximumMemoryBytes == 1 << 30)
            #expect(proxy.cache.memoryStatistics.evictions == 0)
            #expect(try await probe.get("/7").cacheStatus.contains("hit"))
            let held = proxy.cache.memoryByteCount
            configuration.cache.maximumMemoryBytes = held / 2
            #expect(try await proxy.reload(configuration) == [])
            #expect(proxy.cache.memoryByteCount <= held / 2 && proxy.cache.memoryByteCount > 0)
            #expect(proxy.recorder.statistics.cacheByteCount == held / 2)
            await #expect(throws: ProxyError.self) { try await proxy.resize(diskBytes: 1) }
            await #expect(throws: ProxyError.self) { try await proxy.resize(memoryBytes: -1) }
        }
    }

    @Test func diskGetsAnotherSizeWhileTheProxyServes() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try DiskStore(configuration: .init(directory: directory))
        let origin = try await HTTPServer.start { _ in .text("origin", .ok, [.cacheControl: "max-age=600"]) }
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:\(origin.port)"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let proxy = try await CachingProxy.start(configuration: configuration, stores: [store], logger: Self.logger)
        let probe = Probe(proxy.urls[0])
        for number in 0..<20 { _ = try await probe.get("/\(number)") }
        await proxy.cache.flush()
        let held = try #require(await proxy.cache.figures().disk)
        #expect(held.entries >= 20)
        try await proxy.resize(diskBytes: held.bytes / 2)
        let left = try #require(await proxy.cache.figures().disk)
        #expect(left.limit == held.bytes / 2 && left.bytes <= held.bytes / 2 && left.entries > 0)
        #expect(try await probe.get("/0").status == 200)
        await probe.stop()
        await proxy.shutdown(gracePeriod: .zero)
        await origin.shutdown(gracePeriod: .zero)
    }

    @Test func whatNewFieldsHaveNotSelectedIsGivenToNobody() async throws {
        try await withProxy { (proxy: CachingProxy, probe: Probe) async throws in
            _ = try await probe.get("/x")
            #expect(try await probe.get("/x").cacheStatus.contains("hit"))
            var configuration = proxy.configuration
            configuration.routes[0].policy.keyFields = [.acceptLanguage]
            try await proxy.reload(configuration)
            for language in ["fi", "sv"] {
                let fields: HTTPFields = [.acceptLanguage: language]
                #expect(try await probe.get("/x", fields).cacheStatus.contains("fwd=vary-miss"))
                #expect(try await probe.get("/x", fields).cacheStatus.contains("hit"))
            }
            #expect(try await probe.get("/x").cacheStatus.contains("fwd=vary-miss"))
            #expect(try await probe.get("/x").cacheStatus.contains("hit"))
        }
    }

    @Test func clientsCannotPutOneUpstreamsResponsesInTheNameOfAnother() async throws {
        try await withProxy(
            names: ["app", "media"],
            configure: { configuration in
                configuration.upstreams[0].forwardsHost = true
                var media = CachingProxy.Configuration.Route(upstream: "media")
                media.hosts = ["media.example.com"]
                configuration.routes = [media, .init(upstream: "app")]
            }
        ) { (proxy: CachingProxy, probe: Probe) async throws in
            let server = try #require(proxy.configuration.upstreams[1].servers.first?.authority)
            #expect(try await probe.get("/x", host: server).status == 421)
            #expect(try await probe.get("/x", host: "media.example.com").text.hasPrefix("media "))
            #expect(try await probe.get("/x", host: "www.example.com").text.hasPrefix("app www.example.com "))
        }
    }

    @Test func theAdminTokenIsReplacedByReloading() async throws {
        try await withProxy(configure: {
            $0.admin = .init(address: .tcp(host: "127.0.0.1", port: 0), token: "secret")
        }) { (proxy: CachingProxy, _: Probe) async throws in
            var configuration = proxy.configuration
            configuration.admin?.token = "other"
            #expect(try await proxy.reload(configuration) == [])
            #expect(proxy.configuration.admin?.token == "other")
            let admin = Probe(try #require(proxy.adminAddress))
            var codes: [Int] = []
            for token in ["secret", "other"] { codes.append(try await admin.purge(token: token)) }
            await admin.stop()
            #expect(codes == [401, 200])
            configuration.admin?.address = .tcp(host: "127.0.0.1", port: 1)
            #expect(try await proxy.reload(configuration) == ["admin"])
        }
    }

    @Test func theAccessLogComesAndGoesByReloading() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).log").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withProxy { (proxy: CachingProxy, probe: Probe) async throws in
            var configuration = proxy.configuration
            configuration.accessLog = .init(path: path)
            try await proxy.reload(configuration)
            _ = try await probe.get("/logged")
            // The proxy notes an exchange when the client has the response already.
            try await waitUntil {
                await proxy.recorder.accessLog?.flush()
                return try String(contentsOfFile: path, encoding: .utf8).contains("/logged")
            }
            configuration.accessLog = nil
            try await proxy.reload(configuration)
            _ = try await probe.get("/unlogged")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!text.contains("/unlogged"))
        }
    }

    @Test func theTrafficIsRecorded() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).trace").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withProxy(configure: { $0.recording = .init(path: path) }) { (proxy: CachingProxy, probe: Probe) async throws in
            for target in ["/a", "/a", "/b", "/a"] { _ = try await probe.get(target) }
            await proxy.shutdown()
            let kinds = try RecordedTrace(path: path).events.map(\.kind).filter { $0 != .write }
            #expect(kinds.count { $0 == .hit } == 2 && kinds.count { $0 == .miss } == 2)
        }
    }

    @Test(arguments: [false, true])
    func otherCachesAreSimulatedOnTheSameRequests(recordsToo: Bool) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).trace").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withProxy(configure: { configuration in
            configuration.shadows = .init([.init(.lru, .bytes(1 << 20)), .init(.s3fifo, .bytes(1))])
            configuration.shadows?.sampledShare = 1
            if recordsToo { configuration.recording = .init(path: path) }
        }) { (proxy: CachingProxy, probe: Probe) async throws in
            for target in ["/a", "/a", "/b", "/a"] { _ = try await probe.get(target) }
            await proxy.shutdown()
            let statistics = try #require(proxy.recording.shadows?.statistics)
            #expect((statistics.requests, statistics.hits, statistics.otherHits) == (4, 2, 0))
            #expect(FileManager.default.fileExists(atPath: path) == recordsToo)
            let snapshot = ProxyStatistics.Snapshot.Shadows(statistics)
            #expect(statistics.shadows.map(\.hits) == [2, 0])
            #expect(snapshot.caches == [.init(policy: "lru", bytes: 1 << 20, hits: 2), .init(policy: "s3fifo", bytes: 1, hits: 0)])
        }
    }

    @Test func shadowsThatCannotBeSimulatedAreRefused() async throws {
        var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:1"))
        configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
        let caches: [[ShadowSimulation.Shadow]] = [[.init(.opt, .bytes(1))], [.init(.lru, .bytes(1)), .init(.lru, .bytes(1))]]
        for caches in caches {
            configuration.shadows = .init(caches)
            let error = await #expect(throws: ProxyError.self) {
                try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test func aTakenPortIsOneSentence() async throws {
        try await withServer { _ in
            .text("")
        } body: { server in
            var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:1"))
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: server.port))]
            let error = await #expect(throws: ProxyError.self) {
                try await CachingProxy.start(configuration: configuration, stores: [], logger: Self.logger)
            }
            #expect(error?.code == .cannotListen)
            #expect(error?.message.contains("\(server.port)") == true)
        }
    }

    @Test func aProxyListensOnSeveralAddresses() async throws {
        let socket = "/tmp/hoard-\(UUID().uuidString.prefix(8)).sock"
        try await withProxy(configure: { configuration in
            configuration.listeners.append(.init(.tcp(host: "127.0.0.1", port: 0)))
            configuration.listeners.append(.init(.unix(path: socket)))
        }) { (proxy: CachingProxy, _: Probe) async throws in
            #expect(proxy.urls.count == 3)
            #expect(proxy.urls[2] == "unix:\(socket)")
            let second = Probe(proxy.urls[1])
            #expect(try await second.get("/x").status == 200)
            await second.stop()
        }
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func everyExchangeIsCounted() async throws {
        try await withProxy { (proxy: CachingProxy, probe: Probe) async throws in
            for _ in 1...3 { _ = try await probe.get("/x") }
            await proxy.shutdown(gracePeriod: .seconds(5))
            #expect(proxy.recorder.statistics.snapshot().requests.total == 3)
        }
    }
}

/// A client of one proxy, without a cache.
private struct Probe {
    struct Reply {
        let status: Int
        let fields: HTTPFields
        let text: String

        var cacheStatus: String { fields[.cacheStatus] ?? "" }
    }

    private let transport: NIOTransport
    private let authority: String

    init(_ url: String) {
        transport = NIOTransport()
        authority = String(url.dropFirst("http://".count))
    }

    /// - Parameter host: The host that the request names, in place of the proxy's own.
    func get(_ path: String, host: String? = nil, _ fields: HTTPFields = [:]) async throws -> Reply {
        let request = HTTPRequest(method: .get, scheme: "http", authority: host ?? authority, path: path, headerFields: fields)
        let server = try OriginServer(scheme: "http", authority: authority)
        let response = try await transport.send(request, body: .empty, to: server, onNewConnection: false, onInterimResponse: nil)
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return Reply(status: response.head.status.code, fields: response.head.headerFields, text: String(buffer: bytes))
    }

    /// The status of a request to remove everything.
    func purge(token: String) async throws -> Int {
        let fields: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
        let request = HTTPRequest(method: .post, scheme: "http", authority: authority, path: "/api/purge", headerFields: fields)
        let server = try OriginServer(scheme: "http", authority: authority)
        let body = HTTPBody(#"{"all":true}"#)
        return try await transport.send(request, body: body, to: server, onNewConnection: false, onInterimResponse: nil).head.status.code
    }

    func stop() async { await transport.shutdown() }
}
