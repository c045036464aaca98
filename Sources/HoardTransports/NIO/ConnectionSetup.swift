// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import NIOCore
internal import NIOHTTP2
internal import NIOTLS

/// Puts the handlers of HTTP/1.1 or HTTP/2 into a connection, as soon as it is known which the origin speaks.
final class ConnectionSetup: ChannelInboundHandler {
    typealias InboundIn = Any

    /// Succeeds when requests can be sent.
    let ready: EventLoopPromise<ClientConnection>
    private let channel: any Channel
    private let server: OriginServer
    private let version: NIOTransport.Version
    private let limits: NIOTransport.Limits
    private let pool: ConnectionPool
    private var isDone = false

    init(_ channel: any Channel, server: OriginServer, version: NIOTransport.Version, limits: NIOTransport.Limits, pool: ConnectionPool) {
        ready = channel.eventLoop.makePromise()
        self.channel = channel
        self.server = server
        self.version = version
        self.limits = limits
        self.pool = pool
    }

    func channelActive(context: ChannelHandlerContext) {
        if !server.isSecure { versionAgreed(isHTTP2: version == .http2) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let agreed)? = event as? TLSUserEvent {
            if version == .http2, agreed != "h2" {
                fail(ExchangeError.versionNotAgreed)
            } else {
                versionAgreed(isHTTP2: version != .http1 && agreed == "h2")
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isDone { context.fireErrorCaught(error) } else { fail(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ExchangeError.connectionClosed)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(ExchangeError.connectionClosed)
    }

    /// Gives up, unless the connection is ready.
    func fail(_ error: any Error) {
        guard !isDone else { return }
        isDone = true
        ready.fail(error)
        channel.close(promise: nil)
    }

    private func versionAgreed(isHTTP2: Bool) {
        guard !isDone else { return }
        do {
            if isHTTP2 { try addHTTP2() } else { try addHTTP1() }
        } catch {
            fail(error)
        }
    }

    private func addHTTP1() throws {
        let handler = ClientConnectionHandler(limits: limits)
        try ClientConnectionHandler.addHandlers(to: channel.pipeline.syncOperations, handler)
        try becameReady(handler, capacity: 1)
    }

    private func addHTTP2() throws {
        let pipeline = channel.pipeline.syncOperations
        let codec = NIOHTTP2Handler.forOrigins(limits, eventLoop: channel.eventLoop)
        let gate = FrameGate(maximumListByteCount: limits.maximumHeadByteCount + 32 * limits.maximumFieldCount)
        try pipeline.addHandlers(gate, codec)
        let handler = MultiplexHandler(try codec.syncMultiplexer(), gate: gate, limits: limits)
        handler.onSettings = { [self] handler, capacity in
            do { try becameReady(handler, capacity: capacity) } catch { fail(error) }
        }
        handler.onFailure = { [self] in fail($0) }
        try pipeline.addHandler(handler)
    }

    private func becameReady(_ handler: some ExchangeHandler, capacity: Int) throws {
        guard !isDone else { return }
        let context = try channel.pipeline.syncOperations.context(handler: handler)
        isDone = true
        ready.succeed(ClientConnection(channel, handler: handler, context: context, server: server, pool: pool, capacity: capacity))
    }
}

extension NIOHTTP2Handler {
    /// The client's side of a connection, which takes no pushed responses.
    static func forOrigins(_ limits: NIOTransport.Limits, eventLoop: any EventLoop) -> NIOHTTP2Handler {
        var configuration = Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: limits.streamWindowByteCount),
            // More than is announced, so that a response that is too large fails alone.
            HTTP2Setting(parameter: .maxHeaderListSize, value: FrameGate.largestReadableList),
        ]
        configuration.connection.maximumSequentialContinuationFrames = FrameGate.maximumContinuationCount
        configuration.connection.targetWindowSize = limits.connectionWindowByteCount
        // The operator chooses the origins. They may measure with PING, reset the rest of requests that they have answered, and send content that was on
        // its way when many exchanges were given up at once.
        configuration.connection.controlFrameRateLimit.maximumCount = 2_000
        configuration.stream.streamResetFrameRateLimit.maximumCount = 2_000
        configuration.connection.maximumRecentlyResetStreams = 1_000
        // Clients may be the cause of errors in their responses. Such errors must not cost other exchanges the connection.
        configuration.stream.streamErrorRateLimit.maximumCount = .max
        configuration.connection.maximumConnectionGlitches = .max
        configuration.stream.targetWindowSize = limits.streamWindowByteCount
        return NIOHTTP2Handler(
            mode: .client,
            eventLoop: eventLoop,
            connectionConfiguration: configuration.connection,
            streamConfiguration: configuration.stream
        ) { $0.close() }
    }
}
