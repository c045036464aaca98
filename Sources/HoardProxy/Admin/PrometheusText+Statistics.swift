// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension PrometheusText {
    /// Writes the figures of a proxy. No label has a URL, a key or a tag: each has a bounded number of values, which no client can choose.
    package init(_ snapshot: ProxyStatistics.Snapshot) {
        self.init()
        addRequests(snapshot)
        // Hits on disk are labelled “store”, as there may be other stores some day; hits in Redis have its name.
        addLatencies(snapshot.latency, storeName: snapshot.disk == nil ? snapshot.shared?.name ?? "store" : "store")
        addSpace(snapshot)
        if let shared = snapshot.shared { addSharedTier(shared) }
        addEvictions(snapshot.evictions)
        if let connections = snapshot.connections {
            add("hoard_connections_open", .gauge, "Connections of clients that are open.", connections.open)
            if let limit = connections.limit { add("hoard_connections_limit", .gauge, "Connections of clients that may be open.", limit) }
            if let count = connections.accepted {
                add("hoard_connections_accepted_total", .counter, "Connections of clients that were accepted.", count)
            }
            if let webSockets = connections.webSockets {
                add("hoard_websockets_open", .gauge, "WebSockets that are open.", webSockets.open)
                add("hoard_websockets_opened_total", .counter, "WebSockets that were opened.", webSockets.opened)
            }
        }
        addOrigins(snapshot.origins ?? [])
        if let sites = snapshot.sites { addSites(sites) }
        if let recording = snapshot.recording { addRecording(recording) }
        if let shadows = snapshot.shadows { addShadows(shadows) }
        addProcess(snapshot)
    }

    private mutating func addSites(_ sites: [ProxyStatistics.Snapshot.Site]) {
        func samples(_ value: (ProxyStatistics.Snapshot.Site) -> Int) -> [Sample] { sites.map { Sample(Double(value($0)), [("site", $0.name)]) } }
        add("hoard_site_requests_total", .counter, "Requests on the routes of a site.", samples(\.requests))
        add("hoard_site_hits_total", .counter, "Requests on the routes of a site that the cache answered.", samples(\.hits))
        add("hoard_site_errors_total", .counter, "Failures, and responses with a status of 500 or more, on the routes of a site.", samples(\.errors))
        add("hoard_site_served_bytes_total", .counter, "Bytes of content sent to clients on the routes of a site.", samples(\.bytesServed))
        add(
            "hoard_site_saved_bytes_total",
            .counter,
            "Bytes of content on the routes of a site that origins did not have to send.",
            samples(\.bytesSaved)
        )
    }

    private mutating func addRequests(_ snapshot: ProxyStatistics.Snapshot) {
        let requests = snapshot.requests
        add("hoard_requests_total", .counter, "Requests answered, by what the cache did.", Self.samples(requests.byOutcome, label: "outcome"))
        add("hoard_responses_total", .counter, "Responses, by the class of their status.", Self.samples(requests.byStatus, label: "class"))
        add("hoard_requests_refused_total", .counter, "Requests refused before the cache was asked.", requests.refused)
        add("hoard_served_bytes_total", .counter, "Bytes of content sent to clients.", snapshot.bytes.served)
        add("hoard_origin_bytes_total", .counter, "Bytes of content that came from origins for the answers to clients.", snapshot.bytes.fromOrigin)
        add("hoard_saved_bytes_total", .counter, "Bytes of content that origins did not have to send.", snapshot.bytes.saved)
    }

    private mutating func addLatencies(_ latencies: ProxyStatistics.Snapshot.Latencies, storeName: String) {
        let tiers = [("memory", latencies.memory), (storeName, latencies.store), ("origin", latencies.origin), ("none", latencies.none)]
        var samples: [Sample] = []
        for (tier, percentiles) in tiers {
            for (quantile, value) in [("0.5", percentiles.p50), ("0.9", percentiles.p90), ("0.99", percentiles.p99), ("0.999", percentiles.p999)] {
                samples.append(Sample(percentiles.count == 0 ? .nan : value / 1e6, [("tier", tier), ("quantile", quantile)]))
            }
            samples.append(Sample(Double(percentiles.count), suffix: "_count", [("tier", tier)]))
        }
        add(
            "hoard_response_seconds",
            .summary,
            "Time from the head of a request to the first byte of its response since the start, by the tier that had the content.",
            samples
        )
    }

    private mutating func addSpace(_ snapshot: ProxyStatistics.Snapshot) {
        let tiers = [("memory", snapshot.memory), ("disk", snapshot.disk), (snapshot.shared?.name ?? "", snapshot.shared?.space)]
            .compactMap { name, space in space.map { (name, $0) } }
        func samples(_ value: (ProxyStatistics.Snapshot.Space) -> Int?) -> [Sample] {
            tiers.compactMap { name, space in value(space).map { Sample(Double($0), [("tier", name)]) } }
        }
        add("hoard_cache_bytes", .gauge, "Bytes that the cache takes up.", samples(\.bytes))
        add("hoard_cache_limit_bytes", .gauge, "Bytes that the cache may take up.", samples(\.limit))
        add("hoard_cache_entries", .gauge, "Entries in the cache.", samples(\.entries))
    }

    private mutating func addSharedTier(_ tier: ProxyStatistics.Snapshot.SharedTier) {
        let labels = [("tier", tier.name)]
        add("hoard_store_up", .gauge, "Whether the store that proxies share answers.", [Sample(tier.state == .unreachable ? 0 : 1, labels)])
        if let hits = tier.hits, let misses = tier.misses {
            add("hoard_store_hits_total", .counter, "Reads of the shared store that found something.", [Sample(Double(hits), labels)])
            add("hoard_store_misses_total", .counter, "Reads of the shared store that found nothing.", [Sample(Double(misses), labels)])
        }
        add(
            "hoard_store_failures_total",
            .counter,
            "What the shared store has failed to do, or not done in time.",
            [Sample(Double(tier.failures), labels)]
        )
        add(
            "hoard_store_pending_invalidations",
            .gauge,
            "Removals that the shared store has still to be told of.",
            [Sample(Double(tier.pendingInvalidations), labels)]
        )
    }

    private mutating func addEvictions(_ evictions: ProxyStatistics.Snapshot.Evictions?) {
        let tiers = [("memory", evictions?.memory), ("disk", evictions?.disk)].compactMap { name, causes in causes.map { (name, $0) } }
        let samples = tiers.flatMap { name, causes in
            [("capacity", causes.capacity), ("expired", causes.expired), ("removed", causes.removed), ("replaced", causes.replaced)]
                .compactMap { cause, count in count.map { Sample(Double($0), [("tier", name), ("cause", cause)]) } }
        }
        add("hoard_cache_departures_total", .counter, "Entries that have left the cache, by the cause.", samples)
    }

    private mutating func addOrigins(_ groups: [ProxyStatistics.Snapshot.OriginGroup]) {
        let servers = groups.flatMap { group in
            group.servers.enumerated().map { (labels: [("upstream", group.name), ("server", String($0.offset))], server: $0.element) }
        }
        func samples(_ value: (ProxyStatistics.Snapshot.OriginGroup.Server) -> Int) -> [Sample] {
            servers.map { Sample(Double(value($0.server)), $0.labels) }
        }
        add(
            "hoard_origin_up",
            .gauge,
            "Whether a server of an upstream counts as healthy; the servers are numbered.",
            samples { $0.state == "unhealthy" ? 0 : 1 }
        )
        add("hoard_origin_requests_total", .counter, "Requests sent to a server of an upstream.", samples(\.requests))
        add("hoard_origin_failures_total", .counter, "Requests to a server of an upstream that failed.", samples(\.failures))
        add("hoard_origin_requests_in_progress", .gauge, "Requests to a server of an upstream that are not over.", samples(\.inProgress))
        add("hoard_origin_connections", .gauge, "Connections to a server of an upstream.", samples(\.connections))
    }

    private mutating func addProcess(_ snapshot: ProxyStatistics.Snapshot) {
        if let log = snapshot.accessLog {
            add("hoard_access_log_lines_total", .counter, "Lines written to the access log.", log.written)
            add("hoard_access_log_dropped_total", .counter, "Requests that came too fast to be written down.", log.dropped)
            add("hoard_access_log_lost_total", .counter, "Lines that could not be written to the access log.", log.lost)
        }
        if let traces = snapshot.traces {
            add("hoard_trace_spans_total", .counter, "Spans that the collector of traces took.", traces.sent)
            add("hoard_trace_dropped_total", .counter, "Spans that came faster than they could be sent.", traces.dropped)
            add("hoard_trace_failed_total", .counter, "Spans that the collector of traces did not take.", traces.failed)
        }
        if let warmUp = snapshot.warmUp {
            add("hoard_warm_up_running", .gauge, "Whether the proxy asks itself for URLs now.", warmUp.isRunning ? 1 : 0)
            add("hoard_warm_up_urls", .gauge, "URLs that the last warm-up has asked for.", warmUp.urls)
            add("hoard_warm_up_failed", .gauge, "URLs and sitemaps of the last warm-up that failed.", warmUp.failed)
        }
        add("hoard_uptime_seconds", .gauge, "Time since the proxy started.", [Sample(snapshot.uptimeSeconds)])
        add("hoard_info", .gauge, "The version that runs; always 1.", [Sample(1, [("version", snapshot.version)])])
        if let bytes = snapshot.process.residentBytes { add("process_resident_memory_bytes", .gauge, "Resident memory of the process.", bytes) }
        if let count = snapshot.process.openFiles { add("process_open_fds", .gauge, "Open file descriptors of the process.", count) }
    }

    private static func samples(_ counts: [String: Int], label: String) -> [Sample] {
        counts.sorted { $0.key < $1.key }.map { Sample(Double($0.value), [(label, $0.key)]) }
    }
}
