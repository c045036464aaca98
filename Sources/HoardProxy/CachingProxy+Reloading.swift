// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardNIO
internal import Synchronization

extension CachingProxy {
    /// Configures the proxy anew while it serves. No connection is closed, and nothing leaves the cache. Suspends.
    ///
    /// Routes, upstreams, limits, the size of memory, certificates, the access log, the collector of traces and the admin token are replaced. Requests under way end with the routes they began with, connections keep
    /// their certificates and limits. If anything is wrong, everything stays as it was.
    ///
    /// - Returns: The names of the settings that are different, but take effect only when the proxy is started anew.
    /// - Throws: ``ProxyError``.
    @discardableResult
    public func reload(_ configuration: Configuration) async throws(ProxyError) -> [String] {
        guard let before = state.beginReload() else {
            throw ProxyError(.invalidConfiguration, "The proxy is being configured anew already, or is about to end.")
        }
        defer { state.endReload() }
        let needRestart = configuration.settingsThatNeedRestart(after: before.configuration)
        let configuration = configuration.keepingWhatNeedsRestart(of: before.configuration)
        // Files are read before anything is replaced.
        let warmUp: ProxyWarming.Request? = if let warmUp = configuration.warmUp { try .init(warmUp) } else { nil }
        let upstreams = try Upstreams(configuration.upstreams, keeping: before.upstreams, threads: threads, logger: logger)
        let table: RouteTable
        let tracing = routes.current.tracing
        do throws(ProxyError) {
            let version = recorder.statistics.configuration.version
            table = try upstreams.table(
                of: configuration,
                tracing: try .make(configuration.traces, keeping: tracing, version: version, group: threads, logger: logger),
                inPlaceOf: routes.current
            )
            try await reloadServer(configuration, before: before.configuration)
        } catch {
            upstreams.retire(unlessAmong: before.upstreams)
            throw error
        }
        upstreams.start(unlessAmong: before.upstreams)
        routes.replace(with: table)
        recorder.statistics.distinguishesHosts = table.distinguishesHosts
        state.replace(with: upstreams, configuration)
        before.upstreams.retire(unlessAmong: upstreams)
        admin?.replaceToken(configuration.admin?.token)
        let memoryBytes = configuration.cache.maximumMemoryBytes
        if memoryBytes != cache.maximumMemoryBytes { try await resize(memoryBytes: max(0, memoryBytes)) }
        if let tracing, tracing !== table.tracing { await tracing.shutdown() }
        if configuration.warmUp != before.configuration.warmUp { warming.replace(with: warmUp) }
        return needRestart
    }

    /// Opens the path of the access log anew, after the file was renamed. Does nothing if there is no log. A reload does so by itself, if it succeeds.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if it cannot be opened. Then the renamed file stays in use.
    package func reopenAccessLog() async throws(ProxyError) {
        try await recorder.accessLog?.reopen()
    }

    /// Replaces limits, certificates and the access log, all or none.
    private func reloadServer(_ configuration: Configuration, before: Configuration) async throws(ProxyError) {
        let newLog: AccessLog?
        let hasLog = recorder.accessLog != nil
        newLog = if let settings = configuration.accessLog, !hasLog { try AccessLog(settings, logger: logger) } else { nil }
        let replacement =
            hasLog ? try configuration.accessLog.flatMap { settings throws(ProxyError) in try recorder.accessLog?.prepare(settings) } : nil
        do throws(HTTPServerError) {
            try server.update(configuration.server(on: threads))
            // The last step that may fail: it replaces all certificates or none.
            try await server.reloadCertificates(configuration.listeners.map(\.server))
        } catch {
            try? server.update(before.server(on: threads))
            await newLog?.close()
            throw ProxyError(error)
        }
        if let replacement { await recorder.accessLog?.replace(with: replacement) }
        if let newLog {
            _ = recorder.replaceLog(with: newLog)
        } else if configuration.accessLog == nil {
            await recorder.replaceLog(with: nil)?.close()
        }
    }
}

extension CachingProxy.Configuration {
    /// The names of the settings that differ, and cannot be changed while a proxy runs.
    func settingsThatNeedRestart(after other: Self) -> [String] {
        var names: [String] = []
        func compare<Value: Equatable>(_ name: String, _ path: KeyPath<Self, Value>) {
            if self[keyPath: path] != other[keyPath: path] { names.append(name) }
        }
        if listeners.map(\.withoutFiles) != other.listeners.map(\.withoutFiles) { names.append("listen") }
        compare("cache.object", \.cache.maximumObjectBytes)
        compare("cache.targets", \.cache.targets)
        compare("cache.stale-if-unreachable", \.cache.staleIfUnreachable)
        compare("cache.revalidation-period", \.cache.revalidationPeriod)
        compare("cache.collapse-timeout", \.cache.collapseTimeout)
        compare("cache.variants", \.cache.maximumVariants)
        compare("cache.query-content", \.cache.maximumQueryBytes)
        compare("cache.digests", \.cache.digests)
        compare("cache.codings", \.cache.contentCodings)
        compare("cache.in-flight", \.cache.maximumBytesInFlight)
        compare("cache.name", \.cache.name)
        // These two can be set by a program only, not in a file of settings.
        compare("cache.partition", \.cache.partition)
        compare("cache.inline-body-bytes", \.cache.inlineBodyBytes)
        compare("redis.collapse", \.cache.collapsesAcrossCaches)
        compare("admin", \.admin?.withoutToken)
        compare("event-loops", \.eventLoopCount)
        compare("recording", \.recording)
        compare("shadows", \.shadows)
        return names
    }

    /// The same configuration, with those options of `other` that cannot be changed without a restart.
    func keepingWhatNeedsRestart(of other: Self) -> Self {
        var result = self
        result.cache = other.cache
        result.cache.maximumMemoryBytes = cache.maximumMemoryBytes
        result.admin = other.admin
        if let admin { result.admin?.token = admin.token }
        result.eventLoopCount = other.eventLoopCount
        result.recording = other.recording
        result.shadows = other.shadows
        // Certificates may come from other files, where all else is the same.
        if listeners.map(\.withoutFiles) != other.listeners.map(\.withoutFiles) { result.listeners = other.listeners }
        return result
    }
}

extension CachingProxy.Configuration.Admin {
    /// The same without the parts that can be replaced.
    fileprivate var withoutToken: Self {
        var result = self
        result.token = nil
        return result
    }
}

extension CachingProxy.Configuration.Listener {
    /// The same with names for its files that do not matter.
    fileprivate var withoutFiles: Self {
        var result = self
        if isEncrypted { result.tls = .init(certificateChainPath: "", privateKeyPath: "") }
        result.certificates = []
        (result.minimumTLSVersion, result.cipherSuites, result.clientCertificates) = (.v1_2, [], nil)
        return result
    }
}
