// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import HoardSimulator

extension ProxySettings {
    /// Returns the configuration that a proxy is started with.
    ///
    /// - Parameter adminToken: As it was read from the file, or comes from the environment.
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if settings contradict each other; the message has a line for each contradiction, which names both.
    package func configuration(adminToken: String? = nil) throws(ProxyError) -> CachingProxy.Configuration {
        var problems: [SettingProblem] = []
        let upstreams = configuredUpstreams(&problems)
        var configuration = CachingProxy.Configuration(upstreams: upstreams)
        configuration.listeners = configuredListeners(&problems)
        configuration.routes = configuredRoutes(upstreams, &problems)
        if !shadows.isEmpty {
            var configured = CachingProxy.Configuration.Shadows(shadows.map { $0.cache(insteadOf: cache.memoryByteCount) })
            configured.sampledShare = shadowSample
            configuration.shadows = configured
        }
        for case let conflict? in [configuration.keyConflict, configuration.siteConflict, configuration.shadowConflict] {
            problems.append(.init(nil, conflict))
        }
        configuration.limits = limits
        configuration.trustedProxies = trustedProxies
        configuration.cache = configuredCache(&problems)
        problems += contradictionsOfRedis
        configuration.eventLoopCount = eventLoopCount
        configuration.admin = configuredAdmin(configuration.listeners, adminToken, &problems)
        if let path = accessLog.path {
            var log = CachingProxy.Configuration.AccessLog(path: path)
            log.format = accessLog.format
            configuration.accessLog = log
        }
        if let path = recording.path {
            var configured = CachingProxy.Configuration.Recording(path: path)
            configured.recorder.sampledShare = recording.sampledShare
            configured.recorder.maximumFileBytes = recording.maximumFileBytes
            configured.recorder.fileCount = recording.fileCount
            configured.recorder.recordsGroups = recording.recordsGroups
            configuration.recording = configured
        }
        if let collector = traces.collector {
            var configured = CachingProxy.Configuration.Traces(collector: collector)
            configured.sampledShare = traces.sampledShare
            configured.serviceName = traces.serviceName ?? configured.serviceName
            configuration.traces = configured
        }
        if !warmUp.sitemaps.isEmpty || warmUp.urlsPath != nil {
            var configured = CachingProxy.Configuration.WarmUp()
            (configured.sitemaps, configured.urlsPath) = (warmUp.sitemaps, warmUp.urlsPath)
            (configured.concurrency, configured.rate, configured.maximumReadinessWait) = (
                warmUp.concurrency, warmUp.rate, warmUp.maximumReadinessWait
            )
            configured.fields = HTTPFields(warmUp.fields)
            configuration.warmUp = configured
        }
        guard problems.isEmpty else { throw ProxyError(problems) }
        return configuration
    }

    private func configuredListeners(_ problems: inout [SettingProblem]) -> [CachingProxy.Configuration.Listener] {
        if listeners.isEmpty { problems.append(.init(nil, "The proxy has no address to listen on: “listen” is empty.")) }
        var taken: [CachingProxy.Configuration.Listener.Address] = []
        return listeners.map { listener in
            var configured = CachingProxy.Configuration.Listener(listener.address)
            configured.isHTTP2Enabled = listener.isHTTP2Enabled
            configured.expectsProxyProtocol = listener.expectsProxyProtocol
            switch (listener.certificates, listener.key) {
            case (let certificates?, let key?): configured.tls = .init(certificateChainPath: certificates, privateKeyPath: key)
            case (nil, nil): break
            case (nil, _?): problems.append(.init(nil, "The listener \(listener.address.text) has “tls-key”, but no “tls-certificates”."))
            case (_?, nil): problems.append(.init(nil, "The listener \(listener.address.text) has “tls-certificates”, but no “tls-key”."))
            }
            configured.minimumTLSVersion = listener.minimumTLSVersion
            configured.cipherSuites = listener.cipherSuites
            if let authorities = listener.clientAuthorities {
                configured.clientCertificates = .init(authorityPath: authorities)
                configured.clientCertificates?.isRequired = listener.clientCertificates == .require
            }
            configured.certificates = listener.hostCertificates.compactMap { Self.configured($0, on: listener, &problems) }
            if listener.clientAuthorities != nil, !configured.isEncrypted {
                problems.append(
                    .init(nil, "The listener \(listener.address.text) has “client-authorities”, but is not encrypted: it has no “tls-certificates”.")
                )
            }
            if taken.contains(where: { $0.conflicts(with: listener.address) }) {
                problems.append(.init(nil, "Two listeners have the address \(listener.address.text)."))
            }
            taken.append(listener.address)
            return configured
        }
    }

    private static func configured(
        _ certificate: HostCertificate,
        on listener: Listener,
        _ problems: inout [SettingProblem]
    ) -> CachingProxy.Configuration.HostCertificate? {
        guard let certificates = certificate.certificates, let key = certificate.key, !certificate.hosts.isEmpty else {
            let text = "A group of “hosts” of the listener \(listener.address.text) needs “names”, “tls-certificates” and “tls-key”."
            problems.append(.init(nil, text))
            return nil
        }
        return .init(hosts: certificate.hosts, tls: .init(certificateChainPath: certificates, privateKeyPath: key))
    }

    private func configuredUpstreams(_ problems: inout [SettingProblem]) -> [CachingProxy.Configuration.Upstream] {
        var named = upstreams
        if !origins.isEmpty {
            var upstream = originUpstream
            (upstream.name, upstream.upstream.servers) = ("origin", origins)
            named.append(upstream)
        }
        if named.isEmpty { problems.append(.init(nil, "There is no origin: give --origin URL, or “upstreams” in a file.")) }
        var names: Set<String> = []
        return named.enumerated().map { index, item in
            let name = item.name ?? (named.count == 1 ? "origin" : "")
            if name.isEmpty {
                problems.append(.init(nil, "The upstream number \(index + 1) has no “name”."))
            } else if !names.insert(name).inserted {
                problems.append(.init(nil, "Two upstreams have the name “\(name)”."))
            }
            var upstream = CachingProxy.Configuration.Upstream(name: name, servers: item.upstream.servers)
            let source = item.upstream
            upstream.healthCheck = source.healthCheck
            upstream.version = source.version
            (upstream.connectTimeout, upstream.responseTimeout, upstream.idleTimeout) =
                (source.connectTimeout, source.responseTimeout, source.idleTimeout)
            upstream.maximumConnectionCount = source.maximumConnectionCount
            upstream.maximumRetryCount = source.maximumRetryCount
            upstream.additionalTrustRootsPath = source.additionalTrustRootsPath
            switch (item.certificates, item.key) {
            case (let certificates?, let key?): upstream.clientTLS = .init(certificateChainPath: certificates, privateKeyPath: key)
            case (nil, nil): break
            default: problems.append(.init(nil, "The upstream “\(name)” has one of “tls-certificates” and “tls-key”, but needs both."))
            }
            (upstream.forwardsHost, upstream.tellsOfClient) = (source.forwardsHost, source.tellsOfClient)
            (upstream.passesUnderscores, upstream.passesWebSockets) = (source.passesUnderscores, source.passesWebSockets)
            problems += Self.contradictions(in: upstream)
            return upstream
        }
    }

    private static func contradictions(in upstream: CachingProxy.Configuration.Upstream) -> [SettingProblem] {
        guard let first = upstream.servers.first else {
            return [.init(nil, "The upstream “\(upstream.name)” has no “servers”.")]
        }
        if let other = upstream.servers.first(where: { $0.basePath != first.basePath }) {
            return [.init(nil, "The servers \(first) and \(other) of the upstream “\(upstream.name)” have different paths; they must answer alike.")]
        }
        if upstream.clientTLS != nil, !upstream.servers.contains(where: { $0.scheme == "https" }) {
            return [.init(nil, "The upstream “\(upstream.name)” has “tls-certificates”, but none of its servers is an https URL.")]
        }
        if upstream.additionalTrustRootsPath != nil, !upstream.servers.contains(where: { $0.scheme == "https" }) {
            return [.init(nil, "The upstream “\(upstream.name)” has “trust-roots”, but none of its servers is an https URL.")]
        }
        return []
    }

    private func configuredCache(_ problems: inout [SettingProblem]) -> HTTPCache.Configuration {
        var configured = cache.http
        if !cache.codings.isEmpty {
            var policy = HTTPCache.ContentCodingPolicy()
            policy.codings = cache.codings
            policy.maximumDictionaryBytes = cache.dictionaryByteCount
            configured.contentCodings = policy
        }
        configured.mode = .shared
        configured.maximumMemoryBytes = cache.memoryByteCount
        configured.collapsesAcrossCaches = redis.collapses
        let diskByteCount = diskByteCount
        let hasDisk = diskByteCount > 0
        configured.writeGathering = HTTPCache.Configuration.writeGatheringOfServers
        // Bodies that are longer would take up much of a memory that is shared.
        configured.maximumObjectBytes = cache.objectByteCount ?? (hasDisk ? min(512 << 20, diskByteCount) : redis.url == nil ? nil : 64 << 20)
        if hasDisk, let object = cache.objectByteCount, object > diskByteCount {
            problems.append(
                .init(
                    nil,
                    "--max-object-bytes (\(SizeText.text(object))) is more than --max-bytes (\(SizeText.text(diskByteCount))) allows for all bodies together."
                )
            )
        }
        return configured
    }

    private func configuredAdmin(
        _ listeners: [CachingProxy.Configuration.Listener],
        _ token: String?,
        _ problems: inout [SettingProblem]
    ) -> CachingProxy.Configuration.Admin? {
        if admin.tokenFile != nil, adminToken != nil {
            problems.append(.init(nil, "The admin token is given twice: by --admin-token-file and by \(Self.adminTokenName)."))
        }
        guard let address = admin.address else {
            if admin.tokenFile != nil {
                problems.append(.init(nil, "There is an admin token file, but no admin address: give --admin HOST:PORT too."))
            }
            return nil
        }
        if let listener = listeners.first(where: { $0.address.conflicts(with: address) }) {
            problems.append(.init(nil, "The admin address \(address.text) is also that of a listener (\(listener.address.text))."))
        }
        var configured = CachingProxy.Configuration.Admin(address: address, token: token ?? adminToken)
        configured.hostNames = admin.hostNames
        return configured
    }
}

extension CachingProxy.Configuration.Listener.Address {
    /// Whether not both can be listened on. Port 0 is another one each time.
    fileprivate func conflicts(with other: Self) -> Bool {
        if case .tcp(_, port: 0) = base { return false }
        return self == other
    }
}
