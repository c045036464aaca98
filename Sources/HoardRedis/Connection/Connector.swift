// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Opens sockets to a server, encrypted if that is wanted. The one place where the handlers of a connection are put in order.
struct Connector: Sendable {
    let eventLoop: any EventLoop
    private let address: RedisConfiguration.Address
    private let connectTimeout: TimeAmount
    private let tls: NIOSSLContext?
    private let serverName: String?
    private let verification: RedisConfiguration.TLS.Verification

    var isEncrypted: Bool { tls != nil }

    /// - Throws: ``RedisError`` if the settings for encryption cannot be used.
    init(_ configuration: RedisConfiguration, _ eventLoop: any EventLoop) throws(RedisError) {
        self.eventLoop = eventLoop
        address = configuration.address
        connectTimeout = .nanoseconds(max(1, configuration.connectTimeout.saturatingNanoseconds))
        tls = try configuration.tls.map { (tls) throws(RedisError) in try tls.makeContext() }
        verification = configuration.tls?.verification ?? .full
        serverName = (configuration.tls?.serverName ?? configuration.address.host).flatMap { Self.encryptedName($0) }
    }

    /// The name that encryption asks for, without the dot that may end it ([RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3)); `nil` for an
    /// address.
    static func encryptedName(_ name: String) -> String? {
        let name = name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
        return (try? SocketAddress(ipAddress: name, port: 0)) == nil ? name : nil
    }

    /// Opens a socket. On the event loop, as are the functions given.
    func connect(_ makeHandler: @escaping @Sendable (any Channel) -> ConnectionHandler, onFailure: @escaping @Sendable (RedisError) -> Void) {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 4_096, maximum: 65_536))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try addHandlers(to: channel, makeHandler(channel)) }
            }
        let opened =
            switch address.base {
            case .tcp(let host, let port): bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: host, port: port)
            case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        opened.whenFailure { error in
            onFailure(RedisError(.connectionFailed, "No connection to the server could be made.", underlyingError: error))
        }
    }

    private func addHandlers(to channel: any Channel, _ handler: ConnectionHandler) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: serverName))
        }
        try pipeline.addHandler(handler)
    }
}

extension RedisConfiguration.Address {
    /// The name by which the server is known, if it has one.
    fileprivate var host: String? {
        switch base {
        case .tcp(let host, _): host
        case .unix: nil
        }
    }
}

extension RedisConfiguration.TLS {
    fileprivate func makeContext() throws(RedisError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification =
            switch verification.base {
            case .full: .fullVerification
            case .trustOnly: .noHostnameVerification
            case .none: .none
            }
        do {
            if let path = additionalTrustRootsPath { configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))] }
            if let path = certificatePath { configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) } }
            if let path = privateKeyPath { configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: path, format: .pem)) }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw RedisError(.tlsFailed, "The files for encryption cannot be used.", underlyingError: error)
        }
    }
}
