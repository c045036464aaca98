// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardSimulator

extension ProxySettings {
    /// All options, in the order in which they are written and documented.
    static let schema: [Setting<ProxySettings>] = [
        .sections(
            "listen",
            \.listeners,
            listenerSchema,
            flag: "listen",
            initially: Listener(),
            maximumCount: 64,
            "Where clients connect. In a file each is a group of options or only its address; on the command line and in the environment only an address."
        ) { value throws(SettingProblem) in
            var listener = Listener()
            listener.address = try value.address()
            return listener
        },
        .value(
            "origin",
            .urls,
            \.origins,
            flag: "origin",
            "The server that requests go to: an http or https URL, with a path if all requests go below it. Several are one upstream that answers alike. It is for a proxy without “upstreams”."
        ) { value throws(SettingProblem) in
            try value.origins()
        } write: {
            $0.isEmpty ? nil : .list($0.map { .scalar("\($0)") })
        },
        .sections(
            "upstreams",
            \.upstreams,
            upstreamSchema,
            initially: Upstream(),
            maximumCount: 256,
            "Groups of servers, by name. On the command line and in the environment, their options hold for all of them."
        ),
        .sections(
            "routes",
            \.routes,
            routeSchema,
            initially: Route(),
            maximumCount: 1_000,
            "Which request goes where, and what is cached how. The first route that fits decides. Without routes everything goes to the one upstream. On the command line and in the environment, their options hold for all of them."
        ),
        .section("cache", \.cache, cacheSchema, initially: Cache(), "What is kept, where, and how it is judged."),
        .section("redis", \.redis, redisSchema, initially: Redis(), "What proxies share, and through which server."),
        .section("limits", \.limits, limitSchema, initially: .init(), "What clients may ask of the proxy."),
        .networks(
            "trusted-proxies",
            \.trustedProxies,
            flag: "trusted-proxies",
            "Networks, such as 10.0.0.0/8 or ::1, of proxies in front of this one: what they say of clients in Forwarded (RFC 7239), X-Forwarded-For and X-Forwarded-Proto is believed. From others it is dropped. “unix” stands for Unix sockets."
        ),
        .section("admin", \.admin, adminSchema, initially: Admin(), "Where the proxy can be watched and told what to do."),
        .section("access-log", \.accessLog, accessLogSchema, initially: AccessLog(), "Where requests are written down."),
        .section(
            "recording",
            \.recording,
            recordingSchema,
            initially: Recording(),
            "A recording of the traffic, for hoard simulate. It holds no URLs."
        ),
        .sections(
            "shadows",
            \.shadows,
            shadowSchema,
            flag: "shadow",
            initially: Shadow(),
            maximumCount: ShadowSimulation.maximumCount,
            "Memory caches of other policies and sizes, simulated on the requests of clients, so that their hit ratios can be compared with that of the cache. In a file each is a group of options or only its policy; on the command line and in the environment a policy, or a policy, a colon and a size, such as lru:256MiB."
        ) { value throws(SettingProblem) in
            try value.shadow()
        },
        .share(
            "shadow-sample",
            \.shadowSample,
            flag: "shadow-sample",
            "The share of the URLs that shadows are simulated on, more than 0 and up to 1. Their sizes are scaled by it."
        ),
        .section("traces", \.traces, traceSchema, initially: Traces(), "Which requests become spans of traces, and where those are collected."),
        .section("warm-up", \.warmUp, warmUpSchema, initially: WarmUp(), "What the proxy asks itself for when it starts, before clients do."),
        .optionalNumber(
            "event-loops",
            \.eventLoopCount,
            flag: "event-loops",
            1...1024,
            "How many threads serve connections. By default one for each core."
        ),
        .duration("grace-period", \.gracePeriod, flag: "grace-period", "How long requests may take to end at shutdown."),
        .choice("log-level", \.logLevel, flag: "log-level", "What to log."),
    ]

    static let listenerSchema: [Setting<Listener>] = [
        .value(
            "address",
            .address,
            \.address,
            "Host and port, or unix: and a path. Port 0 takes any free port; without a host it is all addresses of the machine."
        ) {
            value throws(SettingProblem) in
            try value.address()
        } write: {
            .scalar($0.text)
        },
        .text(
            "tls-certificates",
            \.certificates,
            flag: "tls-certificates",
            "A file of certificates in PEM form, the server's own first. With it and a key, the listener is encrypted."
        ),
        .text("tls-key", \.key, flag: "tls-key", "A file with the private key in PEM form."),
        .sections(
            "hosts",
            \.hostCertificates,
            hostCertificateSchema,
            initially: HostCertificate(),
            maximumCount: 10_000,
            "Certificates of their own for some hosts, chosen by the name that a client gives as TLS begins (SNI). Without “tls-certificates”, a client that names another host or none is refused."
        ),
        .choice("tls-version", \.minimumTLSVersion, flag: "tls-version", "The oldest version of TLS that clients may speak."),
        .texts(
            "tls-ciphers",
            \.cipherSuites,
            flag: "tls-ciphers",
            "Cipher suites of TLS 1.2, the preferred one first. Empty: all that HTTP/2 allows. Those of TLS 1.3 are always the same."
        ) { name in
            let names = CachingProxy.Configuration.Listener.cipherSuiteNames
            return names.contains(name) ? nil : "“\(name)” is none of \(names.joined(separator: ", "))."
        },
        .text(
            "client-authorities",
            \.clientAuthorities,
            flag: "client-authorities",
            "A file of certificates in PEM form, of authorities: clients prove by a certificate of one of these who they are."
        ),
        .choice(
            "client-certificates",
            \.clientCertificates,
            flag: "client-certificates",
            "With “client-authorities”: whether clients without a certificate are refused, or only asked for one."
        ),
        .yesNo(
            "http2",
            \.isHTTP2Enabled,
            flag: "http2",
            "Whether clients may speak HTTP/2: agreed on by ALPN with encryption, with prior knowledge without."
        ),
        .yesNo(
            "proxy-protocol",
            \.expectsProxyProtocol,
            flag: "proxy-protocol",
            "Whether each connection begins with a header of the PROXY protocol (version 1 or 2), which tells the client's address. Only a load balancer may then reach the listener."
        ),
    ]

    static let hostCertificateSchema: [Setting<HostCertificate>] = [
        .texts(
            "names",
            \.hosts,
            "Host names without ports, *.example.com for all below one. An exact name goes before any *, a longer one before a shorter one."
        ) {
            Route.objection(toHost: $0)
        },
        .text("tls-certificates", \.certificates, "A file of certificates in PEM form, the host's own first."),
        .text("tls-key", \.key, "A file with the private key in PEM form."),
    ]

    static let upstreamSchema: [Setting<Upstream>] = [
        .text("name", \.name, "Names it in routes, statistics and logs."),
        .value(
            "servers",
            .urls,
            \.upstream.servers,
            "The servers, as http or https URLs. All have the same path, if any. Keys of the cache name the first one."
        ) {
            value throws(SettingProblem) in
            try value.origins()
        } write: {
            .list($0.map { .scalar("\($0)") })
        },
        .choice(
            "version",
            \.upstream.version,
            flag: "upstream-version",
            "Which version of HTTP is spoken to the servers; automatic takes HTTP/2 where an encrypted server agrees to it."
        ),
        .optionalSection(
            "health-check",
            \.upstream.healthCheck,
            healthCheckSchema,
            initially: .init(),
            "How it is found out whether a server can take requests. Without it, a server counts as unhealthy for a while after requests to it have failed."
        ),
        .duration("connect-timeout", \.upstream.connectTimeout, flag: "connect-timeout", isPositive: true, "How long making a connection may take."),
        .duration(
            "response-timeout",
            \.upstream.responseTimeout,
            flag: "response-timeout",
            isPositive: true,
            "How long a server may take for the head of its response, from the end of the request."
        ),
        .duration(
            "idle-timeout",
            \.upstream.idleTimeout,
            flag: "upstream-idle-timeout",
            isPositive: true,
            "How long a server may send nothing in the middle of a response, or take nothing of a request."
        ),
        .number("connections", \.upstream.maximumConnectionCount, flag: "upstream-connections", 1...65_535, "The most connections to each server."),
        .number("retries", \.upstream.maximumRetryCount, flag: "retries", 0...100, "How often a request is sent again at most, where that is safe."),
        .text(
            "trust-roots",
            \.upstream.additionalTrustRootsPath,
            flag: "trust-roots",
            "A file of certificates in PEM form that are trusted as well as those of the system."
        ),
        .text(
            "tls-certificates",
            \.certificates,
            flag: "upstream-tls-certificates",
            "A file of certificates in PEM form, by which the proxy proves to encrypted servers who it is. It needs “tls-key”."
        ),
        .text("tls-key", \.key, flag: "upstream-tls-key", "A file with the private key in PEM form."),
        .yesNo(
            "forward-host",
            \.upstream.forwardsHost,
            flag: "forward-host",
            "Whether servers get the client's host name instead of their own. It then is part of the key, so only routes with hosts keep strangers from filling the cache."
        ),
        .yesNo(
            "tell-of-client",
            \.upstream.tellsOfClient,
            flag: "tell-of-client",
            "Whether Forwarded (RFC 7239), X-Forwarded-For, -Proto and -Host tell the servers of the client, and Client-Cert (RFC 9440) of its certificate."
        ),
        .yesNo(
            "pass-underscores",
            \.upstream.passesUnderscores,
            flag: "pass-underscores",
            "Whether servers get fields with underscores in their names, which many read as if they were hyphens. Those like X_Forwarded_For and Content_Length are never passed."
        ),
        .yesNo(
            "websockets",
            \.upstream.passesWebSockets,
            flag: "websockets",
            "Whether clients may open WebSockets to the servers, which must speak HTTP/1.1. Each takes a connection of its own, beyond “connections”."
        ),
    ]

    static let healthCheckSchema: [Setting<CachingProxy.Configuration.Upstream.HealthCheck>] = [
        .value("path", .text, \.path, flag: "health-check-path", "What is asked for. A response of status 200 to 399 is a sign of health.") {
            value throws(SettingProblem) in
            try value.path()
        } write: {
            .scalar($0)
        },
        .duration("interval", \.interval, flag: "health-check-interval", isPositive: true, "How often."),
        .duration("timeout", \.timeout, flag: "health-check-timeout", isPositive: true, "How long the response may take."),
        .number("failures", \.failureThreshold, flag: "health-check-failures", 1...1_000, "So many failures in a row make a server unhealthy."),
        .number("successes", \.successThreshold, flag: "health-check-successes", 1...1_000, "So many successes in a row make it healthy again."),
    ]

    static let routeSchema: [Setting<Route>] =
        [
            .texts("hosts", \.hosts, "Host names without ports, *.example.com for all below one. Empty: any.") { Route.objection(toHost: $0) },
            .value("path", .text, \.path, "What the path begins with.") { value throws(SettingProblem) in
                try value.path()
            } write: {
                .scalar($0)
            },
            .text("upstream", \.upstream, "The name of the upstream that requests go to. It may be left out if there is only one."),
            .text(
                "site",
                \.site,
                "A name under which the requests of the route are counted in the statistics, together with those of other routes of that name."
            ),
            .optionalNumber(
                "requests",
                \.maximumRequestCount,
                1...1_000_000,
                "How many requests may be in progress that memory cannot answer, on all routes of the site together; more are answered with 503. Routes of one site need the same number. By default any number."
            ),
            .yesNo("bypass", \.policy.isBypassed, flag: "bypass", "Requests neither get stored responses, nor are theirs stored."),
            .yesNo(
                "codings",
                \.policy.codesContent,
                "Whether content is coded, if the cache has codings. “no” is for responses that mix secrets with what clients send (BREACH)."
            ),
            .optionalDuration(
                "lifetime",
                \.lifetime,
                flag: "lifetime",
                "How long responses are fresh, whatever they say themselves in Cache-Control (even no-store and private) or Expires, as a targeted field would have it (RFC 9213). It is not meant for errors such as 500, nor for responses with Set-Cookie or to requests with Authorization, which speak for themselves."
            ),
            .optionalDuration(
                "default-lifetime",
                \.defaultLifetime,
                flag: "default-lifetime",
                "How long responses are fresh that say nothing of it themselves, instead of a heuristic (RFC 9111 §4.2.2)."
            ),
            .optionalDuration(
                "stale-while-revalidate",
                \.policy.staleWhileRevalidate,
                flag: "stale-while-revalidate",
                "For how long a stale response is served while it is revalidated in the background, if it does not say itself (RFC 5861 §3)."
            ),
            .optionalDuration(
                "stale-if-error",
                \.policy.staleIfError,
                flag: "stale-if-error",
                "For how long a stale response stands in for an origin that fails, if it does not say itself (RFC 5861 §4)."
            ),
            .texts(
                "ignore-query",
                \.policy.ignoredQueryParameters,
                flag: "ignore-query",
                "Parameters of the query that do not matter to the cache: names, or beginnings of names with * behind them; * alone for all. The origin gets them."
            ),
            .value(
                "key-fields",
                .texts,
                \.policy.keyFields,
                flag: "key-fields",
                "Fields of the request that responses depend on although they do not say so in Vary."
            ) {
                value throws(SettingProblem) in
                try value.fieldNames()
            } write: {
                .list($0.map { .scalar($0.rawName) })
            },
            .value(
                "equal-values",
                .texts,
                \.policy.normalizations,
                "Values of request fields that mean the same, to the cache and to the origin: “Accept-Language: de*, DE -> de” or “User-Agent: *Mobile* -> mobile”. A * at the beginning or the end stands for any text. The first rule that fits decides; an empty value behind the arrow leaves the field out."
            ) { value throws(SettingProblem) in
                var rules: [FieldNormalization] = []
                for item in try value.list() {
                    let text = try item.text("a rule")
                    guard let rule = FieldNormalization(text) else {
                        throw item.problem("“\(text)” is no rule such as “Accept-Language: de*, DE -> de”.")
                    }
                    rules.append(rule)
                }
                return rules
            } write: {
                .list($0.map { .scalar($0.text) })
            },
            .value("tags", .texts, \.policy.tags, flag: "tags", "What responses may be removed by, beyond their own tags.") {
                value throws(SettingProblem) in
                try value.tags()
            } write: {
                .list($0.sorted().map { .scalar($0) })
            },
        ] + ruleSchema

    static let cacheSchema: [Setting<Cache>] = [
        .text(
            "directory",
            \.directory,
            flag: "directory",
            "The directory of the cache. By default the user's own: $XDG_CACHE_HOME/hoard, or ~/.cache/hoard."
        ),
        .value(
            "disk",
            .size,
            \.givenDiskByteCount,
            flag: "max-bytes",
            "The most bytes kept on disk, such as 512MiB or 10G. 0: nothing is kept on disk, as is so by default with a Redis."
        ) { value throws(SettingProblem) in
            try value.size(in: 0...Int.max)
        } write: {
            .scalar(SizeText.text($0 ?? 1 << 30))
        },
        .optionalNumber(
            "disk-entries",
            \.diskEntryCount,
            flag: "max-entries",
            0...Int.max,
            "The most responses kept on disk. By default only their bytes are limited."
        ),
        .size("memory", \.memoryByteCount, flag: "memory-bytes", "The most bytes kept in memory."),
        .optionalSize(
            "object",
            \.objectByteCount,
            flag: "max-object-bytes",
            "The longest body that is kept; longer ones are only passed on. By default 512 MiB, or all that disk allows if that is less; with a Redis 64 MiB; without either an eighth of memory."
        ),
        .value(
            "targets",
            .texts,
            \.http.targets,
            flag: "cdn-targets",
            "The fields with directives for this cache (RFC 9213), the most specific first. Empty for none."
        ) {
            value throws(SettingProblem) in
            try value.fieldNames().map(\.rawName)
        } write: {
            .list(($0 ?? []).map { .scalar($0) })
        },
        .duration(
            "stale-if-unreachable",
            \.http.staleIfUnreachable,
            flag: "stale-if-unreachable",
            "How long after its time a response may stand in for an origin that cannot be reached, if no directive says anything. 0 for not at all."
        ),
        .duration(
            "revalidation-period",
            \.http.revalidationPeriod,
            flag: "revalidation-period",
            "How long a stale response that has a validator is kept, to be revalidated rather than fetched again."
        ),
        .duration(
            "collapse-timeout",
            \.http.collapseTimeout,
            flag: "collapse-timeout",
            "How long a request waits for the head of the answer to another request like it before it goes to the origin by itself. 0: requests never wait for each other."
        ),
        .number(
            "variants",
            \.http.maximumVariants,
            flag: "variants",
            1...65_535,
            "The most responses to one URL that differ by request fields (Vary)."
        ),
        .size(
            "query-content",
            \.http.maximumQueryBytes,
            flag: "query-bytes",
            "The longest content of a QUERY request whose response is kept (RFC 10008). It is read into memory before the cache is asked; a request with more is only passed on."
        ),
        .choice(
            "digests",
            \.http.digests,
            flag: "digests",
            "What becomes of responses to be kept whose content is not what Content-Digest or Repr-Digest states (RFC 9530): it is not looked at, or they are passed on and not kept, or refused."
        ),
        .texts(
            "codings",
            \.codings,
            flag: "codings",
            "In which codings text and the like is served to clients that accept them, the best first: br, zstd, gzip. What is kept has one form for all clients; the others are made when they are first asked for. Empty: content is served as it came."
        ) {
            HTTPCache.ContentCodingPolicy.objection(toCoding: $0)
        },
        .size(
            "dictionaries",
            \.dictionaryByteCount,
            flag: "dictionary-bytes",
            "With “codings”: the most bytes of responses that are remembered as dictionaries (RFC 9842), so that clients which have an earlier version get what is new (dcz). One has a quarter of it at most. 0: none."
        ),
        .size(
            "in-flight",
            \.http.maximumBytesInFlight,
            flag: "in-flight-bytes",
            "The most bytes of bodies that are being received and wait to be stored; beyond it bodies are only passed on."
        ),
        .value("name", .text, \.http.name, flag: "name", "Names the cache in Cache-Status and Via.") { value throws(SettingProblem) in
            try value.cacheName()
        } write: {
            .scalar($0)
        },
    ]

    static let limitSchema: [Setting<CachingProxy.Configuration.Limits>] = [
        .number("connections", \.connectionCount, flag: "connections", 1...1_000_000, "How many connections are served at once."),
        .optionalNumber(
            "connections-per-address",
            \.connectionCountPerAddress,
            flag: "connections-per-address",
            1...1_000_000,
            "How many of them one address may have. By default any number."
        ),
        .number("streams", \.streamCount, flag: "streams", 1...10_000, "How many streams an HTTP/2 connection may have at once."),
        .size("target", \.targetByteCount, flag: "target-bytes", in: 64...(1 << 20), "The longest request target."),
        .size(
            "headers",
            \.headerByteCount,
            flag: "header-bytes",
            in: 256...(16 << 20),
            "The most bytes in the names and values of a request's fields."
        ),
        .number("header-fields", \.headerFieldCount, flag: "header-fields", 1...10_000, "The most fields in a request."),
        .optionalSize(
            "content",
            \.requestContentByteCount,
            flag: "content-bytes",
            absent: "no",
            "The longest content of a request; longer ones get 413. no: any length."
        ),
        .duration("idle-timeout", \.idleTimeout, flag: "idle-timeout", isPositive: true, "How long a connection may be idle between two requests."),
        .duration("head-timeout", \.headTimeout, flag: "head-timeout", isPositive: true, "How long the head of a request may take."),
        .duration(
            "body-timeout",
            \.bodyTimeout,
            flag: "body-timeout",
            isPositive: true,
            "How long a client may send nothing of its request's content."
        ),
        .duration("write-timeout", \.writeTimeout, flag: "write-timeout", isPositive: true, "How long a client may take none of its response."),
        .duration(
            "websocket-idle-timeout",
            \.webSocketIdleTimeout,
            flag: "websocket-idle-timeout",
            isPositive: true,
            "How long nothing may pass through a WebSocket, in either direction."
        ),
        .optionalDuration(
            "websocket-timeout",
            \.webSocketTimeout,
            flag: "websocket-timeout",
            "How long a WebSocket may be open. By default any time."
        ),
        .size(
            "minimum-rate",
            \.minimumBytesPerSecond,
            flag: "minimum-rate",
            "The fewest bytes per second, on average over half a minute, with which a client may send content or take its response. 0: no limit."
        ),
    ]

    static let adminSchema: [Setting<Admin>] = [
        .value(
            "address",
            .address,
            \.address,
            flag: "admin",
            "Its own address: host and port, or unix: and a path. It must not be reachable by strangers. Without it there is no admin interface."
        ) {
            value throws(SettingProblem) in
            try value.isAbsent ? nil : value.address()
        } write: {
            $0.map { .scalar($0.text) }
        },
        .text(
            "token-file",
            \.tokenFile,
            flag: "admin-token-file",
            "A file with the token that requests need which change anything. It is made, with a token that nobody can guess, if it does not exist. Without a token there are no such requests. The token itself may be given in the environment as HOARD_PROXY_ADMIN_TOKEN."
        ),
        .texts(
            "host-names",
            \.hostNames,
            flag: "admin-host-names",
            "The names, beside addresses and localhost, by which browsers may ask for the admin interface. Others are refused."
        ) { name in
            name == "*"
                ? "“*” would let the pages of all sites in; write the names, or *.example.com for all names below one."
                : ProxySettings.Route.objection(toHost: name)
        },
    ]

    static let accessLogSchema: [Setting<AccessLog>] = [
        .text(
            "path",
            \.path,
            flag: "access-log",
            "A file, which is appended to, and opened anew on SIGHUP; - for standard output. Without it requests are not written down."
        ),
        .choice(
            "format",
            \.format,
            flag: "access-log-format",
            "The combined format of Apache and nginx, with the cache's status and times behind it; or an object of JSON on each line."
        ),
    ]

    static let recordingSchema: [Setting<Recording>] = [
        .text(
            "path",
            \.path,
            flag: "record-trace",
            "A file into which is recorded which responses the cache is asked for, by pseudonyms. One that is there already is kept with the suffix .1. Without it nothing is recorded."
        ),
        .share(
            "sample",
            \.sampledShare,
            flag: "record-trace-sample",
            "The share of the URLs that are recorded, more than 0 and up to 1. All requests for a URL are recorded, or none."
        ),
        .size(
            "file-size",
            \.maximumFileBytes,
            flag: "record-trace-file-size",
            in: 65_536...Int.max,
            "How large a file may become before another one is begun."
        ),
        .number(
            "files",
            \.fileCount,
            flag: "record-trace-files",
            1...1_000,
            "How many files are kept; the older ones have the suffixes .1, .2 and so on."
        ),
        .yesNo(
            "groups",
            \.recordsGroups,
            flag: "record-trace-groups",
            "Whether a miss is recorded with a pseudonym of the first part of its path."
        ),
    ]

    static let traceSchema: [Setting<Traces>] = [
        .value(
            "collector",
            .url,
            \.collector,
            flag: "trace-collector",
            "The base URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; /v1/traces is added. Without it requests make no spans, and traceparent is passed on as it came."
        ) { value throws(SettingProblem) in
            if value.isAbsent { return nil }
            let text = try value.text("a URL")
            do throws(ProxyError) { return try Origin(text) } catch { throw value.problem(error.message) }
        } write: {
            $0.map { .scalar("\($0)") }
        },
        .value(
            "sample",
            .number,
            \.sampledShare,
            flag: "trace-sample",
            "The share of requests that make spans, from 0 to 1. A request whose traceparent says whether it is sampled is treated as that says."
        ) { value throws(SettingProblem) in
            let text = try value.text("a number")
            guard let share = Double(text), (0...1).contains(share) else {
                throw value.problem("“\(text)” is no share; write a number from 0 to 1, such as 0.01.")
            }
            return share
        } write: {
            .scalar("\($0)")
        },
        .text("service-name", \.serviceName, flag: "trace-service-name", "The name of the proxy in spans. By default hoard."),
    ]

    static let warmUpSchema: [Setting<WarmUp>] = [
        .texts(
            "sitemaps",
            \.sitemaps,
            flag: "warm-sitemaps",
            "Sitemaps by their URLs, or by their paths if the host does not matter. They are asked for through the proxy, and may name other sitemaps."
        ) { text in
            let isKnown = text.hasPrefix("/") || TargetURI.normalized(text) != nil
            return isKnown ? nil : "“\(text)” is neither a path nor an http or https URL with a host."
        },
        .text("urls", \.urlsPath, flag: "warm-urls", "A file with a URL, or the path of one, on each line, or a sitemap."),
        .number("concurrency", \.concurrency, flag: "warm-concurrency", 1...1_000, "How many URLs are asked for at a time."),
        .value(
            "rate",
            .number,
            \.rate,
            flag: "warm-rate",
            "The most URLs per second. By default as fast as answers come."
        ) { value throws(SettingProblem) in
            if value.isAbsent { return nil }
            let text = try value.text("a number")
            guard let rate = Double(text), Warming.rates.contains(rate) else {
                throw value.problem("“\(text)” is no rate; write a number from 0.001 to 1000000.")
            }
            return rate
        } write: {
            $0.map { .scalar("\($0)") }
        },
        .fields(
            "fields",
            \.fields,
            flag: "warm-fields",
            "Fields of the requests, such as “Accept-Encoding: gzip, br”: responses that differ by request fields (Vary) are stored for these."
        ) {
            CachingProxy.Configuration.Route.objection(toRequestField: $0)
        },
        .duration(
            "readiness-wait",
            \.maximumReadinessWait,
            flag: "warm-readiness-wait",
            "How long /readyz waits for the end of the warm-up at most. Until then, what no server could answer is asked for again. 0: neither."
        ),
    ]

    /// All options with their names, for documents and flags.
    package static let descriptions: [SettingDescription] = schema.flatMap { $0.descriptions(of: ProxySettings()) }
}
