// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIOTestSupport
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HoardTransports

/// The handler alone, without sockets, and with time that the tests move.
@Suite(.timeLimit(.minutes(5)))
struct ClientConnectionHandlerTests {
    @Test func requestIsWrittenAtOnce() throws {
        let connection = try TestConnection()
        try connection.start(body: HTTPBody("hello"))
        #expect(try connection.sentText() == "POST /p HTTP/1.1\r\nHost: a\r\nAccept: b\r\nContent-Length: 5\r\n\r\nhello")
    }

    @Test func originThatSaysNothingIsGivenUp() async throws {
        let connection = try TestConnection { $0.readTimeout = .seconds(60) }
        let exchange = try connection.start()
        connection.advance(by: .seconds(59))
        #expect(connection.isOpen)
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
        await #expect(throws: ExchangeError.stalled) { _ = try await exchange.nextHead() }
    }

    @Test func everyByteProlongsTheTime() throws {
        let connection = try TestConnection { $0.readTimeout = .seconds(60) }
        try connection.start()
        for byte in "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8 {
            connection.advance(by: .seconds(59))
            try connection.receive(String(decoding: [byte], as: UTF8.self))
        }
        #expect(connection.isOpen)
        connection.advance(by: .seconds(60))
        #expect(!connection.isOpen)
    }

    @Test func sourceOfTheContentMayTakeAnyTime() async throws {
        let door = Signal()
        defer { door.fire() }
        let connection = try TestConnection { $0.readTimeout = .seconds(60) }
        let exchange = try connection.start(
            body: HTTPBody(
                Parts {
                    {
                        await door.wait()
                        return nil
                    }
                },
                length: nil
            )
        )
        connection.advance(by: .seconds(100_000))
        #expect(connection.isOpen)
        connection.endRequest(of: exchange)
        connection.advance(by: .seconds(60))
        #expect(!connection.isOpen)
    }

    @Test func readingStopsWhileTheBodyIsFull() async throws {
        let connection = try TestConnection()
        let exchange = try connection.start()
        #expect(connection.isReading)
        try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n")
        let response = try #require(try await exchange.nextHead().final)
        try connection.receive(String(repeating: "x", count: 65_535))
        #expect(connection.isReading)
        try connection.receive("y")
        #expect(!connection.isReading)
        var parts = response.body.makeAsyncIterator()
        #expect(try await parts.next()?.readableBytes == 65_535)
        #expect(connection.isReading)
    }

    /// Where readers have no limit, only the time counts in which the origin sends nothing.
    @Test(arguments: [true, false])
    func timeOfTheReaderCountsOnlyIfReadersHaveALimit(_ limitsReaders: Bool) async throws {
        let connection = try TestConnection { ($0.readTimeout, $0.limitsReaders) = (.seconds(60), limitsReaders) }
        let exchange = try connection.start()
        try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n")
        let response = try #require(try await exchange.nextHead().final)
        try connection.receive(String(repeating: "x", count: 65_536))
        #expect(!connection.isReading)
        for _ in 1...100 { connection.advance(by: .seconds(59)) }
        #expect(connection.isOpen == !limitsReaders)
        guard connection.isOpen else { return }
        var parts = response.body.makeAsyncIterator()
        #expect(try await parts.next()?.readableBytes == 65_536)
        #expect(connection.isReading)
        connection.advance(by: .seconds(59))
        #expect(connection.isOpen)
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func shortRestOfADroppedBodySavesTheConnection() async throws {
        let connection = try TestConnection()
        let exchange = try connection.start()
        try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        _ = try await exchange.nextHead()
        #expect(connection.isOpen && connection.isReading)
        try connection.receive("defghi")
        #expect(!exchange.isOver)
        try connection.receive("j")
        #expect(exchange.isOver)
    }

    @Test(arguments: ["Content-Length: 70000", "Transfer-Encoding: chunked"])
    func longRestOfADroppedBodyClosesTheConnection(_ field: String) async throws {
        let connection = try TestConnection()
        let exchange = try connection.start()
        try connection.receive("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        _ = try await exchange.nextHead()
        #expect(!connection.isOpen)
    }

    @Test func bytesThatNobodyAskedForCloseTheConnection() throws {
        let connection = try TestConnection()
        try connection.receive("H")
        #expect(!connection.isOpen)
    }

    @Test func responseInSinglePiecesIsTheSame() async throws {
        let text = "HTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nC: d\r\n\r\n"
        for length in 1...text.utf8.count {
            let connection = try TestConnection()
            let exchange = try connection.start()
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                try connection.receive(String(decoding: rest.prefix(length), as: UTF8.self))
                rest = rest.dropFirst(length)
            }
            #expect(try await exchange.nextHead().interim?.status.code == 103)
            let response = try #require(try await exchange.nextHead().final)
            #expect(try await response.text() == "ok")
            #expect(response.body.trailers?.first?.value == "d")
            #expect(exchange.isOver)
        }
    }

    @Test func exchangeThatWasCancelledBeforeItBeganIsNotSent() throws {
        let connection = try TestConnection()
        let exchange = try connection.makeExchange()
        exchange.fail(CancellationError())
        connection.start(exchange)
        #expect(try connection.sentText().isEmpty)
    }

    @Test func connectionThatHasEndedTakesNoExchange() async throws {
        let connection = try TestConnection()
        connection.close()
        let exchange = try connection.start()
        await #expect(throws: ExchangeError.stale(wasSent: false)) { _ = try await exchange.nextHead() }
    }
}

extension ClientExchange.Head {
    fileprivate var interim: HTTPResponse? {
        if case .interim(let response) = self { response } else { nil }
    }

    fileprivate var final: TransportResponse? {
        if case .final(let response) = self { response } else { nil }
    }
}

/// A connection's pipeline without encryption, on an event loop whose time stands still.
private final class TestConnection {
    private let channel = EmbeddedChannel()
    private let socketSide = SocketSide()
    private let handler: ClientConnectionHandler
    private let context: ChannelHandlerContext
    private let connection: ClientConnection

    init(_ change: (inout NIOTransport.Configuration) -> Void = { _ in }) throws {
        var configuration = NIOTransport.Configuration()
        change(&configuration)
        let pool = ConnectionPool(connector: try ClientConnector(configuration), configuration: configuration)
        handler = ClientConnectionHandler(limits: NIOTransport.Limits(configuration))
        try channel.pipeline.syncOperations.addHandler(socketSide)
        try ClientConnectionHandler.addHandlers(to: channel.pipeline.syncOperations, handler)
        context = try channel.pipeline.syncOperations.context(handler: handler)
        let server = OriginServer(isSecure: false, host: "a", port: 80)
        connection = ClientConnection(channel, handler: handler, context: context, server: server, pool: pool)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        channel.read()
    }

    var isOpen: Bool { channel.isActive }
    var isReading: Bool { socketSide.isReadRequested }

    func makeExchange(body: HTTPBody = .empty) throws -> ClientExchange {
        let method: HTTPRequest.Method = body.length == 0 ? .get : .post
        let request = HTTPRequest(method: method, scheme: "http", authority: "a", path: "/p", headerFields: [.accept: "b"])
        return ClientExchange(
            OutgoingRequest(request, body: body, to: try Destination(of: request)),
            wantsInterimResponses: true,
            asTransportError: { TransportError(.failed, "\($0)", underlyingError: $0) }
        )
    }

    @discardableResult
    func start(body: HTTPBody = .empty) throws -> ClientExchange {
        let exchange = try makeExchange(body: body)
        start(exchange)
        return exchange
    }

    func start(_ exchange: ClientExchange) {
        handler.start(exchange, context: context)
    }

    func endRequest(of exchange: ClientExchange) {
        handler.endRequest(of: exchange, context: context)
    }

    /// Delivers bytes as the socket would, if it has been asked to read.
    func receive(_ text: String) throws {
        socketSide.isReadRequested = false
        try channel.writeInbound(ByteBuffer(string: text))
        guard channel.isActive else { return }
        channel.read()
        channel.embeddedEventLoop.run()
    }

    func advance(by time: TimeAmount) {
        channel.embeddedEventLoop.advanceTime(by: time)
    }

    func close() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    func sentText() throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = data { text += String(buffer: bytes) }
        }
        return text
    }

    deinit {
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// Stands where the socket is, and keeps the calls that it gets.
private final class SocketSide: ChannelOutboundHandler {
    typealias OutboundIn = Any

    var isReadRequested = false

    func read(context: ChannelHandlerContext) {
        isReadRequested = true
        context.read()
    }
}
