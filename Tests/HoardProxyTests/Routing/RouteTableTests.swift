// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTesting
import Logging
import NIOPosix
import Testing

@testable import HoardProxy

@Suite struct RouteTableTests {
    private typealias Configuration = CachingProxy.Configuration

    /// A table of routes: hosts, path prefix, upstream.
    private func table(_ routes: [(hosts: [String], path: String, upstream: String)]) throws -> RouteTable {
        var upstreams: [Configuration.Upstream] = []
        for name in Set(routes.map(\.upstream)).sorted() {
            upstreams.append(.init(name: name, servers: [try Origin("http://\(name).test:3000")]))
        }
        var configuration = Configuration(upstreams: upstreams)
        configuration.routes = routes.map { route in
            var result = Configuration.Route(upstream: route.upstream)
            (result.hosts, result.pathPrefix) = (route.hosts, route.path)
            return result
        }
        return try table(configuration)
    }

    private func table(_ configuration: Configuration) throws -> RouteTable {
        let upstreams = try Upstreams(
            configuration.upstreams,
            threads: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        return try upstreams.table(of: configuration)
    }

    /// The outcome for a request: the name of an upstream, `host` or `path`.
    private func match(_ table: RouteTable, _ authority: String?, _ target: String) -> String {
        switch table.match(authority: authority, target: target) {
        case .route(let route): route.upstream.name
        case .unknownHost: "no host"
        case .unknownPath: "no path"
        case .ambiguousPath: "ambiguous"
        }
    }

    @Test func theFirstRouteThatFitsDecides() throws {
        let table = try table([([], "/static/", "files"), ([], "/api", "api"), ([], "/", "app")])
        for (target, upstream) in [
            ("/static/a.css", "files"), ("/static", "app"), ("/api", "api"), ("/api/x?y=/static/", "api"), ("/", "app"), ("/x?/api", "app"),
        ] {
            #expect(match(table, "example.com", target) == upstream, "\(target)")
        }
        #expect(table.onlyRoute == nil && !table.distinguishesHosts)
    }

    @Test func aDotAtTheEndOfAConfiguredNameDoesNotMatter() throws {
        let table = try table([(["a.test."], "/", "one"), (["*.b.test."], "/", "two")])
        for (authority, upstream) in [("a.test", "one"), ("a.test.:80", "one"), ("x.b.test", "two"), ("b.test", "no host")] {
            #expect(match(table, authority, "/") == upstream, "\(authority)")
        }
    }

    @Test(arguments: ["/%61dmin/x", "/x/../admin", "/./admin", "/x/%2e%2e/admin", "/x/%2E./admin"])
    func noSpellingOfAPathGoesAroundARoute(target: String) throws {
        let table = try table([([], "/admin", "admin"), ([], "/", "app")])
        #expect(match(table, nil, target) == "admin")
    }

    @Test func encodedSlashesStayWhatTheyAre() throws {
        let table = try table([([], "/a/b", "ab"), ([], "/", "app")])
        #expect(match(table, nil, "/a%2fb") == "app")
    }

    /// A table with a route for the staff, another for a team, and one for all clients.
    private func protectedTable() throws -> RouteTable {
        var configuration = Configuration(upstreams: [.init(name: "app", servers: [try Origin("http://app.test:3000")])])
        configuration.routes = try [("/staff/", "10.0.0.0/8"), ("/team/x/", "10.1.0.0/16"), ("/", nil)].map { prefix, network in
            var route = Configuration.Route(upstream: "app")
            route.pathPrefix = prefix
            if let network { route.rules.allowedNetworks = [try #require(IPNetwork(network))] }
            return route
        }
        return try table(configuration)
    }

    @Test(arguments: [
        "//staff/", "/%2Fstaff/", "/%2fstaff/x", "/staff;a=b/", "/;/staff/", "/x/..%2Fstaff/", "/x/..;/staff/", "/\\staff/", "/staff%5Cx",
        "/x\\..\\staff/",
        "/team//x/", "/team/x%2f", "/team;/x;/", "/x//..;/staff/", "/.;/staff/", "/x//..%2f..%2fstaff/", "/staff/..;/team/x/", "///staff///x?y=z",
        // Readings of nginx and Go, of Node's URL, of servers that cut parameters before they decode, and of those that take the beginning for a host.
        "/a%5Cb%2F..%2Fstaff/", "/a%2Fb\\..\\staff/", "/a;%2Fb%2Fc/..%2Fstaff/", "//x/staff/", "/\\x/staff/s", "//x;y//staff/",
        "/staff;%2Fa/x", "/%5C%2Fstaff/",
        "/staff%2F..", "/open/%2e%2e;/staff/", "/staff%2F%2Fx",
    ])
    func aPathThatServersReadAsAProtectedOneTakesNoOtherRoute(target: String) throws {
        guard case .ambiguousPath = try protectedTable().match(authority: nil, target: target) else {
            Issue.record("\(target) takes a route")
            return
        }
    }

    /// `urlsplit` of Python, `new URL` of Node and other readers read targets in different ways. Every combination of
    /// these ways makes some target lead to the protected route, and the table refuses that target.
    @Test func noCombinationOfReadingsLeadsToAProtectedRoute() throws {
        let table = try protectedTable()
        var generator = SeededGenerator(seed: 1)
        let pieces = ["/", "//", "%2F", "\\", "%5C", ";a", ";", "..", ".", "x", "staff", "staff/", "/staff/"]
        for _ in 0..<20_000 {
            let path = "/" + (0..<Int.random(in: 1...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard case .route(let route) = table.match(authority: nil, target: path), route.pathPrefix == "/" else { continue }
            let forwarded = RoutePath.normalized(path)
            for servers in PlainServer.all { #expect(!servers.path(forwarded).hasPrefix("/staff/"), "\(path), read by \(servers)") }
        }
    }

    @Test(arguments: [
        ("/staff/", "/staff/"), ("/staff//x", "/staff/"), ("/staff/x;y", "/staff/"), ("/staff/a%2Fb", "/staff/"), ("/open//x", "/"),
        ("/open;staff/", "/"),
        ("/a%2Fb", "/"), ("//", "/"), ("/%C3%A9%2B", "/"), ("/staffed//", "/"), ("/x?a=//staff/", "/"), ("/x/%252Fstaff/", "/"), ("/...;/x", "/"),
        ("/a;b=../x", "/"),
    ])
    func otherPathsTakeTheRouteThatTheyName(target: String, prefix: String) throws {
        guard case .route(let route) = try protectedTable().match(authority: nil, target: target) else {
            Issue.record("\(target) takes no route")
            return
        }
        #expect(route.pathPrefix == prefix)
    }

    @Test func aPrefixThatIsWrittenWithEncodedSlashesIsMeantSo() throws {
        var configuration = Configuration(upstreams: [.init(name: "app", servers: [try Origin("http://app.test:3000")])])
        configuration.routes = [.init(upstream: "app"), .init(upstream: "app")]
        configuration.routes[0].pathPrefix = "/@scope%2Fpkg/"
        configuration.routes[1].rules.allowedNetworks = [try #require(IPNetwork("10.0.0.0/8"))]
        let table = try table(configuration)
        for target in ["/@scope%2fpkg/", "/@scope%2Fpkg/a//b;c"] {
            guard case .route(let route) = table.match(authority: nil, target: target), route.pathPrefix == "/@scope%2Fpkg/" else {
                Issue.record("\(target) takes another route")
                continue
            }
        }
        guard case .ambiguousPath = table.match(authority: nil, target: "/@scope%2Fpkg/..;/x") else {
            Issue.record("hidden dots take a route")
            return
        }
    }

    @Test(arguments: ["/..;/private/x", "/a/..%2F..%2Fprivate", "/..\\private"]) func noReadingLeadsOutOfABasePath(target: String) throws {
        var configuration = Configuration(upstreams: [.init(name: "app", servers: [try Origin("http://app.test/public")])])
        for paths in [["/"], ["/", "/x/"], ["/x/", "/"]] {
            configuration.routes = paths.map { path in
                var route = Configuration.Route(upstream: "app")
                route.pathPrefix = path
                return route
            }
            guard case .ambiguousPath = try table(configuration).match(authority: nil, target: target) else {
                Issue.record("\(target) takes a route")
                return
            }
        }
    }

    @Test func readingsMatterOnlyBesideProtectedRoutes() throws {
        let table = try table([([], "/staff/", "staff"), ([], "/", "app")])
        #expect(match(table, nil, "//staff/") == "app")
    }

    @Test func hostsAreComparedWithoutPortCaseAndFinalDot() throws {
        let table = try table([(["example.com", "[::1]"], "/", "one"), (["*.example.com"], "/x", "below")])
        for (host, upstream) in [
            ("example.com", "one"), ("EXAMPLE.com:8080", "one"), ("example.com.", "one"), ("[::1]:8080", "one"), ("[::1]", "one"),
            ("a.example.com", "below"), ("a.b.Example.com:1", "below"), ("notexample.com", "no host"), (".example.com", "no host"), ("", "no host"),
        ] {
            #expect(match(table, host, "/x") == upstream, "\(host)")
        }
        #expect(match(table, "a.example.com", "/y") == "no path")
        #expect(match(table, nil, "/") == "no host")
        #expect(table.distinguishesHosts)
    }

    @Test func oneRouteForEverythingIsFoundWithoutLooking() throws {
        let table = try table([([], "/", "app")])
        #expect(table.onlyRoute?.hasPlainKeys == true)
        #expect(table.onlyRoute?.keyPrefix == "http://app.test:3000")
        #expect(match(table, "anything", "/%zz") == "app")
    }

    @Test func aRouteWithoutUpstreamIsRefused() throws {
        var configuration = Configuration(origin: try Origin("http://a"))
        configuration.routes = [.init(upstream: "b")]
        #expect(throws: ProxyError.self) { try table(configuration) }
        configuration.routes = []
        #expect(throws: ProxyError.self) { try table(configuration) }
    }

    // MARK: Keys

    @Test func whatAnOperatorWritesBecomesWhatTheCacheHas() throws {
        var configuration = Configuration(upstreams: [
            .init(name: "app", servers: [try Origin("http://app.test:3000/base")]), .init(name: "files", servers: [try Origin("https://files.test")]),
        ])
        var files = Configuration.Route(upstream: "files")
        (files.hosts, files.pathPrefix) = (["www.example.com"], "/files/")
        files.policy.ignoredQueryParameters = ["utm_*"]
        var app = Configuration.Route(upstream: "app")
        app.hosts = ["www.example.com"]
        configuration.routes = [files, app]
        let table = try table(configuration)
        for (text, uri, index) in [
            ("/page?a=1", "http://app.test:3000/base/page?a=1", 1), ("http://www.example.com/page", "http://app.test:3000/base/page", 1),
            ("https://WWW.example.com:8443/files/x?utm_source=1&b=2", "https://files.test/files/x?b=2", 0),
            ("http://app.test:3000/base/page", "http://app.test:3000/base/page", 1),
            ("https://files.test/files/%7Ex", "https://files.test/files/~x", 0),
            ("/files/../x", "http://app.test:3000/base/x", 1),
        ] {
            let found = table.cacheURI(for: text)
            #expect(found?.uri == uri, "\(text)")
            #expect(found?.routeIndex == index, "\(text)")
        }
        for text in ["", "page", "http://other.example.com/", "ftp://www.example.com/", "http://app.test:3000/else", "http://"] {
            #expect(table.cacheURI(for: text) == nil, "\(text)")
        }
    }

    @Test func theClientsHostIsPartOfTheKeyOnlyWhereServersGetIt() throws {
        var upstream = Configuration.Upstream(name: "app", servers: [try Origin("http://app.test")])
        upstream.forwardsHost = true
        let table = try table(Configuration(upstreams: [upstream]))
        #expect(table.cacheURI(for: "http://a.example.com/x")?.uri == "http://a.example.com/x")
        #expect(table.onlyRoute?.hasPlainKeys == false)
        #expect(table.distinguishesHosts)
    }

    @Test func howClientsHaveComeSelectsResponsesWhereTheyComeInBothWays() throws {
        var configuration = Configuration(origin: try Origin("http://a"))
        configuration.listeners.append(.init(.tcp(host: "127.0.0.1", port: 8443), tls: .init(certificateChainPath: "c", privateKeyPath: "k")))
        #expect(try table(configuration).onlyRoute?.policy?.policy.keyFields.map(\.canonicalName) == ["x-forwarded-proto"])
        #expect(try table(configuration).onlyRoute?.hasPlainKeys == false, "what is stored may be from before there were two ways")
        configuration.upstreams[0].tellsOfClient = false
        #expect(try table(configuration).onlyRoute?.policy == nil)
    }

    /// An upstream that gets the client's host for everything, behind one for a host of its own.
    private func mixed(path: String = "/") throws -> Configuration {
        var app = Configuration.Upstream(name: "app", servers: [try Origin("http://app.test:3000")])
        app.forwardsHost = true
        var configuration = Configuration(upstreams: [app, .init(name: "media", servers: [try Origin("http://media.test:9000")])])
        var media = Configuration.Route(upstream: "media")
        (media.hosts, media.pathPrefix) = (["media.example.com"], path)
        configuration.routes = [media, .init(upstream: "app")]
        return configuration
    }

    @Test func nobodyNamesAnotherUpstreamsServer() throws {
        let table = try table(mixed(path: "/m"))
        for host in ["media.test:9000", "MEDIA.test:9000", "media.test:09000"] {
            for path in ["/m", "/m/x?y", "/x/../m", "/%6d/x"] { #expect(match(table, host, path) == "no host", "\(host)\(path)") }
        }
        for (host, path) in [("media.test:9000", "/x"), ("media.test", "/m"), ("app.test:3000", "/m"), ("example.com", "/m")] {
            #expect(match(table, host, path) == "app", "\(host)\(path)")
        }
        #expect(match(table, "media.example.com", "/m") == "media")
    }

    @Test func upstreamsWhoseKeysWouldMeetAreRefused() throws {
        var one = Configuration.Upstream(name: "one", servers: [try Origin("http://one.test/v1")])
        var two = Configuration.Upstream(name: "two", servers: [try Origin("http://two.test")])
        (one.forwardsHost, two.forwardsHost) = (true, true)
        func conflict(_ one: Configuration.Upstream, _ two: Configuration.Upstream, hosts: [String] = [], _ otherHosts: [String] = []) -> Bool {
            var configuration = Configuration(upstreams: [one, two])
            configuration.routes = [.init(upstream: "one"), .init(upstream: "two")]
            (configuration.routes[0].pathPrefix, configuration.routes[0].hosts, configuration.routes[1].hosts) = ("/api", hosts, otherHosts)
            let conflict = configuration.keyConflict
            #expect((try? table(configuration)) == nil || conflict == nil)
            return conflict != nil
        }
        #expect(conflict(one, two))
        #expect(conflict(one, two, hosts: ["a.test", "*.b.test"], ["x.B.test"]))
        #expect(conflict(one, two, hosts: ["*.b.test"], ["*.c.b.test"]))
        #expect(!conflict(one, two, hosts: ["a.test"], ["b.test"]))
        var other = two
        other.servers = [try Origin("https://two.test")]
        #expect(!conflict(one, other))
        other.servers = [try Origin("http://two.test/v1")]
        #expect(!conflict(one, other), "with the same path it is the route that tells them apart")
        other.servers = [try Origin("http://two.test/v2")]
        #expect(!conflict(one, other))
        other = two
        other.forwardsHost = false
        #expect(!conflict(one, other))
    }

    @Test func aPrefixStandsForAllRoutesBelowAndAroundIt() throws {
        let table = try table([([], "/images", "media"), (["a.test"], "/docs", "docs"), ([], "/", "app"), ([], "/late", "late")])
        func uris(_ text: String) -> [String]? {
            if case .uris(let uris) = table.cacheURIs(for: text, isPrefix: true) { uris.map(\.uri) } else { nil }
        }
        #expect(uris("/") == ["http://media.test:3000/images", "http://docs.test:3000/docs", "http://app.test:3000/"])
        #expect(uris("/images/x") == ["http://media.test:3000/images/x"])
        #expect(uris("/im") == ["http://media.test:3000/images", "http://app.test:3000/im"])
        #expect(uris("/docs/1") == ["http://docs.test:3000/docs/1", "http://app.test:3000/docs/1"])
        #expect(uris("/i?x") == ["http://app.test:3000/i?x"])
        #expect(uris("https://b.test/") == ["http://media.test:3000/images", "http://app.test:3000/"])
        #expect(uris("http://app.test:3000/") == ["http://app.test:3000/", "http://media.test:3000/images"])
        #expect(uris("images") == nil)
        guard case .uris(let both) = table.cacheURIs(for: "/docs/1") else { throw ProxyError(.invalidConfiguration, "nothing") }
        #expect(both.map(\.uri) == ["http://docs.test:3000/docs/1", "http://app.test:3000/docs/1"], "a path may be there for several hosts")
    }

    @Test func aURLOfTheServerStandsForEveryRouteThatAsksForIt() throws {
        var configuration = Configuration(upstreams: [.init(name: "app", servers: [try Origin("http://app.test:3000")])])
        configuration.routes = ["a.test", "b.test", "c.test"].map { host in
            var route = Configuration.Route(upstream: "app")
            route.hosts = [host]
            return route
        }
        configuration.routes[0].policy.ignoredQueryParameters = ["utm_*"]
        let table = try table(configuration)
        guard case .uris(let uris) = table.cacheURIs(for: "http://app.test:3000/x?utm_source=1") else {
            throw ProxyError(.invalidConfiguration, "nothing")
        }
        #expect(uris.map(\.uri) == ["http://app.test:3000/x", "http://app.test:3000/x?utm_source=1"])
        #expect(uris.map(\.routeIndex) == [0, 1])
    }

    @Test func aPathThatDependsOnTheHostNeedsOne() throws {
        let table = try table(mixed())
        for text in ["/", "/x"] {
            #expect(table.cacheURIs(for: text) == .hostIsMissing)
            #expect(table.cacheURIs(for: text, isPrefix: true) == .hostIsMissing)
            #expect(table.cacheURI(for: text) == nil)
        }
        guard case .uris(let uris) = table.cacheURIs(for: "https://www.example.com/x", isPrefix: true) else {
            throw ProxyError(.invalidConfiguration, "nothing")
        }
        #expect(uris.map(\.uri) == ["http://www.example.com/x"])
    }

    @Test func aReplacedTableHasAnotherGeneration() throws {
        let routes = CurrentRoutes(try table([([], "/", "a")]))
        let before = routes.generation
        routes.replace(with: try table([([], "/", "b")]))
        #expect(routes.generation != before)
        #expect(routes.current.onlyRoute?.upstream.name == "b")
    }
}

/// Reads paths as lenient servers do, in plain words: a reference for ``PathReadings``.
private struct PlainServer: CustomStringConvertible {
    var description = ""
    private var steps: [@Sendable (String) -> String] = []

    func path(_ path: String) -> String { steps.reduce(path) { $1($0) } }

    private static func cut(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { $0.prefix { $0 != ";" } }.joined(separator: "/")
    }

    private static func merged(_ path: String) -> String {
        var path = path
        while path.contains("//") { path = path.replacing("//", with: "/") }
        return path
    }

    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    private static func withoutHost(_ path: String) -> String {
        guard path.hasPrefix("//") else { return path }
        return path.dropFirst(2).firstIndex(of: "/").map { String(path[$0...]) } ?? "/"
    }

    static let all: [PlainServer] = {
        let decoding: [(String, @Sendable (String) -> String)] = [
            ("nothing", { $0 }), ("encoded slashes", { $0.replacing("%2F", with: "/") }), ("backslashes", { $0.replacing("\\", with: "/") }),
            ("all slashes", { $0.replacing("%2F", with: "/").replacing("%5C", with: "/").replacing("\\", with: "/") }),
        ]
        var servers: [PlainServer] = []
        for (name, decode) in decoding {
            for order in 0..<16 {
                var server = PlainServer()
                if order & 1 != 0 { server.steps.append(cut) }
                server.steps.append(decode)
                if order & 2 != 0 { server.steps.append(cut) }
                if order & 4 != 0 { server.steps.append(withoutHost) }
                if order & 8 != 0 { server.steps += [merged, withoutDots] } else { server.steps += [withoutDots, merged] }
                server.description = "\(name), order \(order)"
                servers.append(server)
            }
        }
        return servers
    }()
}
