// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import Hoard
internal import HoardHTTP
internal import HoardTransports
package import Logging
package import NIOCore
internal import Synchronization

/// The servers of an upstream as one transport: chooses among them, keeps away from those that are ill, and sends
/// requests again that may be sent again.
///
/// ``OriginGroupStateMachine``, ``OriginHealth``, ``RetryBudget`` and ``RetryRule`` make its decisions.
///
/// A server that is known not to answer is not waited for: if all are, requests fail at once, but for those that try whether one of them is well again. Then
/// the cache can answer with a stored response ([RFC 5861 §4](https://www.rfc-editor.org/rfc/rfc5861#section-4)).
package final class OriginGroup: Sendable {
    package let upstream: CachingProxy.Configuration.Upstream
    let links: [OriginLink]
    let ticker: any Ticker
    let logger: Logger
    let machine: Mutex<OriginGroupStateMachine>
    private let transports: [NIOTransport]
    private let checks = Mutex<[Task<Void, Never>]>([])

    /// Makes the transports for an upstream. Nothing is connected yet.
    ///
    /// - Parameters:
    ///   - group: The threads to work on.
    ///   - logger: Told when a server becomes unhealthy or healthy.
    /// - Throws: ``ProxyError`` if the file of trust roots cannot be read, or a setting makes no sense.
    package convenience init(
        _ upstream: CachingProxy.Configuration.Upstream,
        group: (any EventLoopGroup)?,
        ticker: any Ticker = MonotonicTicker(),
        logger: Logger
    ) throws(ProxyError) {
        try upstream.healthCheck?.validate(in: upstream.name)
        do {
            let transport = try NIOTransport(configuration: .init(upstream, group: group))
            let checkTransport = try NIOTransport(configuration: .init(checksOf: upstream, group: group))
            let webSocketTransport = try NIOTransport(configuration: .init(webSocketsOf: upstream, group: group))
            var links: [OriginLink] = []
            for origin in upstream.servers {
                let server = try OriginServer(scheme: origin.scheme, authority: origin.authority)
                links.append(
                    OriginLink(
                        origin,
                        transport: FixedTransport(base: transport, server: server),
                        checkTransport: FixedTransport(base: checkTransport, server: server),
                        webSocketTransport: FixedTransport(base: webSocketTransport, server: server),
                        connectionCount: { transport.connectionCount(to: server) + webSocketTransport.connectionCount(to: server) },
                        relayConnection: { transport.relayConnection(to: server) }
                    )
                )
            }
            self.init(upstream, links: links, transports: [transport, checkTransport, webSocketTransport], ticker: ticker, logger: logger)
        } catch {
            throw ProxyError(.invalidConfiguration, "The upstream “\(upstream.name)” cannot be used: \(error.message)", underlyingError: error)
        }
    }

    init(
        _ upstream: CachingProxy.Configuration.Upstream,
        links: [OriginLink],
        transports: [NIOTransport] = [],
        ticker: any Ticker,
        logger: Logger
    ) {
        self.upstream = upstream
        self.links = links
        self.transports = transports
        self.ticker = ticker
        self.logger = logger
        machine = Mutex(
            OriginGroupStateMachine(serverCount: links.count, settings: OriginHealth.Settings(upstream.healthCheck), now: ticker.nanoseconds())
        )
    }

    deinit {
        for check in checks.withLock({ $0 }) { check.cancel() }
    }

    /// Begins to check the health of the servers, if the upstream is to be checked. To be called once.
    package func start() {
        guard let settings = upstream.healthCheck else { return }
        let started = links.indices.map { index in
            startTask { [weak self, ticker] in
                while !Task.isCancelled {
                    guard await self?.check(index, settings) != nil else { return }
                    do {
                        try await ticker.sleep(for: settings.interval)
                    } catch {
                        return
                    }
                }
            }
        }
        checks.withLock { $0 += started }
    }

    /// Ends the checks, since the upstream is not used for new requests any more. Exchanges under way go on, also those that send again or validate later;
    /// the connections end with the last reference to the group.
    package func retire() {
        let ended = checks.withLock { checks in
            defer { checks = [] }
            return checks
        }
        for check in ended { check.cancel() }
    }

    /// Ends the checks and closes the connections. Exchanges in progress fail, and later requests too.
    package func shutdown() async {
        retire()
        for transport in transports { await transport.shutdown() }
    }

    /// Returns the known state of each server, in the order of the settings.
    package func states() -> [OriginState] {
        zip(links, machine.withLock { $0.servers }).map { link, server in
            OriginState(
                url: link.origin.description,
                state: server.health.state,
                requests: server.requestCount,
                failures: server.failureCount,
                inProgress: server.inProgressCount,
                connections: link.connectionCount(),
                meanResponseMilliseconds: (server.meanResponseTime ?? 0) / 1_000_000
            )
        }
    }

    /// Changes the group's knowledge of a server, and reports it if that makes the server healthy or unhealthy.
    func note(_ server: Int, _ change: (inout OriginGroupStateMachine) -> Void) {
        let (before, after) = machine.withLock { machine in
            let before = machine.servers[server].health.state
            change(&machine)
            return (before, machine.servers[server].health.state)
        }
        guard before != after else { return }
        let metadata: Logger.Metadata = ["upstream": "\(upstream.name)", "server": "\(links[server].origin.authority)"]
        switch (before, after) {
        case (_, .unhealthy): logger.warning("A server of an upstream gets no more requests: it does not answer as it should.", metadata: metadata)
        case (.unhealthy, _): logger.notice("A server of an upstream gets requests again.", metadata: metadata)
        default: break
        }
    }
}

extension NIOTransport.Configuration {
    fileprivate init(_ upstream: CachingProxy.Configuration.Upstream, group: (any EventLoopGroup)?) {
        self.init()
        eventLoopGroup = group
        connectTimeout = upstream.connectTimeout
        readTimeout = upstream.idleTimeout
        responseTimeout = upstream.responseTimeout
        // The server limits how long its clients may take.
        limitsReaders = false
        maximumConnectionCountPerHost = upstream.maximumConnectionCount
        maximumIdleConnectionCountPerHost = upstream.maximumConnectionCount
        additionalTrustRootsPath = upstream.additionalTrustRootsPath
        clientCertificate = upstream.clientTLS.map { .init(chainPath: $0.certificateChainPath, privateKeyPath: $0.privateKeyPath) }
        version =
            switch upstream.version.base {
            case .http1: .http1
            case .http2: .http2
            case .automatic: .automatic
            }
    }

    /// Every WebSocket has a connection of its own, of which there are no more than clients'.
    fileprivate init(webSocketsOf upstream: CachingProxy.Configuration.Upstream, group: (any EventLoopGroup)?) {
        self.init(upstream, group: group)
        maximumConnectionCountPerHost = 1_000_000
        maximumIdleConnectionCountPerHost = 0
        version = .http1
    }

    /// Every check makes a connection of its own, since the connection is part of the check.
    fileprivate init(checksOf upstream: CachingProxy.Configuration.Upstream, group: (any EventLoopGroup)?) {
        self.init(upstream, group: group)
        maximumConnectionCountPerHost = 2
        maximumIdleConnectionCountPerHost = 0
    }
}

extension CachingProxy.Configuration.Upstream.HealthCheck {
    fileprivate func validate(in upstream: String) throws(ProxyError) {
        let fault: String? =
            if path.utf8.first != UInt8(ascii: "/") {
                "the path does not begin with a slash"
            } else if interval <= .zero || timeout <= .zero {
                "the interval and the timeout must be longer than zero"
            } else if failureThreshold < 1 || successThreshold < 1 {
                "the thresholds must be at least 1"
            } else {
                nil
            }
        if let fault { throw ProxyError(.invalidConfiguration, "The health check of the upstream “\(upstream)” cannot be used: \(fault).") }
    }
}

extension OriginHealth.Settings {
    fileprivate init(_ check: CachingProxy.Configuration.Upstream.HealthCheck?) {
        guard let check else { return }
        failureThreshold = check.failureThreshold
        successThreshold = check.successThreshold
    }
}
