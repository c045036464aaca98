// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardNIO
internal import Synchronization

/// A proxy as its admin server sees it.
struct ProxyView: Sendable {
    let parts: CachingProxy.Parts
    let server: HTTPServer
    let state: ProxyState
    let warming: ProxyWarming

    var adminServices: AdminServices {
        var services = AdminServices(
            cache: parts.cache,
            resolve: { [routes = parts.routes] text, extent in
                switch routes.current.cacheURIs(for: text, isPrefix: extent == .prefix) {
                case .uris(let uris): .targets(uris.map { .init(uri: $0.uri, policy: $0.policy) })
                case .hostIsMissing: .hostIsMissing
                case .nothing: .unknown
                }
            },
            statistics: { await snapshot() },
            readiness: { await readiness() },
            page: { DashboardPage.response(allowsChanges: $0) }
        )
        let resizing = ProxyResizing(cache: parts.cache, statistics: parts.recorder.statistics, state: state)
        services.resize = { memoryBytes, diskBytes throws(ProxyError) in
            try await resizing.resize(memoryBytes: memoryBytes, diskBytes: diskBytes)
        }
        services.warming = warming
        services.explainRules = { [routes = parts.routes] in routes.current.explanation(of: $0) ?? [] }
        return services
    }

    /// The figures as they stand now.
    func snapshot() async -> ProxyStatistics.Snapshot {
        let figures = await parts.cache.figures()
        return parts.recorder.statistics.snapshot(
            .init(
                memory: figures.memory,
                disk: figures.disk,
                shared: figures.shared,
                evictions: figures.evictions,
                connections: .init(
                    open: server.connectionCount,
                    limit: server.maximumConnectionCount,
                    accepted: server.acceptedConnectionCount,
                    webSockets: .init(open: parts.webSockets.open, opened: parts.webSockets.total)
                ),
                origins: state.value.withLock { $0.upstreams }.groups.map { group in
                    .init(name: group.upstream.name, servers: group.states().map { .init($0) })
                },
                accessLog: parts.recorder.accessLog?.counts,
                traces: parts.routes.current.tracing?.counts,
                warmUp: warming.progress.map { .init($0) },
                recording: parts.recording.figures,
                shadows: parts.recording.shadowFigures,
                sites: parts.routes.current.siteNumbers.all
            )
        )
    }

    /// Whether requests can be answered. A proxy whose servers are all ill still answers from its cache.
    func readiness() async -> AdminServices.Readiness {
        let (hasEnded, upstreams) = state.value.withLock { ($0.hasEnded, $0.upstreams) }
        if hasEnded { return .notReady("The proxy is about to end.") }
        if let sentence = warming.reasonToWait { return .notReady(sentence) }
        guard upstreams.groups.flatMap({ $0.states() }).allSatisfy({ $0.state == .unhealthy }) else { return .ready }
        let figures = await parts.cache.figures()
        if [figures.memory, figures.disk, figures.shared?.space].contains(where: { $0?.entries ?? 0 > 0 }) { return .ready }
        return .notReady("No server of any upstream answers, and nothing is stored that could be served instead.")
    }
}

extension ProxyStatistics.Snapshot.WarmUp {
    fileprivate init(_ progress: ProxyWarming.Progress) {
        let report = progress.report
        self.init(
            isRunning: progress.isRunning,
            total: progress.total,
            urls: report.urls,
            stored: report.stored,
            failed: report.failed + progress.failedSitemaps
        )
    }
}

extension ProxyStatistics.Snapshot.OriginGroup.Server {
    fileprivate init(_ state: OriginState) {
        self.init(
            url: state.url,
            state: state.state.rawValue,
            requests: Int(clamping: state.requests),
            failures: Int(clamping: state.failures),
            inProgress: state.inProgress,
            connections: state.connections,
            meanResponseMilliseconds: state.meanResponseMilliseconds
        )
    }
}
