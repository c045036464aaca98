// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import NIOSSL

/// One connection, from the opening of the socket to its end: the handshake, and then replies and pushes in their order.
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
    /// Space for values that have arrived together, and for the callers that wait for them.
    private var values: [RESPValue] = []
    private var sinks: [ReplySink?] = []
    private var context: ChannelHandlerContext?
    /// The first failure.
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

    /// The socket, for writes from other threads; `nil` if bytes have to pass other handlers first, such as TLS.
    func makeDirectSocket() -> DirectSocket? {
        guard !driver.connector.isEncrypted, let context else { return nil }
        return try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { DirectSocket(duplicating: $0) }
            ?? nil
    }

    func flush() {
        context?.flush()
    }

    var hasUnreadBytes: Bool { channel.hasUnreadBytes }

    /// Closes the socket. Nothing is told any more.
    ///
    /// - Parameter isAwaited: Whether replies are awaited. The commands must not be carried out later.
    func drop(isAwaited: Bool) {
        isDropped = true
        if isAwaited { channel.closeAtOnce() } else { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDropped else { return }
        lastArrival = driver.ticker.nanoseconds()
        decoder.append(Self.unwrapInboundIn(data))
        var values = exchange(&self.values, with: [])
        var failure: RedisError?
        do throws(RedisError) {
            try decoder.read(into: &values)
        } catch {
            failure = error
        }
        do throws(RedisError) {
            try take(&values, andFailure: failure)
        } catch {
            driver.connectionEnded(attempt, error)
        }
        values.removeAll(keepingCapacity: values.capacity <= 1_024)
        self.values = values
    }

    /// Takes over the values that have arrived together. Pushes come before the replies that came with them, which is
    /// not too early for any of them.
    private func take(_ values: inout [RESPValue], andFailure failure: RedisError?) throws(RedisError) {
        var index = 0
        while !isReady, index < values.count {
            defer { index += 1 }
            if case .push = values[index] { continue }
            switch handshake.take(values[index]) {
            case .goesOn: break
            case .isOver:
                isReady = true
                driver.handshakeDone(self)
            case .failed(let error): throw error
            }
        }
        values.removeFirst(index)
        var pushCount = 0
        for value in values where !isDropped {
            guard case .push(let elements) = value else { continue }
            driver.pushed(elements)
            pushCount += 1
        }
        if let failure { throw failure }
        if isDropped { return }
        if pushCount > 0 { values.removeAll { if case .push = $0 { true } else { false } } }
        guard driver.replied(values, &sinks) else { throw RedisError(.protocolViolation, "The server has sent a reply to nothing.") }
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

    /// The error for a failure that the network or the encryption reported.
    static func network(_ error: any Error, isReady: Bool) -> RedisError {
        if case .uncleanShutdown? = error as? NIOSSLError {
            return RedisError(.connectionLost, "The server has ended the connection.", underlyingError: error)
        }
        // Once commands have been sent, what matters is that they may have been carried out.
        if !isReady, error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
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
