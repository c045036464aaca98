// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Makes connections to origins. The one place where their handlers are put in order.
struct ClientConnector: Sendable {
    private let limits: NIOTransport.Limits
    private let connectTimeout: TimeAmount
    private let tls: Result<NIOSSLContext, TransportError>

    /// A connector with the default settings. Should there be no encryption here, connecting to a secure origin fails.
    init() {
        self.init(NIOTransport.Configuration(), tls: Result { () throws(TransportError) in try Self.makeTLS(trustRoots: []) })
    }

    /// - Throws: ``TransportError`` if the file of trust roots cannot be read.
    init(_ configuration: NIOTransport.Configuration) throws(TransportError) {
        let trustRoots = try NIOSSLCertificate.trustRoots(atPath: configuration.additionalTrustRootsPath)
        self.init(configuration, tls: .success(try Self.makeTLS(trustRoots: trustRoots)))
    }

    private init(_ configuration: NIOTransport.Configuration, tls: Result<NIOSSLContext, TransportError>) {
        limits = NIOTransport.Limits(configuration)
        connectTimeout = TimeAmount(configuration.connectTimeout)
        self.tls = tls
    }

    private static func makeTLS(trustRoots: [NIOSSLCertificate]) throws(TransportError) -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        if !trustRoots.isEmpty { tls.additionalTrustRoots = [.certificates(trustRoots)] }
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw TransportError(.tlsFailed, "The settings for encryption cannot be used.", underlyingError: error)
        }
    }

    /// Makes a connection that is ready for requests, its encryption included.
    func connect(to server: OriginServer, on eventLoop: any EventLoop, pool: ConnectionPool) -> EventLoopFuture<ClientConnection> {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try setUp(channel, for: server) }
            }
            .connect(host: server.host, port: server.port)
            .flatMap { channel in
                do {
                    guard channel.isActive else { throw ExchangeError.connectionClosed }
                    let pipeline = channel.pipeline.syncOperations
                    let handler = try pipeline.handler(type: ClientConnectionHandler.self)
                    let context = try pipeline.context(handler: handler)
                    let connection = ClientConnection(channel, handler: handler, context: context, server: server, pool: pool)
                    let timeout = channel.eventLoop.scheduleTask(in: connectTimeout) { connection.close(ExchangeError.connectTimedOut) }
                    let ready = handler.ready.futureResult
                    ready.whenComplete { _ in timeout.cancel() }
                    return ready.map { connection }
                } catch {
                    channel.close(promise: nil)
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }
            .flatMapErrorThrowing { error in
                if error.meansConnectTimeout { throw ExchangeError.connectTimedOut }
                // Some origins that are not secure say nothing and leave.
                throw server.isSecure && error.meansConnectionLoss ? ExchangeError.handshakeFailed : error
            }
    }

    /// From the socket inwards:
    ///
    /// 1. the encryption, if there is to be any;
    /// 2. the encoder of requests;
    /// 3. the gate that lets no byte too many through to the parser;
    /// 4. the parser of responses, which must see the requests;
    /// 5. the connection's handler.
    private func setUp(_ channel: any Channel, for server: OriginServer) throws {
        let pipeline = channel.pipeline.syncOperations
        if server.isSecure {
            let isAddress = (try? SocketAddress(ipAddress: server.host, port: 0)) != nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls.get(), serverHostname: isAddress ? nil : server.host))
        }
        try ClientConnectionHandler.addHandlers(
            to: pipeline,
            ClientConnectionHandler(isSecure: server.isSecure, limits: limits, eventLoop: channel.eventLoop)
        )
    }
}

extension Error {
    /// Whether no address of a host has answered in time.
    fileprivate var meansConnectTimeout: Bool {
        if case ChannelError.connectTimeout? = self as? ChannelError { return true }
        guard let error = self as? NIOConnectionError, !error.connectionErrors.isEmpty else { return false }
        return error.connectionErrors.allSatisfy { if case ChannelError.connectTimeout = $0.error { true } else { false } }
    }
}

extension ClientConnectionHandler {
    /// Adds a connection's handlers, the encryption apart.
    static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations, _ handler: ClientConnectionHandler) throws {
        var encoding = HTTPRequestEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = handler.limits.maximumHeadByteCount
        limits.maxHeaderListSize = handler.limits.maximumHeadByteCount
        limits.maxHeaderFieldCount = handler.limits.maximumFieldCount
        try pipeline.addHandlers(
            HTTPRequestEncoder(configuration: encoding),
            ResponseGate(handler),
            ByteToMessageHandler(HTTPResponseDecoder(informationalResponseStrategy: .forward, limitConfiguration: limits)),
            handler
        )
    }
}

/// Stands in front of the parser, and gives it only what belongs to a response.
final class ResponseGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ClientConnectionHandler

    init(_ connection: ClientConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.bytesArrived(Self.unwrapInboundIn(data), context: context) { context.fireChannelRead(Self.wrapInboundOut($0)) }
    }
}
