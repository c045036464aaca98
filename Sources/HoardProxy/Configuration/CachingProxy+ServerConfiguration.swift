// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardNIO
internal import NIOCore
internal import NIOSSL

extension CachingProxy.Configuration {
    /// Returns the configuration that the server for clients is started or reconfigured with.
    func server(on threads: any EventLoopGroup) -> HTTPServer.Configuration {
        var server = HTTPServer.Configuration(listeners: listeners.map { $0.server })
        server.eventLoopGroup = threads
        server.maximumConnectionCount = limits.connectionCount
        server.maximumConnectionCountPerAddress = limits.connectionCountPerAddress
        server.maximumStreamCount = limits.streamCount
        server.maximumTargetByteCount = limits.targetByteCount
        server.maximumHeaderByteCount = limits.headerByteCount
        server.maximumHeaderFieldCount = limits.headerFieldCount
        server.maximumRequestContentByteCount = limits.requestContentByteCount
        (server.idleTimeout, server.headTimeout) = (limits.idleTimeout, limits.headTimeout)
        (server.bodyTimeout, server.writeTimeout) = (limits.bodyTimeout, limits.writeTimeout)
        server.minimumBytesPerSecond = limits.minimumBytesPerSecond
        var webSockets = HTTPServer.Configuration.WebSockets()
        (webSockets.idleTimeout, webSockets.totalTimeout) = (limits.webSocketIdleTimeout, limits.webSocketTimeout)
        server.webSockets = webSockets
        return server
    }
}

extension CachingProxy.Configuration.Listener {
    /// The cipher suites of TLS 1.2 that there are. They have forward secrecy and authenticated encryption, as HTTP/2 demands
    /// ([RFC 9113 §9.2](https://www.rfc-editor.org/rfc/rfc9113#section-9.2)).
    public static var cipherSuiteNames: [String] { TLSRules.usualCipherSuites.map(\.name) }

    var server: HTTPServer.Listener {
        var server = HTTPServer.Listener(
            address.server,
            tls: tls.map(\.credentials),
            isHTTP2Enabled: isHTTP2Enabled,
            expectsProxyProtocol: expectsProxyProtocol
        )
        server.tlsRules.minimumVersion = minimumTLSVersion == .v1_3 ? .tls13 : .tls12
        if !cipherSuites.isEmpty {
            server.tlsRules.cipherSuites = cipherSuites.compactMap { name in TLSRules.usualCipherSuites.first { $0.name == name }?.suite }
        }
        server.tlsRules.clients = clientCertificates.map { .init(isRequired: $0.isRequired, authorityPath: $0.authorityPath) }
        server.namedTLS = certificates.map { .init(hosts: $0.hosts, credentials: $0.tls.credentials) }
        return server
    }
}

extension CachingProxy.Configuration.TLS {
    fileprivate var credentials: TLSCredentials { .files(certificateChainPath: certificateChainPath, privateKeyPath: privateKeyPath) }
}

extension CachingProxy.Configuration.Listener.Address {
    var server: HTTPServer.Listener.Address {
        switch base {
        case .tcp(let host, let port): .tcp(host: host, port: port)
        case .unix(let path): .unix(path: path)
        }
    }
}
