// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HoardNIO

/// The handler alone, without sockets and tasks, and with time that the tests move.
@Suite struct ConnectionHandlerTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func connectionWithoutARequestIsClosedAfterTheHeadTimeout() throws {
        let connection = try TestConnection { $0.headTimeout = .seconds(30) }
        connection.advance(by: .seconds(29))
        #expect(connection.isOpen)
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
        #expect(try connection.sentText().isEmpty)
    }

    /// As with TLS, where a client may take its time to answer. Without an end to its timer the loop would never come back from here.
    @Test func connectionThatIsLongInClosingIsClosedOnce() throws {
        let connection = try TestConnection { $0.headTimeout = .seconds(30) }
        connection.holdsClosing = true
        defer { connection.holdsClosing = false }
        connection.advance(by: .seconds(1_000))
        #expect(connection.isOpen && connection.closeCount == 1)
    }

    @Test func bytesDoNotProlongTheTimeForAHead() throws {
        let connection = try TestConnection { $0.headTimeout = .seconds(30) }
        for byte in Self.get.utf8.prefix(20) {
            try connection.receive(String(decoding: [byte], as: UTF8.self))
            connection.advance(by: .seconds(1))
        }
        #expect(connection.isOpen)
        connection.advance(by: .seconds(9))
        try connection.receive("x")
        connection.advance(by: .seconds(1))
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(connection.isOutputClosed)
    }

    @Test func idleTimeRunsFromTheEndOfTheResponse() throws {
        let connection = try TestConnection { $0.idleTimeout = .seconds(60) }
        for _ in 0..<3 {
            try connection.receive(Self.get)
            connection.advance(by: .seconds(1_000))
            try connection.respond()
            connection.advance(by: .seconds(59))
            #expect(connection.isOpen)
        }
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func headOfALaterRequestHasItsTimeFromItsFirstByte() throws {
        let connection = try TestConnection {
            $0.idleTimeout = .seconds(60)
            $0.headTimeout = .seconds(30)
        }
        try connection.receive(Self.get)
        try connection.respond()
        connection.advance(by: .seconds(55))
        try connection.receive("GET /")
        connection.advance(by: .seconds(29))
        #expect(connection.isOpen)
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 200 OK"))
        connection.advance(by: .seconds(1))
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func handlerMayTakeAnyTime() throws {
        let connection = try TestConnection { _ in }
        try connection.receive(Self.get)
        connection.advance(by: .seconds(100_000))
        #expect(connection.isOpen)
        try connection.respond()
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test func contentThatNobodyWaitsForMayTakeAnyTime() throws {
        let connection = try TestConnection { $0.bodyTimeout = .seconds(60) }
        try connection.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
        connection.advance(by: .seconds(100_000))
        #expect(connection.isOpen)
        try connection.receive("hello")
        try connection.respond()
        connection.advance(by: .seconds(30))
        #expect(connection.isOpen)
    }

    @Test func contentToBeDroppedMustComeInTime() throws {
        let connection = try TestConnection { $0.bodyTimeout = .seconds(60) }
        try connection.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n")
        try connection.respond()
        for _ in 0..<10 {
            connection.advance(by: .seconds(40))
            try connection.receive("x")
        }
        #expect(!connection.isOutputClosed)
        connection.advance(by: .seconds(75))
        #expect(connection.isOutputClosed)
    }

    @Test(arguments: [(99, true), (100, false)])
    func contentThatComesTooSlowlyIsGivenUp(bytesPerSecond: Int, isGivenUp: Bool) throws {
        let connection = try TestConnection { $0.minimumBytesPerSecond = 100 }
        try connection.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n")
        try connection.respond()
        for _ in 0..<120 {
            try connection.receive(String(repeating: "x", count: bytesPerSecond))
            connection.advance(by: .seconds(1))
        }
        #expect(connection.isOutputClosed == isGivenUp)
    }

    @Test func clientHasItsTimeToCloseItsSide() throws {
        let connection = try TestConnection { $0.lingerTimeout = .seconds(2) }
        try connection.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try connection.respond()
        #expect(connection.isOutputClosed)
        try connection.receive(String(repeating: Self.get, count: 1_000))
        connection.advance(by: .milliseconds(1_999))
        #expect(connection.isOpen)
        connection.advance(by: .milliseconds(1))
        #expect(!connection.isOpen)
        #expect(connection.exchangeCount == 1)
    }

    @Test func stalledResponseIsGivenUp() throws {
        let connection = try TestConnection { $0.writeTimeout = .seconds(60) }
        try connection.receive(Self.get)
        try connection.write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "10"])))
        // Not flushed: to the handler it looks as if the kernel took nothing.
        connection.advance(by: .seconds(60))
        #expect(connection.isOpen)
        connection.advance(by: .seconds(15))
        #expect(!connection.isOpen)
    }

    @Test func slowResponseIsNotGivenUpWhileItProceeds() throws {
        let connection = try TestConnection { $0.writeTimeout = .seconds(60) }
        try connection.receive(Self.get)
        try connection.write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "1000"])))
        for _ in 0..<100 {
            try connection.write(.body(.byteBuffer(ByteBuffer(string: "x"))))
            connection.advance(by: .seconds(50))
        }
        #expect(connection.isOpen)
    }

    @Test func oneMoreReadIsOpenWhileARequestIsAnswered() throws {
        let connection = try TestConnection { _ in }
        #expect(connection.isReading)
        try connection.receive(Self.get)
        #expect(connection.isReading)
        try connection.receive(Self.get)
        #expect(!connection.isReading)
        try connection.respond()
        #expect(connection.isReading)
        try connection.respond()
        #expect(connection.isReading)
    }

    @Test func nothingMoreIsReadIfTheConnectionEndsWithTheRequest() throws {
        let connection = try TestConnection { _ in }
        try connection.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(!connection.isReading)
        try connection.respond()
        #expect(connection.isReading)
    }

    @Test func readingStopsWhileTheBodyIsFull() async throws {
        let connection = try TestConnection { $0.bodyBufferByteCount = 10 }
        try connection.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
        try connection.receive("123456789")
        #expect(connection.isReading)
        try connection.receive("0")
        #expect(!connection.isReading)
        var body = try #require(connection.lastExchange).request.body.makeAsyncIterator()
        #expect(try await body.next()?.readableBytes == 9)
        #expect(connection.isReading)
    }

    /// Each part takes its reader much longer than the client takes to send a chunk.
    @Test func shortChunksThatComeTogetherAreOnePart() async throws {
        let connection = try TestConnection { _ in }
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        try connection.receive(head + String(repeating: "1\r\nx\r\n", count: 1_000))
        var body = try #require(connection.lastExchange).request.body.makeAsyncIterator()
        #expect(try await body.next()?.readableBytes == 1_000)
        try connection.receive("1\r\ny\r\n2\r\nyy\r\n0\r\n\r\n")
        #expect(try await body.next()?.readableBytes == 3)
        #expect(try await body.next() == nil)
    }

    @Test func interimResponseIsNotSentAfterTheContentHasBegunToArrive() async throws {
        let connection = try TestConnection { _ in }
        try connection.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\na")
        var body = try #require(connection.lastExchange).request.body.makeAsyncIterator()
        #expect(try await body.next()?.readableBytes == 1)
        #expect(try connection.sentText().isEmpty)
        try connection.receive("b")
        try connection.respond()
        #expect(!(try connection.sentText().contains("close")))
    }

    @Test func lateWritesAreRefused() throws {
        let connection = try TestConnection { _ in }
        try connection.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try connection.respond()
        #expect(throws: ChannelError.self) { try connection.respond() }
    }

    @Test func clientThatClosesItsSideGetsTheAnswersToWhatItHasSentWhole() throws {
        let connection = try TestConnection { _ in }
        try connection.receive(Self.get + Self.get)
        let cancelled = Counter()
        connection.lastExchange?.cancellation.attach { cancelled.add() }
        connection.closeInput()
        try connection.respond()
        connection.lastExchange?.cancellation.attach { cancelled.add() }
        #expect(connection.exchangeCount == 2)
        try connection.respond()
        #expect(cancelled.value == 0)
        #expect(!connection.isOpen)
    }

    @Test func handlerIsCancelledIfTheClientClosesItsSideInTheMiddleOfARequest() throws {
        let connection = try TestConnection { _ in }
        try connection.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
        let cancelled = Counter()
        connection.lastExchange?.cancellation.attach { cancelled.add() }
        #expect(cancelled.value == 0)
        connection.closeInput()
        #expect(cancelled.value == 1)
    }
}

/// A connection's pipeline up to the handler that starts its tasks, on an event loop whose time stands still.
private final class TestConnection {
    private let channel = EmbeddedChannel()
    private let sink = Sink()

    init(_ change: (inout HTTPServer.Configuration) -> Void) throws {
        var configuration = HTTPServer.Configuration()
        change(&configuration)
        let handler = ConnectionHandler(configuration: configuration, info: ConnectionInfo(remoteAddress: "192.0.2.1"), clock: SystemWallClock())
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try channel.pipeline.syncOperations.addHandlers(
            sink.socketSide,
            FrontHandler(handler, responder: Responder(handler: { _ in HTTPServerResponse(head: .init(status: .ok)) }, clock: SystemWallClock())),
            HTTPResponseEncoder(configuration: encoding),
            ByteToMessageHandler(HTTPRequestDecoder()),
            handler,
            sink
        )
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        channel.read()
    }

    var isOpen: Bool { channel.isActive }
    var isOutputClosed: Bool { sink.socketSide.isOutputClosed }
    var closeCount: Int { sink.socketSide.closeCount }
    var holdsClosing: Bool {
        get { sink.socketSide.holdsClosing }
        set { sink.socketSide.holdsClosing = newValue }
    }
    var isReading: Bool { sink.socketSide.isReadRequested }
    var lastExchange: Exchange? { sink.exchanges.last }
    var exchangeCount: Int { sink.exchanges.count }

    /// Delivers bytes as the socket would, if it has been asked to read.
    func receive(_ text: String) throws {
        sink.socketSide.isReadRequested = false
        try channel.writeInbound(ByteBuffer(string: text))
        channel.read()
        channel.embeddedEventLoop.run()
    }

    func closeInput() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    func advance(by time: TimeAmount) {
        channel.embeddedEventLoop.advanceTime(by: time)
    }

    /// Writes one part of a response and does not flush it.
    func write(_ part: HTTPServerResponsePart) throws {
        channel.write(part, promise: nil)
    }

    func respond() throws {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])
        let end = channel.eventLoop.makePromise(of: Void.self)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: end)
        try end.futureResult.wait()
        channel.embeddedEventLoop.run()
    }

    func sentText() throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: data) }
        return text
    }

    deinit {
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// Keeps the exchanges that come out of the pipeline.
private final class Sink: ChannelInboundHandler {
    typealias InboundIn = Exchange

    let socketSide = SocketSide()
    var exchanges: [Exchange] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        exchanges.append(Self.unwrapInboundIn(data))
    }
}

/// Stands where the socket is, and keeps the calls that it gets.
private final class SocketSide: ChannelOutboundHandler {
    typealias OutboundIn = Any

    var isReadRequested = false
    var isOutputClosed = false
    var closeCount = 0
    /// Whether the connection stays open although it is closed.
    var holdsClosing = false

    func read(context: ChannelHandlerContext) {
        isReadRequested = true
        context.read()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            isOutputClosed = true
            promise?.succeed()
        } else {
            closeCount += 1
            if !holdsClosing { context.close(mode: mode, promise: promise) }
        }
    }
}
