// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardEventLoops
import HoardHTTP
import HoardTesting
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HoardNIO

/// The handler alone, behind one that holds back writes until they are flushed, as TLS does.
@Suite struct AnsweringHandlerTests {
    private static let partByteCount = 16 << 10

    private static func parts(_ count: Int) -> HTTPBody {
        HTTPBody(PartsAtHand(count: count, part: ByteBuffer(repeating: 0x78, count: partByteCount)), length: nil)
    }

    @Test func bodyThatIsAtHandIsFlushedWhileItIsWritten() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: Self.parts(64)) }
        connection.receive()
        #expect(connection.network.byteCount == 64 * Self.partByteCount)
        #expect(connection.network.largestUnflushed <= 64 << 10)
        #expect(connection.network.hasEnded && connection.isOpen)
    }

    @Test func shortBodyIsOneFlushWithItsHead() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: Self.parts(1)) }
        connection.receive()
        #expect(connection.network.byteCount == Self.partByteCount && connection.network.hasEnded)
        #expect(connection.network.firstFlushAt == Self.partByteCount)
    }

    @Test func clientThatTakesNothingIsWaitedFor() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: Self.parts(64)) }
        connection.setWritable(false)
        connection.receive()
        #expect(connection.network.byteCount == 0)
        #expect(connection.network.flushCount == 1)
        connection.setWritable(true)
        #expect(connection.network.byteCount == 64 * Self.partByteCount && connection.network.hasEnded)
    }

    @Test func clientThatLeavesEndsTheWait() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: Self.parts(64)) }
        connection.setWritable(false)
        connection.receive()
        connection.close()
        #expect(connection.network.byteCount == 0 && !connection.network.hasEnded)
    }

    @Test func responseAtHandIsWrittenAlthoughItsTaskIsCancelled() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: HTTPBody("text")) }
        connection.receive(isCancelled: true)
        #expect(connection.network.byteCount == 4 && connection.network.hasEnded && connection.isOpen)
    }

    @Test func streamOfACancelledTaskEndsWithTheConnection() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: Self.parts(64)) }
        connection.receive(isCancelled: true)
        #expect(connection.network.byteCount == 0 && !connection.network.hasEnded && !connection.isOpen)
    }

    @Test func whatHasBeenBegunTakesThePlaceOfTheHandler() throws {
        let connection = try AnsweringConnection { _ in HTTPServerResponse(head: .init(status: .ok), body: HTTPBody("handler")) }
        connection.receive { HTTPServerResponse(head: .init(status: .ok), body: HTTPBody("begun")) }
        #expect(connection.network.byteCount == 5)
    }
}

/// Yields the same part so many times, and never waits.
private struct PartsAtHand: AsyncSequence, Sendable {
    let count: Int
    let part: ByteBuffer

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: Int
        let part: ByteBuffer

        mutating func next() async -> ByteBuffer? {
            guard rest > 0 else { return nil }
            rest -= 1
            return part
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: count, part: part) }
}

private final class AnsweringConnection {
    let network = HoldingNetwork()
    private let channel = EmbeddedChannel()

    init(_ handler: @escaping HTTPServer.Handler) throws {
        let responder = Responder(handler: handler, clock: SystemWallClock())
        try channel.pipeline.syncOperations.addHandlers(
            network,
            AnsweringHandler(responder, executor: EventLoopTaskExecutor(channel.eventLoop), logger: Logger(label: "test"))
        )
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
    }

    var isOpen: Bool { channel.isActive }

    func receive(isCancelled: Bool = false, answer: (@Sendable () async -> HTTPServerResponse)? = nil) {
        let request = HTTPServerRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"),
            remoteAddress: "192.0.2.1"
        )
        let exchange = Exchange(request: request, keepsAlive: true, cancellation: ExchangeCancellation(), answer: answer)
        if isCancelled { exchange.cancellation.cancel() }
        channel.pipeline.fireChannelRead(exchange)
        channel.embeddedEventLoop.run()
    }

    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
    }

    func close() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    deinit {
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// Counts the bytes that are written, and how many of them come before a flush.
private final class HoldingNetwork: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart

    private(set) var byteCount = 0
    private(set) var largestUnflushed = 0
    private(set) var flushCount = 0
    /// How much content had been written at the first flush.
    private(set) var firstFlushAt: Int?
    private(set) var hasEnded = false
    private var unflushed = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head: break
        case .body(let content):
            byteCount += content.readableBytes
            unflushed += content.readableBytes
            largestUnflushed = max(largestUnflushed, unflushed)
        case .end: hasEnded = true
        }
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
        unflushed = 0
        flushCount += 1
        if firstFlushAt == nil { firstFlushAt = byteCount }
    }
}
