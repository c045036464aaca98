// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// Makes connections to origins. The one place where their handlers are put in order.
struct ClientConnector: Sendable {
    private let limits: NIOTransport.Limits
    private let version: NIOTransport.Version
    private let connectTimeout: TimeAmount
    private let tls: ClientTLS

    /// A connector with the default settings.
    init() {
        self.init(NIOTransport.Configuration(), trustRoots: [])
    }

    /// - Throws: ``TransportError`` if a file of certificates or keys cannot be read, or if they do not fit together.
    init(_ configuration: NIOTransport.Configuration) throws(TransportError) {
        let identity: ClientTLS.Identity? = if let files = configuration.clientCertificate { try ClientTLS.Identity(files) } else { nil }
        self.init(configuration, trustRoots: try NIOSSLCertificate.trustRoots(atPath: configuration.additionalTrustRootsPath), identity: identity)
        // A key that does not fit its certificate is told now, and not by every request.
        if identity != nil { _ = try tls.context() }
    }

    private init(_ configuration: NIOTransport.Configuration, trustRoots: [NIOSSLCertificate], identity: ClientTLS.Identity? = nil) {
        limits = NIOTransport.Limits(configuration)
        version = configuration.version
        connectTimeout = TimeAmount(configuration.connectTimeout)
        tls = ClientTLS(version, trustRoots: trustRoots, identity: identity)
    }

    /// How many exchanges at once a connection is thought to carry before it has been made.
    func expectedCapacity(_ server: OriginServer) -> Int {
        switch version {
        case .http1: 1
        case .http2: limits.maximumStreamCount
        case .automatic: server.isSecure ? limits.maximumStreamCount : 1
        }
    }

    /// Makes a connection that is ready for requests, its encryption and the first settings of HTTP/2 included.
    func connect(to server: OriginServer, on eventLoop: any EventLoop, pool: ConnectionPool) -> EventLoopFuture<ClientConnection> {
        let deadline = NIODeadline.now() + connectTimeout
        let setups = Setups()
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { setups.add(try setUp(channel, for: server, pool), of: channel) }
            }
            .connect(host: server.host, port: server.port)
            .flatMap { channel in
                // The origin may have ended the connection already, and the setup knows why.
                guard let setup = setups.take(channel)?.value else { return channel.eventLoop.makeFailedFuture(ExchangeError.connectionClosed) }
                let timeout = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { setup.fail(ExchangeError.handshakeTimedOut) }
                setup.ready.futureResult.whenComplete { _ in timeout.cancel() }
                return setup.ready.futureResult
            }
            .flatMapErrorThrowing { error in
                if error.meansConnectTimeout { throw ExchangeError.connectTimedOut }
                // Some origins that are not secure say nothing and leave.
                throw server.isSecure && error.meansConnectionLoss ? ExchangeError.handshakeFailed : error
            }
    }

    /// From the socket inwards: the encryption, if there is to be any, and the step that adds the other handlers when
    /// the protocol is known.
    private func setUp(_ channel: any Channel, for server: OriginServer, _ pool: ConnectionPool) throws -> ConnectionSetup {
        let pipeline = channel.pipeline.syncOperations
        if server.isSecure {
            try pipeline.addHandler(NIOSSLClientHandler(context: tls.context(), serverHostname: server.encryptedName))
        }
        let setup = ConnectionSetup(channel, server: server, version: version, limits: limits, pool: pool)
        try pipeline.addHandler(setup)
        return setup
    }
}

/// The setups of the connections that are tried for one, for a host may have several addresses.
private final class Setups: Sendable {
    private let setups = Mutex<[ObjectIdentifier: NIOLoopBound<ConnectionSetup>]>([:])

    func add(_ setup: ConnectionSetup, of channel: any Channel) {
        let bound = NIOLoopBound(setup, eventLoop: channel.eventLoop)
        setups.withLock { $0[ObjectIdentifier(channel)] = bound }
    }

    func take(_ channel: any Channel) -> NIOLoopBound<ConnectionSetup>? {
        setups.withLock { setups in
            defer { setups = [:] }
            return setups[ObjectIdentifier(channel)]
        }
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
    /// Adds a connection's handlers, the encryption apart. From the socket inwards:
    ///
    /// 1. the encoder of requests;
    /// 2. the gate that lets no byte too many through to the parser;
    /// 3. the parser of responses, which must see the requests;
    /// 4. the connection's handler.
    static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations, _ handler: ClientConnectionHandler) throws {
        var encoding = HTTPRequestEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = handler.limits.maximumHeadByteCount
        limits.maxHeaderListSize = handler.limits.maximumHeadByteCount
        limits.maxHeaderFieldCount = handler.limits.maximumFieldCount
        let (encoder, gate) = (HTTPRequestEncoder(configuration: encoding), ResponseGate(handler))
        try pipeline.addHandlers(
            encoder,
            gate,
            ByteToMessageHandler(HTTPResponseDecoder(informationalResponseStrategy: .forward, limitConfiguration: limits)),
            handler
        )
        handler.contexts = (
            encoder: try pipeline.context(handler: encoder), gate: try pipeline.context(handler: gate), own: try pipeline.context(handler: handler)
        )
    }
}

/// Stands in front of the parser, and gives it only bytes that belong to a response.
final class ResponseGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: ClientConnectionHandler

    init(_ connection: ClientConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.bytesArrived(Self.unwrapInboundIn(data), context: context) { context.fireChannelRead(Self.wrapInboundOut($0)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Before the parser learns that nothing more will come.
        connection.relayPauses()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if connection.isReplaying { return promise?.succeed() ?? () }
        context.write(data, promise: promise)
    }
}
