// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOHPACK
import Testing

@testable import HoardProxy

/// The rules of routes, from a file to the bytes that clients and origins get.
@Suite(.timeLimit(.minutes(2))) struct ProxyRulesTests {
    // MARK: Who may ask

    @Test func clientsOfOtherNetworksGet403() async throws {
        let routes = """
            origin: ORIGIN
            routes:
              - path: /open
              - path: /closed
                deny: [127.0.0.0/8]
              - path: /mixed
                allow: [127.0.0.0/8, "::1"]
                deny: 127.0.0.1
              - allow: 10.0.0.0/8
            """
        try await RuledSite.with(routes) { site in
            #expect(try await site.get("/open").status == 200)
            for path in ["/closed", "/mixed", "/"] {
                let response = try await site.get(path)
                #expect(response.status == 403 && response.content == "You may not ask for this.\n")
            }
            #expect(site.asked.value.count == 1)
        }
    }

    @Test func clientBehindATrustedProxyIsTheOneThatCounts() async throws {
        let routes = """
            origin: ORIGIN
            trusted-proxies: [127.0.0.1]
            routes:
              - allow: [192.0.2.0/24]
            """
        try await RuledSite.with(routes) { site in
            let first = try await site.get("/", "X-Forwarded-For: 192.0.2.1\r\n")
            #expect(first.status == 200)
            #expect(try await site.get("/", "X-Forwarded-For: 192.0.2.1, 198.51.100.1\r\n").status == 403)
            // Stored responses are not for all clients.
            #expect(try await site.get("/").status == 403)
        }
    }

    /// A client that makes the proxies in front contradict each other, or hides, is not taken for one of them.
    @Test func clientThatNobodyKnowsIsNotLetIn() async throws {
        let routes = """
            origin: ORIGIN
            trusted-proxies: [127.0.0.0/8]
            routes:
              - path: /open
              - path: /inside
                allow: [127.0.0.0/8]
              - deny: [203.0.113.0/24]
            """
        try await RuledSite.with(routes) { site in
            let address = "X-Forwarded-For: 203.0.113.9\r\n"
            for fields in [address, "Forwarded: for=127.0.0.9\r\n" + address, "Forwarded: for=unknown\r\n", "X-Forwarded-For: unknown\r\n"] {
                for path in ["/inside", "/"] where path == "/inside" || fields.contains("203") || fields.contains("unknown") {
                    let response = try await site.get(path, fields)
                    #expect(response.status == 403, "\(path) \(fields)")
                }
                #expect(try await site.get("/open", fields).status == 200)
            }
            #expect(try await site.get("/inside").status == 200)
            #expect(try await site.get("/", "Forwarded: for=198.51.100.1\r\n").status == 200)
        }
    }

    // MARK: Answers

    @Test func redirectsAndTextsAreAnsweredWithoutTheOrigin() async throws {
        let routes = """
            origin: ORIGIN
            routes:
              - path: /old/
                redirect: https://{host}/new/{rest}{query}
              - path: /moved
                redirect: /elsewhere
                redirect-status: 302
              - path: /.well-known/security.txt
                answer-text: |
                  Contact: mailto:security@example.com
                  Expires: 2030-01-01T00:00:00Z
              - path: /maintenance
                answer-text: "<p>Back soon, {client}.</p>"
                answer-type: text/html
                answer-status: 503
                response-set: ["Retry-After: 120"]
            """
        try await RuledSite.with(routes) { site in
            let old = try await site.get("/old/a/b?c=d", host: "Shop.example:8080")
            #expect(old.status == 308 && old["location"] == "https://shop.example/new/a/b?c=d" && old.content.isEmpty)
            let moved = try await site.get("/moved", method: "POST")
            #expect(moved.status == 302 && moved["location"] == "/elsewhere")
            let text = try await site.get("/.well-known/security.txt")
            #expect(text.status == 200 && text["content-type"] == "text/plain; charset=utf-8" && text.content.hasPrefix("Contact: mailto:"))
            let head = try await site.get("/.well-known/security.txt", method: "HEAD")
            #expect(head.status == 200 && head["content-length"] == text["content-length"])
            let down = try await site.get("/maintenance")
            #expect(down.status == 503 && down.content == "<p>Back soon, 127.0.0.1.</p>" && down["retry-after"] == "120")
            #expect(site.asked.value.isEmpty)
        }
    }

    // MARK: Fields

    @Test func originsGetTheFieldsOfRules() async throws {
        let routes = """
            origin: ORIGIN
            routes:
              - request-remove: [Cookie, X-Debug]
                request-set: ["X-Site: {host}", "Accept-Language: en, de"]
                request-add: ["X-Tag: two"]
            """
        try await RuledSite.with(routes) { site in
            let fields = "Cookie: a=b\r\nX-Debug: 1\r\nX-Site: forged\r\nAccept-Language: fr\r\nX-Tag: one\r\n"
            #expect(try await site.get("/x", fields).status == 200)
            let asked = try #require(site.asked.value.first).headerFields
            #expect(asked[.cookie] == nil && asked[values: .init("X-Debug")!].isEmpty)
            #expect(asked[values: .init("X-Site")!] == ["a.example"] && asked[values: .acceptLanguage] == ["en, de"])
            #expect(asked[values: .init("X-Tag")!] == ["one", "two"])
        }
    }

    /// By `Connection`, and by underscores, a client could make the proxy ask the origin without the fields of a
    /// rule, and the response would be for all clients.
    @Test func clientsCannotTakeOutWhatARuleHasWritten() async throws {
        let routes = """
            upstreams: [{name: app, servers: ORIGIN, pass-underscores: yes}]
            routes:
              - request-set: ["X-Site: one", "X_Mine: one"]
                request-remove: [X-Admin]
            """
        try await RuledSite.with(routes) { site in
            let fields = "Connection: X-Site, close\r\nX_Site: two\r\nX-Mine: two\r\nX_Admin: yes\r\nX-Admin: yes\r\nX_Other: yes\r\n"
            let first = try await site.get("/page", fields)
            #expect(first.status == 200)
            let asked = try #require(site.asked.value.first).headerFields
            #expect(asked[values: .init("X-Site")!] == ["one"])
            #expect(asked[values: .init("X_Site")!].isEmpty && asked[values: .init("X_Other")!] == ["yes"])
            #expect(asked[values: .init("X_Mine")!] == ["one"] && asked[values: .init("X-Mine")!].isEmpty)
            #expect(asked[values: .init("X_Admin")!].isEmpty && asked[values: .init("X-Admin")!].isEmpty)
        }
    }

    /// Fields of rules select stored responses, unless they are the same for all that have the key.
    @Test func storedResponseAnswersOnlyThoseForWhomServersWereToldTheSame() async throws {
        let routes = """
            origin: ORIGIN
            routes:
              - hosts: [a.example]
                request-set: ["X-Site: one"]
              - hosts: [b.example]
                request-set: ["X-Site: two"]
              - request-set: ["X-Host: {host}"]
            """
        try await RuledSite.with(routes) { site in
            for _ in 1...2 {
                for host in ["a.example", "b.example", "c.example", "d.example"] { #expect(try await site.get("/page", host: host).status == 200) }
            }
            #expect(site.asked.value.count == 4)
            let name = try #require(HTTPField.Name("X-Site"))
            #expect(site.asked.value.map { $0.headerFields[name] } == ["one", "two", nil, nil])
        }
        try await RuledSite.with("origin: ORIGIN\nroutes:\n  - request-set: [\"X-Site: one\", \"X-Path: {path}\"]\n") { site in
            for host in ["a.example", "b.example"] {
                let response = try await site.get("/page", host: host)
                #expect(response.status == 200)
            }
            #expect(site.asked.value.count == 1)
            #expect(site.proxy.routes.current.routes[0].configuration.policy.keyFields.isEmpty)
        }
    }

    @Test func clientsGetTheFieldsOfRulesWhereverResponsesComeFrom() async throws {
        let routes = """
            origin: ORIGIN
            routes:
              - path: /plain
                response-remove: [Server]
                response-set: ["Content-Type: text/html", "X-One: 1, 2"]
                response-add: ["X-One: 3"]
                security-fields: yes
              - path: /cache
                response-set: ["X-Cache: {cache}", "X-For: {client}"]
            """
        try await RuledSite.with(routes) { site in
            // A miss, a hit that is parsed, and one that is answered by its bytes.
            for fields in ["", "Range: bytes=0-\r\nIf-Range: \"x\"\r\n", ""] {
                let response = try await site.get("/plain", fields)
                #expect(response.status == 200 && response.content == "/plain" && response["server"] == nil)
                #expect(response.fields.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["1, 2", "3"])
                #expect(response["content-type"] == "text/html" && response["x-content-type-options"] == "nosniff")
                #expect(response["x-frame-options"] == "SAMEORIGIN" && response["strict-transport-security"] == nil)
            }
            #expect(try await site.get("/cache")["x-cache"] == "miss")
            #expect(try await site.get("/cache")["x-cache"] == "hit")
            #expect(try await site.get("/cache", "Authorization: x\r\nCache-Control: no-store\r\n", method: "POST")["x-cache"] == "bypass")
            #expect(try await site.get("/cache")["x-for"] == "127.0.0.1")
            #expect(site.proxy.routes.current.routes[0].rules?.immediate != nil && site.proxy.routes.current.routes[1].rules?.immediate == nil)
        }
    }

    @Test func fieldsOfTheServerKeepThoseThatTellBrowsersToBeCareful() async throws {
        try await RuledSite.with(
            "origin: ORIGIN\nroutes:\n  - security-fields: yes\n",
            fields: [.cacheControl: "max-age=60", .init("X-Frame-Options")!: "DENY"]
        ) { site in
            for _ in 1...2 {
                let response = try await site.get("/")
                #expect(response["x-frame-options"] == "DENY" && response["referrer-policy"] == "strict-origin-when-cross-origin")
            }
        }
    }

    // MARK: Paths

    @Test func serversGetAnotherPathAndPurgesFindIt() async throws {
        let routes = """
            upstreams:
              - name: app
                servers: ORIGIN/base
            routes:
              - path: /api/
                replace-path: /v2/
            """
        try await RuledSite.with(routes) { site in
            let first = try await site.get("/api/users?id=1")
            #expect(first.content == "/base/v2/users?id=1")
            // The same path in another spelling.
            #expect(try await site.get("/x/../%61pi/users?id=1").content == "/base/v2/users?id=1")
            #expect(site.asked.value.count == 1)
            let routes = site.proxy.routes.current
            let uri = "http://127.0.0.1:\(site.origin.port)/base/v2/users?id=1"
            for text in ["/api/users?id=1", "http://any.example/api/users?id=1", uri] { #expect(routes.cacheURI(for: text)?.uri == uri, "\(text)") }
            guard case .uris(let found) = routes.cacheURIs(for: "/api/", isPrefix: true) else {
                Issue.record("no beginning of URLs")
                return
            }
            #expect(found.map(\.uri) == ["http://127.0.0.1:\(site.origin.port)/base/v2/"])
            #expect(try await site.get("/v2/users").status == 404)
        }
    }

    // MARK: Scripts of other sites

    @Test func scriptsOfNamedSitesMayAsk() async throws {
        let routes = """
            origin: ORIGIN
            routes:
              - cors-origins: [https://app.example, "https://*.apps.example"]
                cors-credentials: yes
                cors-response-fields: [X-Total]
                cors-max-age: 1h
            """
        try await RuledSite.with(routes, fields: [.cacheControl: "max-age=60", .accessControlAllowOrigin: "https://wrong.example"]) { site in
            let question = "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-mine\r\n"
            for origin in ["https://app.example", "https://one.apps.example", "https://a.b.apps.example"] {
                let told = try await site.get("/", "Origin: \(origin)\r\n\(question)", method: "OPTIONS")
                #expect(told.status == 204 && told["access-control-allow-origin"] == origin && told["access-control-allow-headers"] == "x-mine")
                #expect(told["access-control-allow-credentials"] == "true" && told["access-control-max-age"] == "3600")
                #expect(told["access-control-allow-methods"]?.contains("PUT") == true)
                let response = try await site.get("/", "Origin: \(origin)\r\n")
                #expect(response["access-control-allow-origin"] == origin && response["access-control-expose-headers"] == "X-Total")
                #expect(response.fields.contains { $0.name.lowercased() == "vary" && $0.value == "Origin" })
            }
            for origin in ["https://evil.example", "https://app.example.evil.example", "https://apps.example", "null", "https://x@.apps.example"] {
                #expect(try await site.get("/", "Origin: \(origin)\r\n\(question)", method: "OPTIONS").status == 403)
                #expect(try await site.get("/", "Origin: \(origin)\r\n")["access-control-allow-origin"] == nil)
            }
            // One stored response for all of them.
            #expect(site.asked.value.count == 1)
        }
    }

    @Test func scriptsOfAllSitesMayAskWithoutCookies() async throws {
        try await RuledSite.with("origin: ORIGIN\nroutes:\n  - cors-origins: \"*\"\n") { site in
            for fields in ["", "Origin: https://any.example\r\n", ""] {
                let response = try await site.get("/", fields)
                #expect(response["access-control-allow-origin"] == "*" && response["vary"] == nil)
            }
            #expect(site.proxy.routes.current.routes[0].rules?.immediate != nil)
        }
    }

    // MARK: Early hints

    @Test func clientsOfHTTP2GetTheLinksOfWhatIsStoredEarly() async throws {
        let fields: HTTPFields = [.cacheControl: "no-cache", .eTag: "\"1\"", .link: "</a.css>; rel=preload, </next>; rel=next"]
        try await RuledSite.with("origin: ORIGIN\nroutes:\n  - early-hints: yes\n", fields: fields) { site in
            let client = try await FrameClient.connect(port: site.proxy.server.port)
            #expect(try await client.exchange(1, FrameClient.get("/page")).interim.isEmpty)
            let second = try await client.exchange(3, FrameClient.get("/page"))
            #expect(second.status == "200" && second.interim.map { $0.first(name: ":status") } == ["103"])
            #expect(second.interim.first?.first(name: "link") == "</a.css>; rel=preload")
            // Other clients might take the interim response for the answer.
            #expect(try await site.get("/page").status == 200)
        }
        // Links that rules take out of responses are not told before.
        let routes = "origin: ORIGIN\nroutes:\n  - early-hints: yes\n    response-remove: [Link]\n"
        try await RuledSite.with(routes, fields: fields) { site in
            let client = try await FrameClient.connect(port: site.proxy.server.port)
            for stream in [1, 3] {
                let response = try await client.exchange(stream, FrameClient.get("/page"))
                #expect(response.status == "200" && response.interim.isEmpty)
            }
        }
    }

    // MARK: When no server answers

    @Test func ownPageSaysThatNoServerAnswers() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UInt64.random(in: .min ... .max)).html")
        try Data("<h1>Sorry</h1>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // Nothing listens on this port, and the system never chooses it for a server of another test.
        let routes =
            "origin: http://127.0.0.1:1\nroutes:\n  - path: /page\n    error-page: \(file.path)\n    response-set: [\"X-Mine: yes\"]\n  - path: /\n"
        try await RuledSite.with(routes, fields: [.cacheControl: "no-store"]) { site in
            let page = try await site.get("/page")
            #expect(page.status == 502 && page.content == "<h1>Sorry</h1>" && page["content-type"] == "text/html; charset=utf-8")
            #expect(page["x-mine"] == "yes" && page["cache-control"] == "no-store" && page["cache-status"]?.contains("fwd=uri-miss") == true)
            #expect(try await site.get("/").content == "The proxy got no answer from the origin.\n")
            // The next page is there after a reload; one that cannot be read keeps the settings as they are.
            try Data("<h1>Later</h1>".utf8).write(to: file)
            try await site.proxy.reload(site.proxy.configuration)
            #expect(try await site.get("/page").content == "<h1>Later</h1>")
            var configuration = site.proxy.configuration
            configuration.routes[0].rules.errorPagePath = "/no/such/page.html"
            await #expect(throws: ProxyError.self) { try await site.proxy.reload(configuration) }
            #expect(throws: ProxyError.self) { try CachingProxy.checkFiles(of: configuration) }
            #expect(try await site.get("/page").content == "<h1>Later</h1>")
            // Reading these would never end.
            for path in ["/dev/zero", "/tmp"] {
                configuration.routes[0].rules.errorPagePath = path
                let error = await #expect(throws: ProxyError.self) { try await site.proxy.reload(configuration) }
                #expect(error?.message == "The error page \(path) is no file.")
            }
        }
    }

    // MARK: What cannot be meant

    /// Two upstreams must not have each other's responses.
    @Test(arguments: [
        """
        upstreams: [{name: api, servers: http://a:1, forward-host: yes}, {name: web, servers: http://w:2, forward-host: yes}]
        routes: [{path: /api/, replace-path: /, upstream: api}, {path: /, upstream: web}]
        """,
        """
        upstreams: [{name: staff, servers: https://app, tls-certificates: c, tls-key: k}, {name: public, servers: https://app}]
        routes: [{hosts: [staff.example], upstream: staff}, {upstream: public}]
        """,
        """
        upstreams: [{name: staff, servers: https://app/v2, tls-certificates: c, tls-key: k}, {name: public, servers: https://app}]
        routes: [{hosts: [staff.example], upstream: staff}, {upstream: public}]
        """,
    ])
    func keysThatTwoUpstreamsWouldShareAreRefused(_ text: String) throws {
        let error = try #require(throws: ProxyError.self) { try ProxySettings(.init(file: ("hoard.yaml", text))).configuration() }
        #expect(error.message.contains("The upstreams “"), "\(error.message)")
        let apart = text.replacing("upstream: staff}", with: "upstream: staff, bypass: yes}").replacing("replace-path: /, ", with: "")
        _ = try ProxySettings(.init(file: ("hoard.yaml", apart))).configuration()
    }

    @Test(arguments: [
        ("redirect: \"{rest}\"", "hoard.yaml:4:15: What a client asks for must not decide which site it is sent to"),
        ("redirect: /a\n    answer-text: b", "has both “redirect” and “answer-text”"),
        ("redirect: /a\n    redirect-status: 304", "redirects with the status 304"),
        ("answer-status: 404", "has “answer-status”, but no “answer-text”"),
        ("answer-text: \"{cache}\"", "names {cache} in “answer-text”"),
        ("request-set: [\"X-A: {client}\"]", "every client would have stored responses of its own"),
        ("request-set: [\"X-A: {cache}\"]", "what the cache does is known only of responses"),
        ("request-set: [\"Host: a\"]", "hoard.yaml:4:19: “Host” belongs to the message"),
        ("request-set: [\"Connection: close\"]", "“Connection” cannot be changed: it concerns"),
        ("request-set: [\"X_A: b\"]", "servers get no fields with underscores"),
        ("request-remove: [X-Forwarded-For]", "“X-Forwarded-For” cannot be changed: what clients say in it is dropped"),
        ("response-set: [\"Content-Length: 1\"]", "“Content-Length” belongs to the message"),
        ("response-remove: [Transfer-Encoding]", "“Transfer-Encoding” is about the connection"),
        ("response-set: [no colon]", "“no colon” is no field; write “Name: value”."),
        ("response-set: [\"X A: b\"]", "“X A” is no name of a field."),
        ("response-set: [\"X-A: {hots}\"]", "nothing is called {hots}; did you mean {host}?"),
        ("response-set: [\"X-A: a\\nb\"]", "has characters that no field has"),
        ("allow: 10.0.0.0/33", "“10.0.0.0/33” is no network"),
        ("cors-origins: example.com", "“example.com” is no origin of scripts"),
        ("cors-origins: https://a.example/path", "is no origin of scripts, which has no path"),
        ("cors-origins: \"*\"\n    cors-credentials: yes", "name the sites in “cors-origins”"),
        ("cors-credentials: yes", "has options of “cors”, but no “cors-origins”"),
        ("replace-path: /v2", "both have to end with a slash, or none"),
        ("request-set: [\"X-Forwarded-Proto: https\"]", "“X-Forwarded-Proto” cannot be changed"),
        ("replace-path: v2", "“v2” is no path"),
        ("replace-path: /v2?x", "has a query"),
        ("answer-type: text", "“text” is no media type"),
    ])
    func whatCannotBeMeantIsSaidWithItsPlace(_ lines: String, _ words: String) throws {
        let text = "origin: http://127.0.0.1:1\nroutes:\n  - path: /\n    \(lines)\n"
        let error = try #require(throws: ProxyError.self) { try ProxySettings(.init(file: ("hoard.yaml", text))).configuration() }
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test func rulesAreReadFromFlagsAndTheEnvironmentAndPrinted() throws {
        let settings = try ProxySettings(
            .init(
                environment: ["HOARD_PROXY_RESPONSE_SET": "X-A: 1, 2\nX-B: {cache}", "HOARD_PROXY_ALLOW": "10.0.0.0/8,::1"],
                flags: [
                    (name: "origin", values: ["http://127.0.0.1:1"]), (name: "request-set", values: ["X-C: a, b", "X-D: c"]),
                    (name: "security-fields", values: ["yes"]), (name: "redirect-status", values: ["302"]),
                ]
            )
        )
        let rules = try settings.configuration().routes[0].rules
        #expect(rules.responseFields.set.map(\.name.rawName) == ["X-A", "X-B"] && rules.responseFields.set[0].value.description == "1, 2")
        #expect(rules.requestFields.set.map(\.value.description) == ["a, b", "c"])
        #expect(rules.allowedNetworks.map(\.description) == ["10.0.0.0/8", "::1"] && rules.addsSecurityFields)
        let again = try ProxySettings(.init(file: ("again.yaml", settings.yaml)))
        #expect(try again.configuration().routes == settings.configuration().routes)
    }

    @Test func rulesChangeWithAReloadAndNothingIsLost() async throws {
        try await RuledSite.with("origin: ORIGIN\n") { site in
            #expect(try await site.get("/page")["x-a"] == nil)
            var configuration = site.proxy.configuration
            configuration.routes[0].rules.responseFields.set = [.init(name: .init("X-A")!, value: try MessageTemplate("b"))]
            try await site.proxy.reload(configuration)
            let response = try await site.get("/page")
            #expect(response["x-a"] == "b" && response["cache-status"]?.hasPrefix("hoard; hit") == true)
            configuration.routes[0].rules.requestFields.set = [.init(name: .init("X-A")!, value: try MessageTemplate("{client}"))]
            await #expect(throws: ProxyError.self) { try await site.proxy.reload(configuration) }
            #expect(try await site.get("/page")["x-a"] == "b")
            #expect(site.asked.value.count == 1)
        }
    }
}
