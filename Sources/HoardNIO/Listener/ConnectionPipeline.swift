// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardEventLoops
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Sets up a listening socket and the pipelines of its connections. The one place where handlers are put in order.
struct ConnectionPipeline: Sendable {
    let server: ServerContext
    let listener: HTTPServer.Listener
    /// `nil`: without encryption.
    let certificates: ServerCertificates?

    func bootstrap(group: any EventLoopGroup) -> ServerBootstrap {
        let isTCP = if case .tcp = listener.address { true } else { false }
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Int32(clamping: server.configuration.backlog))
            // One at a time, so that the limit on connections is exact.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { [server] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptGate(server.registry, logger: server.logger))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try start(channel) }
            }
        guard isTCP else { return bootstrap }
        return bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1).childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// From the socket inwards, each only where it is needed, and some only for the beginning:
    ///
    /// 1. the timer of the beginning;
    /// 2. the reader of the PROXY protocol's header;
    /// 3. the reader of the host that a TLS client names, if certificates depend on it, and TLS;
    /// 4. the handler that detects the version of HTTP;
    /// 5. that version's handlers.
    func start(_ channel: any Channel) throws {
        let stage = ConnectionStage(channel, lingerTimeout: TimeAmount(server.configuration.lingerTimeout))
        register(channel, stage)
        let pipeline = channel.pipeline.syncOperations
        let timer = OpeningTimer(timeout: TimeAmount(server.configuration.headTimeout))
        if listener.expectsProxyProtocol || certificates != nil || listener.isHTTP2Enabled { try pipeline.addHandler(timer) }
        guard listener.expectsProxyProtocol else {
            try proceed(channel, from: channel.remoteAddress?.ipAddress ?? "", stage, timer)
            return
        }
        let start = ProxyProtocolHandler { header, channel in
            let address: String
            switch header {
            case .local: address = channel.remoteAddress?.ipAddress ?? ""
            case .client(let client): address = client
            case .unixClient: address = ""
            }
            attempt(channel) { try proceed(channel, from: address, stage, timer) }
        }
        try pipeline.addHandler(start)
    }

    /// The client's address is known.
    private func proceed(_ channel: any Channel, from address: String, _ stage: ConnectionStage, _ timer: OpeningTimer) throws {
        guard admits(address, channel) else {
            channel.resetsOnClose()
            channel.close(promise: nil)
            return
        }
        let info = ConnectionInfo(remoteAddress: address, isSecure: certificates != nil)
        let pipeline = channel.pipeline.syncOperations
        let contexts = certificates?.contexts
        if let contexts {
            if let context = contexts.only {
                try pipeline.addHandler(NIOSSLServerHandler(context: context))
            } else {
                try NamedTLSHandler.add(contexts, to: channel)
            }
            try pipeline.addHandler(TLSClosingHandler())
        }
        guard certificates != nil || listener.isHTTP2Enabled else {
            if listener.expectsProxyProtocol { timer.finish(in: channel) }
            try startHTTP1(channel, info, stage)
            return
        }
        let detector = ProtocolDetector(isSecure: info.isSecure) { version, channel in
            timer.finish(in: channel)
            var info = info
            if contexts?.asksClients == true { info.clientCertificate = Self.clientCertificate(of: channel) }
            attempt(channel) {
                switch version {
                case .http1: try startHTTP1(channel, info, stage)
                case .http2: try startHTTP2(channel, info, stage)
                }
            }
        }
        try pipeline.addHandler(detector)
    }

    /// The verified certificate of the client, if it has shown one.
    private static func clientCertificate(of channel: any Channel) -> String? {
        let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
        guard let certificate = handler?.peerCertificate, let bytes = try? certificate.toDERBytes() else { return nil }
        return Data(bytes).base64EncodedString()
    }

    private func attempt(_ channel: any Channel, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            server.logger.debug("A connection failed", metadata: ["error": "\(error)"])
            channel.close(promise: nil)
        }
    }

    /// From the socket inwards:
    ///
    /// 1. the handler that answers plain requests by their bytes;
    /// 2. the encoder of responses;
    /// 3. the handler that lets unknown methods pass the parser, and the parser;
    /// 4. the connection's handler, which yields valid requests one by one as ``Exchange`` and takes parts of responses;
    /// 5. the handler that answers some of these in the event loop;
    /// 6. the handler that has the others answered in tasks.
    private func startHTTP1(_ channel: any Channel, _ info: ConnectionInfo, _ stage: ConnectionStage) throws {
        let (configuration, responder) = (server.configuration, server.responder)
        let handler = ConnectionHandler(configuration: configuration, info: info, clock: responder.clock, observer: responder.observer)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(
            FrontHandler(handler, responder: responder),
            HTTPResponseEncoder(configuration: .callerFrames),
            MethodHandler(handler),
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: configuration.decoderLimits)),
            handler
        )
        if responder.immediate != nil { try pipeline.addHandler(ImmediateExchangeHandler(responder)) }
        try pipeline.addHandler(AnsweringHandler(responder, executor: EventLoopTaskExecutor(channel.eventLoop), logger: server.logger))
        let context = try pipeline.context(handler: handler)
        stage.begin { handler.quiesce(context: context) }
    }

    /// From the socket inwards:
    ///
    /// 1. the gate, which sees errors of the connection go out, and counts bytes;
    /// 2. the codec, which makes a channel for each stream, with a ``StreamHandler`` in it;
    /// 3. the connection's handler.
    private func startHTTP2(_ channel: any Channel, _ info: ConnectionInfo, _ stage: ConnectionStage) throws {
        let handler = HTTP2ConnectionHandler(configuration: server.configuration)
        try handler.addToPipeline(of: channel, server: server, info: info)
        let context = try channel.pipeline.syncOperations.context(handler: handler)
        stage.begin { handler.quiesce(context: context) }
    }

    private func register(_ channel: any Channel, _ stage: ConnectionStage) {
        let id = ObjectIdentifier(channel)
        let bound = NIOLoopBound(stage, eventLoop: channel.eventLoop)
        let eventLoop = channel.eventLoop
        let isAdded = server.registry.add(
            id,
            ConnectionRegistry.Entry(
                quiesce: { eventLoop.execute { bound.value.quiesce() } },
                close: { channel.close(promise: nil) }
            )
        )
        channel.closeFuture.whenComplete { [server] _ in server.registry.remove(id) }
        if !isAdded { channel.close(promise: nil) }
    }

    /// Whether a client may have one more connection. Clients without an address are not told apart.
    private func admits(_ address: String, _ channel: any Channel) -> Bool {
        guard let maximumCount = server.configuration.maximumConnectionCountPerAddress, let client = ClientNetwork(address) else { return true }
        guard server.registry.entered(client, maximumCount: maximumCount) else { return false }
        channel.closeFuture.whenComplete { [server] _ in server.registry.left(client) }
        return true
    }
}

extension HTTPServer.Configuration {
    fileprivate var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = max(maximumTargetByteCount, maximumHeaderByteCount)
        let (listSize, overflow) = maximumTargetByteCount.addingReportingOverflow(maximumHeaderByteCount)
        limits.maxHeaderListSize = overflow ? .max : listSize
        limits.maxHeaderFieldCount = maximumHeaderFieldCount
        return limits
    }
}

extension HTTPResponseEncoder.Configuration {
    /// ``ResponsePlan`` has set the fields that frame a response. The encoder's own would be wrong for 304.
    fileprivate static var callerFrames: Self {
        var configuration = Self()
        configuration.automaticallySetFramingHeaders = false
        return configuration
    }
}
