// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import HoardNIO

/// The handlers of an HTTP/1 connection without sockets and tasks.
@Suite struct FrontHandlerTests {
    private static let get = "GET /fast HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let fastAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/fast"

    @Test func plainRequestIsAnsweredWithoutAnExchange() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get)
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(connection.exchanges.isEmpty)
    }

    @Test func headHasNoContent() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get.replacing("GET", with: "HEAD"))
        #expect(try connection.sentText() == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    }

    @Test func requestInPiecesIsAnsweredWhenItIsWhole() throws {
        let connection = try FrontConnection()
        for byte in Self.get.utf8.dropLast() {
            try connection.receive(String(decoding: [byte], as: UTF8.self))
            #expect(try connection.sentText().isEmpty)
        }
        try connection.receive("\n")
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(connection.exchanges.isEmpty)
    }

    @Test func pipelinedRequestsAreAnsweredInOrderAndInOneWrite() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get + Self.get.replacing("fast", with: "fast2") + Self.get + "GET /fa")
        #expect(
            try connection.sentBuffers() == [
                Self.fastAnswer + Self.fastAnswer.replacing("fast", with: "fast2").replacing("5", with: "6") + Self.fastAnswer
            ]
        )
        try connection.receive("st HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.sentText() == Self.fastAnswer)
    }

    /// TLS holds what is not flushed, and the channel does not know of it.
    @Test func answersOverTLSAreFlushedBeforeTheyAreMany() throws {
        let connection = try FrontConnection(isSecure: true)
        connection.blocksNetworkWhenFlushed()
        try connection.receive(String(repeating: Self.get.replacing("fast", with: "large"), count: 200))
        #expect(connection.blockedByteCount < 2 * FrontConnection.largeByteCount)
        #expect(connection.writtenByteCount == connection.blockedByteCount)
        connection.isNetworkBlocked = false
        #expect(try connection.sentText().utf8.count > FrontConnection.largeByteCount)
    }

    @Test func whatIsNotAnsweredByBytesGoesToTheParser() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get + Self.get.replacing("fast", with: "loop") + Self.get.replacing("fast", with: "slow") + Self.get)
        #expect(connection.exchanges == ["/slow"])
        let sent = try connection.sentText()
        #expect(sent.hasPrefix(Self.fastAnswer + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"))
        #expect(sent.hasSuffix("/loop"))
        // Requests behind it wait until the exchange has ended.
        try connection.respond()
        #expect(connection.exchanges == ["/slow", "/fast"])
    }

    @Test func requestsBehindAnExchangeAreAnsweredByBytesAgain() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get.replacing("fast", with: "slow"))
        try connection.respond()
        _ = try connection.sentText()
        try connection.receive(Self.get)
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(connection.exchanges == ["/slow"])
    }

    // MARK: Content of a QUERY

    private static let query = "QUERY /fast HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"

    @Test func aQueryWithItsContentIsAnsweredByItsBytes() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.query + "GET " + Self.get)
        #expect(try connection.sentText() == Self.fastAnswer + Self.fastAnswer)
        #expect(connection.exchanges.isEmpty)
    }

    @Test func contentThatComesLaterIsWaitedForByTheParser() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.query + "GE")
        #expect(connection.exchanges == ["/fast"])
        try connection.receive("T " + Self.get)
        try connection.respond()
        // The bytes behind the content were a request.
        #expect(connection.exchanges == ["/fast", "/fast"])
        try connection.respond()
        _ = try connection.sentText()
        try connection.receive(Self.query + "abcd")
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(connection.exchanges == ["/fast", "/fast"])
    }

    @Test func contentBeyondTheLimitIsRefused() throws {
        let connection = try FrontConnection { $0.maximumRequestContentByteCount = 3 }
        try connection.receive(Self.query + "abcd")
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 413 "))
    }

    // MARK: Parts of one request are never taken for another

    @Test func contentThatLooksLikeARequestIsContent() throws {
        let connection = try FrontConnection()
        let content = Self.get
        try connection.receive("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: \(content.utf8.count)\r\n\r\n")
        try connection.receive(content)
        #expect(try connection.sentText().isEmpty)
        #expect(connection.exchanges == ["/slow"])
    }

    @Test func fieldOfAnOddRequestThatLooksLikeARequestIsAField() throws {
        let connection = try FrontConnection()
        try connection.receive("OPTIONS /slow HTTP/1.1\r\nHost: a\r\nX: ")
        try connection.receive("GET /fast HTTP/1.1\r\n\r\n")
        #expect(try connection.sentText().isEmpty)
        #expect(connection.exchanges == ["/slow"])
    }

    @Test func beginningBehindAnExchangeIsNotForgotten() throws {
        let connection = try FrontConnection()
        try connection.receive("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nOPTIONS /slow2 HTTP/1.1\r\nHost: a\r\nX: ")
        try connection.respond()
        _ = try connection.sentText()
        try connection.receive("GET /fast HTTP/1.1\r\n\r\n")
        #expect(try connection.sentText().isEmpty)
        #expect(connection.exchanges == ["/slow", "/slow2"])
    }

    @Test func oddRequestIsRefusedByTheParser() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" + Self.get)
        let sent = try connection.sentText()
        #expect(sent.hasPrefix(Self.fastAnswer + "HTTP/1.1 400 "))
        #expect(!sent.dropFirst(Self.fastAnswer.count).contains("/fast"))
    }

    @Test func nothingIsAnsweredBehindARequestToClose() throws {
        let connection = try FrontConnection()
        try connection.receive("GET /loop HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + Self.get)
        #expect(try connection.sentText().contains("Connection: close\r\n"))
        try connection.receive(Self.get)
        #expect(try connection.sentText().isEmpty)
    }

    // MARK: Times

    @Test func connectionIsIdleFromTheLastAnswerOn() throws {
        let connection = try FrontConnection { $0.idleTimeout = .seconds(60) }
        for _ in 0..<3 {
            try connection.receive(Self.get)
            connection.advance(by: .seconds(59))
            #expect(connection.isOpen)
        }
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func connectionMayBeIdleForAShorterTimeThanItsFirstHeadMayTake() throws {
        let connection = try FrontConnection {
            $0.idleTimeout = .seconds(10)
            $0.headTimeout = .seconds(30)
        }
        try connection.receive(Self.get)
        connection.advance(by: .seconds(9))
        #expect(connection.isOpen)
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    /// With the longer timeout the timer has to be set again when the head begins.
    @Test(arguments: [60, 600])
    func headThatIsHeldHasItsTime(_ idleSeconds: Int) throws {
        let connection = try FrontConnection {
            $0.idleTimeout = .seconds(idleSeconds)
            $0.headTimeout = .seconds(30)
        }
        try connection.receive(Self.get)
        connection.advance(by: .seconds(40))
        try connection.receive("GET /f")
        connection.advance(by: .seconds(29))
        #expect(try connection.sentText() == Self.fastAnswer)
        connection.advance(by: .seconds(1))
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func headThatIsHeldWhileBytesAreUnwrittenHasItsTimeAfterwards() throws {
        let connection = try FrontConnection {
            $0.idleTimeout = .seconds(600)
            $0.headTimeout = .seconds(30)
        }
        connection.isNetworkBlocked = true
        try connection.receive(Self.get + "GET /f")
        connection.advance(by: .seconds(20))
        connection.isNetworkBlocked = false
        connection.advance(by: .seconds(29))
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(connection.isOpen)
        connection.advance(by: .seconds(1))
        #expect(try connection.sentText().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func headThatIsHeldBehindAnExchangeHasItsTimeAfterwards() throws {
        let connection = try FrontConnection {
            $0.idleTimeout = .seconds(600)
            $0.headTimeout = .seconds(30)
        }
        try connection.receive(Self.get.replacing("fast", with: "slow") + "GET /f")
        connection.advance(by: .seconds(100))
        try connection.respond()
        _ = try connection.sentText()
        connection.advance(by: .seconds(29))
        #expect(try connection.sentText().isEmpty)
        // A head that is whole in time leaves nothing behind: from here on the connection is idle.
        try connection.receive("ast HTTP/1.1\r\nHost: a\r\n\r\n")
        try connection.receive(Self.get.replacing("fast", with: "slow"))
        try connection.respond()
        #expect(try connection.sentText().hasPrefix(Self.fastAnswer))
        connection.advance(by: .seconds(599))
        #expect(connection.isOpen)
        connection.advance(by: .seconds(1))
        #expect(!connection.isOpen)
    }

    // MARK: Clients that do not read

    @Test func clientThatDoesNotReadGetsNoMoreThanTheNetworkTakes() throws {
        let connection = try FrontConnection()
        connection.fillsUp = true
        connection.isNetworkBlocked = true
        let text = String(repeating: Self.get.replacing("fast", with: "large"), count: 100)
        try connection.receive(text)
        #expect(connection.blockedByteCount < 3 * FrontConnection.largeByteCount)
        #expect(!connection.isReading)
        connection.isNetworkBlocked = false
        let expected = 100 * (FrontConnection.largeByteCount + 40)
        var sent = try connection.sentText().utf8.count
        while connection.exchanges.isEmpty == false, sent < expected {
            try connection.respondLarge()
            sent += try connection.sentText().utf8.count
            if connection.exchanges.count > 200 { break }
        }
        #expect(connection.isReading)
    }

    @Test func unwrittenBytesKeepTheConnectionBusy() throws {
        let connection = try FrontConnection {
            $0.idleTimeout = .seconds(60)
            $0.writeTimeout = .seconds(100)
        }
        connection.isNetworkBlocked = true
        try connection.receive(Self.get)
        connection.advance(by: .seconds(70))
        #expect(connection.isOpen)
        connection.closeInput()
        #expect(connection.isOpen)
        connection.isNetworkBlocked = false
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(!connection.isOpen)
    }

    @Test func unwrittenBytesAreWrittenAtShutdown() throws {
        let connection = try FrontConnection()
        connection.isNetworkBlocked = true
        try connection.receive(Self.get)
        connection.quiesce()
        #expect(connection.isOpen)
        connection.isNetworkBlocked = false
        #expect(try connection.sentText() == Self.fastAnswer)
        #expect(connection.isOutputClosed)
    }

    @Test func idleConnectionIsClosedAtShutdown() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get)
        connection.quiesce()
        #expect(!connection.isOpen)
    }

    // MARK: Reports

    @Test func unwrittenAnswersAreReportedWhenTheyHaveBeenWritten() throws {
        let connection = try FrontConnection { $0.writeTimeout = .seconds(100) }
        connection.isNetworkBlocked = true
        try connection.receive(Self.get + Self.get)
        #expect(connection.reports.isEmpty)
        connection.advance(by: .seconds(7))
        connection.isNetworkBlocked = false
        #expect(connection.reports.map(\.isComplete) == [true, true])
        #expect(connection.reports.map(\.duration) == [.seconds(7), .seconds(7)])
        #expect(connection.reports.map(\.timeToFirstByte) == [.zero, .zero])
        try connection.receive(Self.get)
        #expect(connection.reports.count == 3)
    }

    @Test func answersThatAreNeverWrittenAreReportedAsIncomplete() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get)
        connection.isNetworkBlocked = true
        try connection.receive(Self.get + Self.get)
        connection.close()
        #expect(connection.reports.map(\.isComplete) == [true, false, false])
        #expect(connection.reports.map(\.status) == [200, 200, 200])
    }

    @Test func answersWhoseWritingFailsAreReportedAsIncomplete() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get)
        connection.failsWrites()
        try connection.receive(Self.get)
        #expect(!connection.isOpen)
        #expect(connection.reports.map(\.isComplete) == [true, false])
    }

    @Test func answerToContentThatIsTooLongIsReportedWithItsLength() throws {
        let connection = try FrontConnection { $0.maximumRequestContentByteCount = 4 }
        try connection.receive("POST /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n")
        try connection.respondLarge()
        let content = "The request's content is longer than the server accepts.\n"
        #expect(try connection.sentText().hasSuffix(content))
        #expect(connection.reports.map(\.status) == [413])
        #expect(connection.reports.map(\.contentByteCount) == [content.utf8.count])
        #expect(connection.writtenByteCount == content.utf8.count)
    }

    @Test func answerToContentOfAHEADThatIsTooLongHasNoContent() throws {
        let connection = try FrontConnection { $0.maximumRequestContentByteCount = 4 }
        try connection.receive("HEAD /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n")
        try connection.respondLarge()
        let text = try connection.sentText()
        #expect(text.hasPrefix("HTTP/1.1 413 ") && text.hasSuffix("\r\n\r\n"))
        #expect(connection.reports.map(\.contentByteCount) == [0])
    }

    @Test func everyExchangeIsReportedOnce() throws {
        let connection = try FrontConnection()
        try connection.receive(Self.get + Self.get.replacing("fast", with: "loop") + Self.get.replacing("fast", with: "slow"))
        try connection.respond()
        try connection.receive("GET / HTTP/1.1\r\n\r\n")
        let reports = connection.reports
        #expect(reports.map(\.status) == [200, 200, 200, 400])
        #expect(reports.map(\.contentByteCount) == [5, 5, 0, 31])
        #expect(reports.map(\.isComplete) == [true, true, true, true])
        #expect(reports.map(\.note?.bits) == [1, 2, nil, nil])
        #expect(reports.map(\.remoteAddress) == Array(repeating: "192.0.2.1", count: 4))
        let requests = reports.map { report -> String in
            switch report.request {
            case .bytes(let bytes): String(buffer: bytes)
            case .head(let head): head.path ?? ""
            case .invalid: "invalid"
            }
        }
        #expect(requests == [Self.get, "/loop", "/slow", "invalid"])
    }
}

/// Answers `/fast…` and `/large` by bytes, `/loop` in the event loop, and nothing else.
private struct TestResponder: ImmediateResponder {
    func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer? {
        let target = String(decoding: request.target, as: UTF8.self)
        let note = ExchangeNote(bits: 1)
        if target == "/large" {
            output.bytes.writeString("HTTP/1.1 200 OK\r\nContent-Length: \(FrontConnection.largeByteCount)\r\n\r\n")
            output.content = ByteBuffer(repeating: 0x78, count: FrontConnection.largeByteCount)
            return ImmediateAnswer(status: 200, contentByteCount: FrontConnection.largeByteCount, note: note)
        }
        guard target.hasPrefix("/fast") else { return nil }
        output.bytes.writeString("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(request.isHead ? "" : target)")
        return ImmediateAnswer(status: 200, contentByteCount: request.isHead ? 0 : target.utf8.count, note: note)
    }

    func begin(_ request: HTTPServerRequest) -> ImmediateBeginning {
        guard request.head.path == "/loop" else { return .later { HTTPServerResponse(head: HTTPResponse(status: .ok)) } }
        return .response(HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody("/loop"), note: ExchangeNote(bits: 2)))
    }
}

private final class FrontConnection {
    static let largeByteCount = 100_000

    private let channel = EmbeddedChannel()
    private let sink = ExchangeSink()
    private let network = Network()
    private let handler: ConnectionHandler
    private let log = ReportLog()

    init(isSecure: Bool = false, _ change: (inout HTTPServer.Configuration) -> Void = { _ in }) throws {
        var configuration = HTTPServer.Configuration()
        change(&configuration)
        let responder = Responder(
            handler: { _ in HTTPServerResponse(head: .init(status: .ok)) },
            clock: SystemWallClock(),
            immediate: TestResponder(),
            observer: log.record
        )
        handler = ConnectionHandler(
            configuration: configuration,
            info: ConnectionInfo(remoteAddress: "192.0.2.1", isSecure: isSecure),
            clock: SystemWallClock(),
            observer: log.record
        )
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try channel.pipeline.syncOperations.addHandlers(
            network,
            FrontHandler(handler, responder: responder),
            HTTPResponseEncoder(configuration: encoding),
            MethodHandler(handler),
            ByteToMessageHandler(HTTPRequestDecoder()),
            handler,
            ImmediateExchangeHandler(responder),
            sink
        )
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        channel.read()
    }

    var isOpen: Bool { channel.isActive }
    var isOutputClosed: Bool { network.isOutputClosed }
    var isReading: Bool { network.isReadRequested }
    var exchanges: [String] { sink.exchanges.map { $0.request.head.path ?? "" } }
    var reports: [ExchangeReport] { log.reports }
    var blockedByteCount: Int { network.blockedByteCount }
    var writtenByteCount: Int { handler.timing.writtenByteCount }

    func close() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// From now on, the socket fails when it is written to.
    func failsWrites() { network.isBroken = true }

    /// From now on, the socket takes nothing, and what is flushed fills the channel's buffer.
    func blocksNetworkWhenFlushed() {
        network.isBlocked = true
        network.fillsUpWhenFlushed = true
    }

    /// Whether the little that is written fills the channel's buffer when the network is blocked.
    var fillsUp = false

    var isNetworkBlocked = false {
        didSet {
            network.isBlocked = isNetworkBlocked
            if isNetworkBlocked { channel.isWritable = !fillsUp } else { channel.isWritable = true }
            if !isNetworkBlocked {
                channel.flush()
                channel.pipeline.fireChannelWritabilityChanged()
                channel.embeddedEventLoop.run()
            }
        }
    }

    func receive(_ text: String) throws {
        network.isReadRequested = false
        try channel.writeInbound(ByteBuffer(string: text))
        channel.read()
        channel.embeddedEventLoop.run()
    }

    func closeInput() { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }

    func quiesce() {
        guard let context = try? channel.pipeline.syncOperations.context(handler: handler) else { return }
        handler.quiesce(context: context)
        channel.embeddedEventLoop.run()
    }

    func advance(by time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    func respond() throws { try respond(content: nil) }

    func respondLarge() throws { try respond(content: ByteBuffer(repeating: 0x78, count: Self.largeByteCount)) }

    private func respond(content: ByteBuffer?) throws {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "\(content?.readableBytes ?? 0)"])
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if let content { channel.write(HTTPServerResponsePart.body(.byteBuffer(content)), promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.run()
    }

    func sentBuffers() throws -> [String] {
        var texts: [String] = []
        while let data = try channel.readOutbound(as: ByteBuffer.self) {
            if data.readableBytes > 0 { texts.append(String(buffer: data)) }
        }
        return texts
    }

    func sentText() throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: data) }
        return text
    }

    deinit {
        network.isBlocked = false
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

private final class ReportLog: Sendable {
    private let state = Mutex<[ExchangeReport]>([])
    var reports: [ExchangeReport] { state.withLock { $0 } }
    var record: ExchangeObserver { { report in self.state.withLock { $0.append(report) } } }
}

private final class ExchangeSink: ChannelInboundHandler {
    typealias InboundIn = Exchange
    var exchanges: [Exchange] = []
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { exchanges.append(Self.unwrapInboundIn(data)) }
}

/// Stands where the socket is; may hold back the bytes that are written.
private final class Network: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var isReadRequested = false
    var isOutputClosed = false
    var isBlocked = false
    var isBroken = false
    var fillsUpWhenFlushed = false
    private var blocked: [(ByteBuffer, EventLoopPromise<Void>?)] = []

    var blockedByteCount: Int { blocked.reduce(0) { $0 + $1.0.readableBytes } }

    func read(context: ChannelHandlerContext) {
        isReadRequested = true
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        blocked.append((Self.unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) {
        if isBlocked, fillsUpWhenFlushed, !blocked.isEmpty { (context.channel as? EmbeddedChannel)?.isWritable = false }
        guard !isBlocked else { return }
        if isBroken { return context.channel.close(promise: nil) }
        let written = blocked
        blocked = []
        for (bytes, promise) in written { context.write(NIOAny(bytes), promise: promise) }
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            isOutputClosed = true
            promise?.succeed()
        } else {
            // As a socket does, before it says that it is closed.
            let unwritten = blocked
            blocked = []
            for (_, promise) in unwritten { promise?.fail(ChannelError.ioOnClosedChannel) }
            context.close(mode: mode, promise: promise)
        }
    }
}
