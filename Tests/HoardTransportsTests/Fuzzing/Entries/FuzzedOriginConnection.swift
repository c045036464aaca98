// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOEmbedded

@testable import HoardEventLoops
@testable import HoardHTTP
@testable import HoardNIO
@testable import HoardTransports
@testable import HoardWire

/// A client's connection of HTTP/2 without a socket. It has three requests, which are sent when the origin has sent its settings.
final class FuzzedOriginConnection {
    /// All inputs share it, as making it takes longer than trying an input.
    private static let connector = ClientConnector()
    let channel = EmbeddedChannel()
    private let socket = FuzzedSocket()
    private let exchanges: [FuzzedExchange]

    /// - Parameter hasSettings: Whether the origin has sent its settings, and the requests are on their way.
    init(hasSettings: Bool) throws {
        exchanges = [try FuzzedExchange(.get, content: ""), try FuzzedExchange(.head, content: ""), try FuzzedExchange(.post, content: "hello")]
        var configuration = NIOTransport.Configuration()
        configuration.eventLoopGroup = channel.embeddedEventLoop
        var limits = NIOTransport.Limits(configuration)
        // Limits that a small input can reach.
        limits.maximumHeadByteCount = 1_024
        limits.maximumFieldCount = 16
        limits.maximumInterimResponseCount = 3
        limits.bodyBufferByteCount = 64
        let server = OriginServer(isSecure: false, host: "a", port: 80)
        let pool = ConnectionPool(connector: Self.connector, configuration: configuration)
        let setup = ConnectionSetup(channel, server: server, version: .http2, limits: limits, pool: pool)
        let channel = channel
        setup.ready.futureResult.assumeIsolated().whenComplete { [exchanges] result in Self.start(exchanges, on: channel, result) }
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try channel.pipeline.syncOperations.addHandlers(socket, setup)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        channel.read()
        guard hasSettings else { return }
        receive([0, 0, 0, FuzzedFrame.settings, 0, 0, 0, 0, 0])
        completeRead()
    }

    /// Starts the exchanges when the connection is ready, and reads their responses in tasks
    /// on the channel's event loop.
    private static func start(_ exchanges: [FuzzedExchange], on channel: EmbeddedChannel, _ result: Result<ClientConnection, any Error>) {
        let pipeline = channel.pipeline.syncOperations
        for exchange in exchanges {
            do {
                _ = try result.get()
                let handler = try pipeline.handler(type: MultiplexHandler.self)
                handler.start(exchange.exchange, context: try pipeline.context(handler: handler))
            } catch {
                exchange.exchange.fail(error)
            }
            Task(executorPreference: EventLoopTaskExecutor(channel.eventLoop)) { await exchange.read() }
        }
    }

    var isOpen: Bool { channel.isActive && !socket.isOutputClosed }
    var responses: [FuzzedResponse] { exchanges.map(\.response) }

    func receive(_ bytes: [UInt8]) {
        channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
    }

    /// Completes the read, as a socket does when it has no more for now.
    func completeRead() {
        guard channel.isActive else { return channel.embeddedEventLoop.run() }
        channel.pipeline.fireChannelReadComplete()
        channel.read()
        channel.embeddedEventLoop.run()
    }

    func sent() throws -> [UInt8] {
        var sent: [UInt8] = []
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = data { sent += bytes.readableBytesView }
        }
        return sent
    }

    func finish() {
        _ = try? channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.run()
    }
}
