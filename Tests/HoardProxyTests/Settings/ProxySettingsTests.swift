// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardSimulator
import Testing

@testable import HoardProxy

@Suite struct ProxySettingsTests {
    private func settings(_ text: String, environment: [String: String] = [:], flags: [(String, [String])] = []) throws -> ProxySettings {
        try ProxySettings(.init(file: ("hoard.yaml", text), environment: environment, flags: flags.map { (name: $0.0, values: $0.1) }))
    }

    private func configuration(_ text: String) throws -> CachingProxy.Configuration { try settings(text).configuration() }

    /// The error of a file, or nothing.
    private func complaint(_ text: String, environment: [String: String] = [:], flags: [(String, [String])] = []) -> String {
        do {
            _ = try settings(text, environment: environment, flags: flags).configuration()
            return ""
        } catch {
            return "\(error)"
        }
    }

    // MARK: Reading

    static let whole = """
        # A whole file.
        listen:
          - 127.0.0.1:8080
          - address: "[::]:8443"
            tls-certificates: /etc/hoard/chain.pem
            tls-key: /etc/hoard/key.pem
            http2: no
            proxy-protocol: yes
        upstreams:
          - name: app
            servers: [http://10.0.0.1:3000/base, http://10.0.0.2:3000/base]
            version: http1
            health-check:
              path: /up
              interval: 3s
              failures: 5
            connect-timeout: 250ms
            retries: 0
          - name: images
            servers: https://images.example.com
            health-check: yes
            forward-host: yes
        routes:
          - hosts: [example.com, "*.example.com"]
            path: /static/
            upstream: images
            lifetime: 1h30m
            ignore-query: ["utm_*", fbclid]
            key-fields: [Accept-Language]
            tags: [static, "a, b"]
          - path: /admin
            upstream: app
            bypass: yes
          - upstream: app
            default-lifetime: 10s
            stale-while-revalidate: 1m
            stale-if-error: 1d
        cache:
          directory: /var/cache/hoard
          disk: 20GiB
          disk-entries: 1000
          memory: 512MiB
          object: 1MiB
          targets: []
          stale-if-unreachable: 0
          name: edge-1
        limits:
          connections: 99
          connections-per-address: 7
          content: no
          idle-timeout: 5s
        admin:
          address: unix:/run/hoard/admin.sock
          token-file: /etc/hoard/token
        access-log:
          path: "-"
          format: json
        event-loops: 2
        grace-period: 1m
        log-level: info
        """

    @Test func aWholeFileIsRead() throws {
        let settings = try settings(Self.whole)
        let configuration = try settings.configuration(adminToken: "secret")
        #expect(configuration.listeners.map(\.address.text) == ["127.0.0.1:8080", "[::]:8443"])
        #expect(configuration.listeners[1].tls == .init(certificateChainPath: "/etc/hoard/chain.pem", privateKeyPath: "/etc/hoard/key.pem"))
        #expect(!configuration.listeners[1].isHTTP2Enabled && configuration.listeners[1].expectsProxyProtocol)
        let app = try #require(configuration.upstreams.first)
        #expect(app.servers.map(\.description) == ["http://10.0.0.1:3000/base", "http://10.0.0.2:3000/base"])
        #expect(app.version == .http1)
        #expect(app.healthCheck?.path == "/up" && app.healthCheck?.failureThreshold == 5 && app.healthCheck?.successThreshold == 2)
        #expect(app.connectTimeout == .milliseconds(250) && app.maximumRetryCount == 0)
        #expect(configuration.upstreams[1].healthCheck == .init() && configuration.upstreams[1].forwardsHost)
        #expect(configuration.routes.map(\.upstream) == ["images", "app", "app"])
        #expect(configuration.routes[0].policy.lifetime == .always(.seconds(5_400)))
        #expect(configuration.routes[0].policy.keyFields == [.acceptLanguage])
        #expect(configuration.routes[0].policy.tags == ["static", "a, b"])
        #expect(configuration.routes[1].policy.isBypassed)
        #expect(configuration.routes[2].policy.lifetime == .ifUnspecified(.seconds(10)))
        #expect(configuration.routes[2].policy.staleIfError == .seconds(86_400))
        #expect(configuration.cache.maximumMemoryBytes == 512 << 20 && configuration.cache.maximumObjectBytes == 1 << 20)
        #expect(configuration.cache.targets == [] && configuration.cache.name == "edge-1" && configuration.cache.staleIfUnreachable == .zero)
        #expect(settings.cache.directory == "/var/cache/hoard" && settings.diskByteCount == 20 << 30 && settings.cache.diskEntryCount == 1_000)
        #expect(configuration.limits.connectionCount == 99 && configuration.limits.connectionCountPerAddress == 7)
        #expect(configuration.limits.requestContentByteCount == nil && configuration.limits.idleTimeout == .seconds(5))
        #expect(configuration.admin == .init(address: .unix(path: "/run/hoard/admin.sock"), token: "secret"))
        #expect(settings.admin.tokenFile == "/etc/hoard/token")
        #expect(configuration.accessLog?.path == "-" && configuration.accessLog?.format == .json)
        #expect(configuration.eventLoopCount == 2 && settings.gracePeriod == .seconds(60) && settings.logLevel == .info)
    }

    @Test(arguments: [
        "Host", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-port", "Forwarded", "Connection", "TE", "Keep-Alive", "Proxy-Authorization",
        "Via",
        "Expect",
    ])
    func fieldsThatTheCacheNeverSeesCannotSelect(name: String) throws {
        let error = #expect(throws: ProxyError.self) {
            try ProxySettings(.init(flags: [("origin", ["http://localhost:3000"]), ("key-fields", ["Accept-Language", name])]))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("“\(name)” cannot select responses") == true)
    }

    @Test func fieldsThatTheCacheSeesCanSelect() throws {
        let settings = try ProxySettings(
            .init(flags: [("origin", ["http://localhost:3000"]), ("key-fields", ["X-Forwarded-Proto", "X-Device", "Cookie"])])
        )
        #expect(try settings.configuration().routes[0].policy.keyFields.count == 3)
    }

    @Test func anOriginAloneIsEnough() throws {
        let settings = try ProxySettings(.init(flags: [("origin", ["http://localhost:3000"])]))
        let configuration = try settings.configuration()
        #expect(configuration.upstreams.map(\.name) == ["origin"])
        #expect(configuration.routes == [.init(upstream: "origin")])
        #expect(configuration.listeners.map(\.address.text) == ["127.0.0.1:8080"])
        #expect(configuration.cache.maximumObjectBytes == 512 << 20)
        #expect(configuration.admin == nil && configuration.accessLog == nil)
    }

    @Test func theCommandLineComesBeforeTheEnvironmentAndThatBeforeTheFile() throws {
        let text = "origin: http://a\nlimits: {connections: 1, streams: 1, header-fields: 1}\nlisten: 127.0.0.1:1"
        let settings = try settings(
            text,
            environment: ["HOARD_PROXY_CONNECTIONS": "2", "HOARD_PROXY_STREAMS": "2", "HOARD_PROXY_LISTEN": ":2, [::1]:3", "PATH": "/bin"],
            flags: [("connections", ["3"])]
        )
        #expect(settings.limits.connectionCount == 3)
        #expect(settings.limits.streamCount == 2)
        #expect(settings.limits.headerFieldCount == 1)
        #expect(settings.listeners.map(\.address.text) == ["0.0.0.0:2", "[::1]:3"])
    }

    @Test func flagsOfItemsHoldForAllOfThem() throws {
        let text =
            "upstreams: [{name: a, servers: http://a}, {name: b, servers: http://b, retries: 7}]\nroutes: [{path: /a, upstream: a}, {upstream: b}]"
        let configuration = try settings(text, flags: [("retries", ["2"]), ("default-lifetime", ["5s"]), ("http2", ["no"])]).configuration()
        #expect(configuration.upstreams.map(\.maximumRetryCount) == [2, 2])
        #expect(configuration.routes.map(\.policy.lifetime) == [.ifUnspecified(.seconds(5)), .ifUnspecified(.seconds(5))])
        #expect(configuration.listeners.map(\.isHTTP2Enabled) == [false])
    }

    @Test func flagsOfUpstreamsHoldForTheOriginOfTheCommandLine() throws {
        let flags = [("connect-timeout", ["2s"]), ("origin", ["http://a", "http://b"]), ("lifetime", ["1m"])].map { (name: $0.0, values: $0.1) }
        let configuration = try ProxySettings(.init(flags: flags)).configuration()
        #expect(configuration.upstreams.map(\.connectTimeout) == [.seconds(2)])
        #expect(configuration.upstreams[0].servers.count == 2)
        #expect(configuration.routes.map(\.policy.lifetime) == [.always(.seconds(60))])
    }

    @Test func theAdminTokenOfTheEnvironmentIsTaken() throws {
        let token = "sixteen-or-longer"
        let settings = try settings("origin: http://a\nadmin: {address: ':9090'}", environment: ["HOARD_PROXY_ADMIN_TOKEN": token + "\n"])
        #expect(try settings.configuration().admin?.token == token)
        #expect(!settings.yaml.contains(token))
    }

    @Test(arguments: ["s3cret", "s3cret s3cret s3cret", "s3cret-s3cret-s3cr\u{E9}t"])
    func aTokenOfTheEnvironmentThatIsNotWorthTheNameIsRefused(token: String) {
        let complaint = complaint("origin: http://a\nadmin: {address: ':1'}", environment: ["HOARD_PROXY_ADMIN_TOKEN": token])
        #expect(complaint.contains("HOARD_PROXY_ADMIN_TOKEN") && complaint.contains("one word of at least 16 characters"))
        #expect(!complaint.contains("s3cret"))
    }

    @Test func adminHostNamesMayBePatternsButNotAllNames() throws {
        let settings = try settings("origin: http://a\nadmin: {address: ':1', host-names: '*.example.com'}")
        #expect(try settings.configuration().admin?.hostNames == ["*.example.com"])
        #expect(complaint("origin: http://a\nadmin: {address: ':1', host-names: '*'}").contains("“*” would let the pages of all sites in"))
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("lisen: ':1'", "hoard.yaml:1:1: There is no option “lisen” here; did you mean “listen”?"),
        ("limits:\n  conections: 5", "hoard.yaml:2:3: There is no option “conections” here; did you mean “connections”?"),
        ("routes:\n  - path: /\n    ttl: 5s", "hoard.yaml:3:5: There is no option “ttl” here; there are hosts, path"),
        ("limits:\n  idle-timeout: 5 minutes", "hoard.yaml:2:17: “5 minutes” is no length of time; write 30s, 5m, 1h30m or 7d."),
        ("limits:\n  idle-timeout: 0", "hoard.yaml:2:17: The time must be longer than zero."),
        ("cache:\n  memory: lots", "hoard.yaml:2:11: “lots” is no number of bytes; write 1000000, 64K, 512MiB or 1G."),
        ("limits:\n  target: 1", "hoard.yaml:2:11: The size must be between 64 and 1MiB, not 1."),
        ("event-loops: 0", "hoard.yaml:1:14: The number must be between 1 and 1024, not 0."),
        ("event-loops: many", "hoard.yaml:1:14: “many” is no number."),
        ("log-level: loud", "hoard.yaml:1:12: “loud” is none of trace, debug, info, notice, warning, error, critical."),
        ("log-level: warnin", "did you mean “warning”?"),
        ("listen:\n  - nowhere", "hoard.yaml:2:5: “nowhere” is no address"),
        ("listen:\n  - http2: perhaps", "hoard.yaml:2:12: “perhaps” is neither yes nor no."),
        ("listen:\n  - unix:", "hoard.yaml:2:5: There is no option “unix” here; there are address, tls-certificates"),
        ("origin: localhost:3000", "hoard.yaml:1:9: The origin “localhost:3000” has no scheme"),
        ("origin: [http://a, http://a]", "hoard.yaml:1:20: The server http://a is named twice."),
        ("routes:\n  - path: images", "hoard.yaml:2:11: “images” is no path"),
        ("routes:\n  - hosts: [example.com:80]", "hoard.yaml:2:13: “example.com:80” must be a host name without a port."),
        ("routes:\n  - hosts: ['a*.b']", "is no host name"),
        ("routes:\n  - key-fields: [a b]", "hoard.yaml:2:18: “a b” is no name of a field."),
        ("limits: 5", "hoard.yaml:1:9: Here options are expected, such as “connections: …”, not “5”."),
        ("- a", "hoard.yaml:1:1: The file must hold options"),
        ("limits: {connections: [1]}", "Here a number is expected, not a list."),
        ("a: [", "hoard.yaml:"), ("a: b: c", "hoard.yaml:1:5: This is no YAML"), ("\tlimits: 1", "This is no YAML"),
        ("event-loops: 1\nevent-loops: 2", "Given twice: “event-loops”."),
        ("cache: {name: 'a b'}", "is no name of a cache"),
    ])
    func aMistakeIsToldWithItsPlace(text: String, sentence: String) {
        let complaint = complaint(text)
        #expect(complaint.contains(sentence), "\(complaint)")
    }

    @Test func allMistakesAreToldAtOnce() {
        let lines = complaint("event-loops: 0\nlimits: {connections: 0, streams: x}\nlisten: [a, b]").split(separator: "\n")
        #expect(lines.count == 5)
    }

    @Test(arguments: [
        ([("lifetime", "x")], "--lifetime: “x” is no length of time"), ([("max-bytes", "-5")], "--max-bytes: “-5” is no number of bytes"),
        ([("connections", "0")], "--connections: The number must be between"),
    ])
    func mistakesOfFlagsNameThem(flags: [(String, String)], sentence: String) {
        let complaint = complaint("origin: http://a", flags: flags.map { ($0.0, [$0.1]) })
        #expect(complaint.contains(sentence), "\(complaint)")
    }

    @Test func mistakesOfTheEnvironmentNameTheVariable() {
        #expect(complaint("origin: http://a", environment: ["HOARD_PROXY_RETRIES": "-1"]).hasPrefix("HOARD_PROXY_RETRIES: The number"))
    }

    @Test func misspelledVariablesAreTold() {
        let found = ProxySettings.misspelledVariables(in: [
            "HOARD_PROXY_CONECTIONS": "1", "HOARD_PROXY_SERVICE_HOST": "10.0.0.1", "HOARD_PROXY_LISTEN": ":1",
        ])
        #expect(found.map(\.name) == ["HOARD_PROXY_CONECTIONS"])
        #expect(found.map(\.meant) == ["HOARD_PROXY_CONNECTIONS"])
    }

    // MARK: Contradictions

    private static let two = "upstreams: [{name: a, servers: http://a}, {name: b, servers: http://b}]\n"

    @Test(arguments: [
        ("", "There is no origin: give --origin URL, or “upstreams” in a file."),
        ("origin: http://a\nroutes: [{lifetime: 1s, default-lifetime: 1s}]", "has both “lifetime” and “default-lifetime”"),
        ("origin: http://a\nroutes: [{bypass: yes, tags: [a]}]", "has “bypass” and “tags”"),
        ("origin: http://a\nlisten: [{address: \":1\", hosts: [{names: [a], tls-key: k}]}]", "needs “names”, “tls-certificates” and “tls-key”"),
        ("origin: http://a\nlisten: [{address: \":1\", hosts: [{names: [\"a:1\"], tls-key: k, tls-certificates: c}]}]", "a:1"),
        ("origin: http://a\nlisten: [{tls-key: k}]", "has “tls-key”, but no “tls-certificates”"),
        ("origin: http://a\nlisten: [{tls-certificates: c}]", "has “tls-certificates”, but no “tls-key”"),
        ("origin: http://a\nlisten: [':1', ':1']", "Two listeners have the address 0.0.0.0:1."),
        ("origin: http://a\ncache: {disk: 1M, object: 2M}", "--max-object-bytes (2MiB) is more than --max-bytes (1MiB)"),
        ("origin: http://a\nadmin: {token-file: t}", "There is an admin token file, but no admin address"),
        ("origin: http://a\nlisten: ':1'\nadmin: {address: ':1'}", "The admin address 0.0.0.0:1 is also that of a listener (0.0.0.0:1)."),
        ("origin: http://a\nupstreams: [{servers: http://b}]", "“origin” and “upstreams” contradict each other"),
        (two, "There are 2 upstreams, but no “routes”"), (two + "routes: [{path: /a}]", "names no upstream, and there are 2"),
        (two + "routes: [{upstream: c, path: /a}, {upstream: aa}]", "names the upstream “c”, which there is not"),
        ("origin: http://a\nroutes: [{}, {path: /x}]", "The route number 2 (/x) is never taken: the route number 1 (/) comes before it"),
        ("origin: http://a\nroutes: [{hosts: ['*.b.c']}, {hosts: [a.b.c]}, {}]", "The route number 2 (a.b.c /) is never taken"),
        ("upstreams: [{servers: http://a}, {name: b, servers: http://b}]", "The upstream number 1 has no “name”."),
        ("upstreams: [{name: b, servers: http://a}, {name: b, servers: http://b}]", "Two upstreams have the name “b”."),
        ("upstreams: [{name: b}]", "The upstream “b” has no “servers”."),
        ("upstreams: [{servers: [http://a/x, http://b/y]}]", "have different paths"),
        ("upstreams: [{servers: http://a, trust-roots: r}]", "has “trust-roots”, but none of its servers is an https URL."),
    ])
    func aContradictionIsRefusedAndNamesBothSides(text: String, sentence: String) {
        let complaint = complaint(text)
        #expect(complaint.contains(sentence), "\(complaint)")
    }

    @Test func aRouteForOneNameDoesNotTakeAllRequestsBelowItsDomain() throws {
        for name in ["x.b.c", "'*.x.b.c'"] {
            #expect(try configuration("origin: http://a\nroutes: [{hosts: [\(name)]}, {hosts: ['*.b.c']}, {}]").routes.count == 3)
        }
        #expect(complaint("origin: http://a\nroutes: [{hosts: ['*.b.c']}, {hosts: ['*.x.b.c']}, {}]").contains("number 2 (*.x.b.c /) is never taken"))
        for (one, other) in [("b.c", "b.c."), ("b.c.", "B.c"), ("'*.b.c'", "'*.b.c.'"), ("'*.b.c.'", "x.b.c.")] {
            let complaint = complaint("origin: http://a\nroutes: [{hosts: [\(one)]}, {hosts: [\(other)]}, {}]")
            #expect(complaint.contains("is never taken"), "\(one) \(other)")
        }
    }

    // MARK: Shadows

    @Test func shadowsAreGroupsOrPoliciesWithASize() throws {
        let text = """
            origin: http://a
            shadows: [lru, {policy: s3fifo, memory: 2GiB}, "gdsf:1MiB", {memory: 1GiB}]
            shadow-sample: 0.5
            cache: {memory: 256MiB}
            """
        let shadows = try #require(try configuration(text).shadows)
        let expected: [(SimulationPolicy, Int)] = [(.lru, 256 << 20), (.s3fifo, 2 << 30), (.gdsf, 1 << 20), (.hoard, 1 << 30)]
        #expect(shadows.caches == expected.map { .init($0.0, .bytes($0.1)) })
        #expect(shadows.sampledShare == 0.5)
        #expect(try settings(settings(text).yaml).configuration().shadows == shadows)
        #expect(try configuration("origin: http://a").shadows == nil)
        let flags = try settings("origin: http://a", flags: [("shadow", ["lru:1GiB", "lru"]), ("shadow-sample", ["0.1"])]).configuration().shadows
        #expect(flags?.caches == [.init(.lru, .bytes(1 << 30)), .init(.lru, .bytes(64 << 20))])
        #expect(flags?.sampledShare == 0.1)
        let environment = try settings("origin: http://a", environment: ["HOARD_PROXY_SHADOW": "lru, fifo:1K"]).configuration().shadows
        #expect(environment?.caches == [.init(.lru, .bytes(64 << 20)), .init(.fifo, .bytes(1 << 10))])
    }

    @Test(arguments: [
        ("shadows: [lfu]", "“lfu” is none of hoard"), ("shadows: [opt]", "“opt” is none of"), ("shadows: [\"lru:\"]", "number of bytes"),
        ("shadows: [{policy: lru, memory: 0}]", "0"), ("shadow-sample: 0", "is no share"),
        ("shadows: [lru, lru]", "Two shadows are the same"),
    ])
    func aShadowThatMakesNoSenseIsRefused(text: String, sentence: String) {
        let complaint = complaint("origin: http://a\n" + text)
        #expect(complaint.contains(sentence), "\(complaint)")
    }

    @Test func shadowsNeedARestart() throws {
        let (one, other) = (try configuration("origin: http://a"), try configuration("origin: http://a\nshadows: [lru]"))
        #expect(other.settingsThatNeedRestart(after: one) == ["shadows"])
        #expect(other.keepingWhatNeedsRestart(of: one).shadows == nil)
    }

    @Test func settingsThatOnlyProgramsHaveNeedARestartToo() throws {
        let one = try configuration("origin: http://a")
        var other = one
        (other.cache.partition, other.cache.inlineBodyBytes, other.cache.collapsesAcrossCaches) = ("tenant", 1, true)
        #expect(other.settingsThatNeedRestart(after: one) == ["cache.partition", "cache.inline-body-bytes", "redis.collapse"])
    }

    @Test func anOriginOnTheCommandLineContradictsUpstreamsInTheFile() {
        let complaint = complaint("upstreams: [{servers: http://b}]", flags: [("origin", ["http://a"])])
        #expect(complaint.contains("--origin: This and the upstreams of hoard.yaml contradict each other"))
    }

    @Test func twoTokensContradictEachOther() {
        let environment = ["HOARD_PROXY_ADMIN_TOKEN": "sixteen-or-longer"]
        let complaint = complaint("origin: http://a\nadmin: {address: ':1', token-file: t}", environment: environment)
        #expect(complaint.contains("by --admin-token-file and by HOARD_PROXY_ADMIN_TOKEN"))
    }

    // MARK: Printing

    @Test(arguments: ["origin: http://localhost:3000", whole]) func whatIsPrintedIsReadBackAsTheSame(text: String) throws {
        let first = try settings(text)
        let printed = first.yaml
        let second = try settings(printed)
        #expect(second.yaml == printed)
        let (one, other) = (try first.configuration(), try second.configuration())
        #expect(one.listeners == other.listeners && one.upstreams == other.upstreams && one.routes == other.routes)
        #expect(one.limits == other.limits && one.admin == other.admin && one.accessLog == other.accessLog)
        #expect("\(one.cache)" == "\(other.cache)")
        #expect(first.gracePeriod == second.gracePeriod && first.logLevel == second.logLevel && first.cache.directory == second.cache.directory)
    }

    @Test func valuesOfFieldsThatHoldSecretsAreNotPrintedAndNotReadBack() throws {
        let settings = try settings(
            """
            origin: http://a
            routes:
              - request-set: ["Authorization: Bearer s3cret", "X-Site: {host}"]
                request-add: ["X-Api-Key: s3cret", "X-Origin-Verify: s3cret"]
                response-set: ["X-Token-Kind: none"]
            warm-up: {urls: list, fields: ["Cookie: id=s3cret", "Accept-Encoding: gzip"]}
            """
        )
        let printed = settings.yaml
        #expect(!printed.contains("s3cret"))
        let lines = [
            "Authorization: (hidden)", "X-Site: {host}", "X-Api-Key: (hidden)", "X-Origin-Verify: (hidden)", "X-Token-Kind: none",
            "Cookie: (hidden)", "Accept-Encoding: gzip",
        ]
        for line in lines {
            #expect(printed.contains("- \"\(line)\"\n"), "\(line)")
        }
        #expect(complaint(printed).contains("The value of “Authorization” is hidden"))
    }

    @Test func textsWithEverythingInThemAreReadBack() throws {
        for tag in ["a\"b", "a\\b", "#x", "- x", "a: b", "yes", "null", "ä€😀", "  x ", "'", "%", "*", "&a", "1"] {
            var settings = try settings("origin: http://a\nroutes: [{tags: [x]}]")
            settings.routes[0].policy.tags = [tag]
            #expect(try self.settings(settings.yaml).routes[0].policy.tags == [tag], "\(tag)")
        }
    }

    @Test func hostileFilesEndInAnError() {
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...8 { bomb += "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ") + "]\n" }
        #expect(complaint(bomb).contains("holds more than"))
        #expect(complaint(String(repeating: "x", count: 2 << 20)).contains("longer than"))
        #expect(!complaint(String(repeating: "[", count: 5_000)).isEmpty)
        #expect(complaint("origin: *nowhere").contains("YAML"))
    }

    @Test func randomBytesNeverCrash() {
        let seeds = Array(Self.whole.utf8)
        for seed in 0..<300 as Range<UInt64> {
            var generator = Seeded(state: seed)
            var bytes = seeds
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            for line in complaint(text).split(separator: "\n") { #expect(line.count < 2_000, "seed \(seed)") }
        }
    }

    // MARK: Descriptions

    @Test func everyOptionIsDescribedAndFlagsAreUnique() {
        let flags = ProxySettings.descriptions.compactMap(\.flag)
        #expect(Set(flags).count == flags.count)
        for description in ProxySettings.descriptions {
            #expect(description.summary.hasSuffix("."), "\(description.path)")
            switch description.form {
            case .section, .sections: break
            default:
                let isOfOneItemOnly = [
                    "upstreams.name", "upstreams.servers", "routes.hosts", "routes.path", "routes.upstream", "routes.site", "routes.requests",
                    "routes.codings", "routes.equal-values",
                    "listen.address",
                    "listen.hosts.names", "listen.hosts.tls-certificates", "listen.hosts.tls-key", "shadows.policy", "shadows.memory",
                ]
                let needsFlag = !isOfOneItemOnly.contains(description.path)
                #expect((description.flag != nil) == needsFlag, "\(description.path)")
            }
        }
    }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 31)
    }
}
