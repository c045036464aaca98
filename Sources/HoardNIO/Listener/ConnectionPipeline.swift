// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Sets up the listening socket and the pipelines of its connections. The one place where handlers are put in order.
struct ConnectionPipeline: Sendable {
    let configuration: HTTPServer.Configuration
    let responder: Responder
    let registry: ConnectionRegistry
    let logger: Logger

    func bootstrap(group: any EventLoopGroup) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Int32(clamping: configuration.backlog))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // One at a time, so that the limit on connections is exact.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { [registry, logger] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptGate(registry, logger: logger))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try start(channel) }
            }
    }

    /// From the socket inwards:
    ///
    /// 1. the encoder of responses;
    /// 2. the observer of arriving bytes, for the time limits;
    /// 3. the parser of requests;
    /// 4. the connection's handler, which yields valid requests one by one as ``Exchange`` and takes parts of responses;
    /// 5. the bridge to the connection's task.
    ///
    /// A handler that answers some requests in the event loop stands between the last two: it sees every request that is to be answered,
    /// and no other.
    private func start(_ channel: any Channel) throws {
        let eventLoop = channel.eventLoop
        let handler = ConnectionHandler(
            configuration: configuration,
            remoteAddress: channel.remoteAddress?.ipAddress ?? "",
            clock: responder.clock
        )
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(
            HTTPResponseEncoder(configuration: .callerFrames),
            ReceiveObserver(handler),
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: decoderLimits)),
            handler
        )
        register(channel, handler: try pipeline.context(handler: handler), of: handler)
        // From here on nothing may fail: the bridge must be given to its task.
        let connection = Connection(
            channel: try NIOAsyncChannel(wrappingChannelSynchronously: channel),
            executor: EventLoopTaskExecutor(eventLoop),
            responder: responder,
            logger: logger
        )
        Task(executorPreference: connection.executor) { await connection.run() }
    }

    private func register(_ channel: any Channel, handler context: ChannelHandlerContext, of handler: ConnectionHandler) {
        let id = ObjectIdentifier(channel)
        let bound = NIOLoopBound((handler, context), eventLoop: channel.eventLoop)
        let eventLoop = channel.eventLoop
        let isAdded = registry.add(
            id,
            ConnectionRegistry.Entry(
                quiesce: { eventLoop.execute { bound.value.0.quiesce(context: bound.value.1) } },
                close: { channel.close(promise: nil) }
            )
        )
        channel.closeFuture.whenComplete { [registry] _ in registry.remove(id) }
        if !isAdded { channel.close(promise: nil) }
    }

    private var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = max(configuration.maximumTargetByteCount, configuration.maximumHeaderByteCount)
        limits.maxHeaderListSize = configuration.maximumTargetByteCount + configuration.maximumHeaderByteCount
        limits.maxHeaderFieldCount = configuration.maximumHeaderFieldCount
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
