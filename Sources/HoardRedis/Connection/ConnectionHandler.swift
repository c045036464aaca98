// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import NIOSSL

/// One connection, from the socket being open to its end: what is said first, and then replies and pushes in their order.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The number of the connection.
    let attempt: UInt64
    /// When bytes arrived last, or when the connection was opened.
    private(set) var lastArrival: Int64
    private let driver: ConnectionDriver
    private let channel: any Channel
    private var handshake: Handshake
    private var isReady = false
    private var isDropped = false
    private var hasOpened = false
    private var decoder = RESPDecoder()
    /// Replies that are handed out together, and space for those who wait for them.
    private var replies: [RESPValue] = []
    private var sinks: [ReplySink?] = []
    private var context: ChannelHandlerContext?
    /// What went wrong first.
    private var failure: RedisError?

    init(_ driver: ConnectionDriver, channel: any Channel, attempt: UInt64, handshake: Handshake) {
        self.driver = driver
        self.channel = channel
        self.attempt = attempt
        self.handshake = handshake
        lastArrival = driver.ticker.nanoseconds()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard driver.connectionOpened(self) else { return context.close(promise: nil) }
        hasOpened = true
        lastArrival = driver.ticker.nanoseconds()
        var bytes = ByteBuffer()
        for command in handshake.commands { RESPEncoder.encode(command, into: &bytes) }
        context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: nil)
    }

    func write(_ bytes: ByteBuffer) {
        context?.write(Self.wrapOutboundOut(bytes), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    /// Closes the socket. Nothing is told any more.
    func drop() {
        isDropped = true
        channel.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDropped else { return }
        lastArrival = driver.ticker.nanoseconds()
        decoder.append(Self.unwrapInboundIn(data))
        do {
            while !isDropped, let value = try decoder.next() { try take(value) }
            try handOut()
        } catch {
            replies.removeAll()
            driver.connectionEnded(attempt, error)
        }
    }

    private func take(_ value: RESPValue) throws(RedisError) {
        if case .push(let elements) = value {
            // Before the replies that came with it, which is not too early for any of them.
            if isReady { driver.pushed(elements) }
        } else if isReady {
            replies.append(value)
        } else {
            switch handshake.take(value) {
            case .goesOn: break
            case .isOver:
                isReady = true
                driver.handshakeDone(self)
            case .failed(let error): throw error
            }
        }
    }

    private func handOut() throws(RedisError) {
        guard !replies.isEmpty, !isDropped else { return }
        defer { replies.removeAll(keepingCapacity: replies.count <= 1_024) }
        guard driver.replied(replies, &sinks) else {
            throw RedisError(.protocolViolation, "The server has sent a reply to nothing.")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard hasOpened, !isDropped else { return }
        let isEncrypted = driver.connector.isEncrypted
        driver.connectionEnded(attempt, failure ?? .ended(whileConnecting: !isReady, isEncrypted: isEncrypted))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil { failure = .network(error, isReady: isReady) }
        context.close(promise: nil)
    }
}

extension RedisError {
    static func ended(whileConnecting: Bool, isEncrypted: Bool) -> RedisError {
        if whileConnecting {
            RedisError(
                .connectionFailed,
                isEncrypted ? "The server has ended the connection; it may not speak TLS." : "The server has ended the connection."
            )
        } else {
            RedisError(.connectionLost, "The server has ended the connection.")
        }
    }

    /// What the network or the encryption reported.
    static func network(_ error: any Error, isReady: Bool) -> RedisError {
        if case .uncleanShutdown? = error as? NIOSSLError {
            return RedisError(.connectionLost, "The server has ended the connection.", underlyingError: error)
        }
        if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
            return RedisError(
                .tlsFailed,
                "No encrypted connection could be made: the server's certificate is not trusted, has expired or is for another name, or it does not speak TLS.",
                underlyingError: error
            )
        }
        return isReady
            ? RedisError(.connectionLost, "The connection to the server has failed.", underlyingError: error)
            : RedisError(.connectionFailed, "No connection to the server could be made.", underlyingError: error)
    }
}
