// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization

@testable import HoardEventLoops
@testable import HoardHTTP
@testable import HoardNIO
@testable import HoardWire

/// A connection of HTTP/1 without a socket, whose requests are read to their end and answered with 200.
final class FuzzedConnection {
    private let channel = EmbeddedChannel()
    private let socket = FuzzedSocket()
    private let log = FuzzedRequestLog()

    /// - Parameter answersAtOnce: Whether plain requests are answered by their bytes.
    init(answersAtOnce: Bool) throws {
        var configuration = HTTPServer.Configuration()
        // Limits that a small input can reach.
        configuration.maximumTargetByteCount = 512
        configuration.maximumHeaderByteCount = 1_024
        configuration.maximumHeaderFieldCount = 32
        configuration.maximumRequestContentByteCount = 1_024
        configuration.maximumDrainByteCount = 512
        configuration.bodyBufferByteCount = 64
        let handler = ConnectionHandler(configuration: configuration, info: ConnectionInfo(remoteAddress: "192.0.2.1"), clock: StoppedClock())
        var responder = Responder(handler: { _ in HTTPServerResponse(head: .init(status: .ok)) }, clock: StoppedClock())
        if answersAtOnce { responder.immediate = AnswersAtOnce(log: log) }
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try channel.pipeline.syncOperations.addHandlers(
            socket,
            FrontHandler(handler, responder: responder),
            HTTPResponseEncoder(configuration: encoding),
            MethodHandler(handler),
            ByteToMessageHandler(HTTPRequestDecoder()),
            handler,
            FuzzedApplication(log: log, keepsFields: !answersAtOnce)
        )
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        channel.read()
    }

    var isOpen: Bool { channel.isActive && !socket.isOutputClosed }
    var isReading: Bool { socket.isReadRequested }
    var requests: [FuzzedRequest] { log.requests.withLock { $0 } }

    func receive(_ bytes: [UInt8]) throws {
        socket.isReadRequested = false
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        guard channel.isActive else { return }
        channel.read()
        channel.embeddedEventLoop.run()
    }

    func closeInput() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        channel.embeddedEventLoop.run()
    }

    /// Whether the server has answered something that is not 200.
    func hasRefused() throws -> Bool {
        var sent = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: bytes) }
        return sent.split(separator: "\r\n").contains { $0.hasPrefix("HTTP/1.1 4") || $0.hasPrefix("HTTP/1.1 5") }
    }

    func finish() {
        _ = try? channel.finish(acceptAlreadyClosed: true)
        channel.embeddedEventLoop.run()
    }
}

private struct AnswersAtOnce: ImmediateResponder {
    let log: FuzzedRequestLog

    func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer? {
        // Some are left to the parser.
        guard request.target.count % 2 == 1 else { return nil }
        var content = ByteBuffer()
        if case .query(let query) = request.method { content.writeBytes(query.content) }
        let seen = FuzzedRequest(
            method: request.httpMethod.rawValue,
            authority: String(decoding: request.host, as: UTF8.self),
            path: String(decoding: request.target, as: UTF8.self),
            fields: [:],
            content: content
        )
        _ = log.add(seen)
        output.bytes.writeStaticString("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return ImmediateAnswer(status: 200, contentByteCount: 0, note: ExchangeNote(bits: 1))
    }

    func begin(_ request: HTTPServerRequest) -> ImmediateBeginning { .later { HTTPServerResponse(head: HTTPResponse(status: .ok)) } }
}

/// Reads requests and answers them, in tasks on the channel's event loop.
private final class FuzzedApplication: ChannelInboundHandler {
    typealias InboundIn = HoardNIO.Exchange
    typealias OutboundOut = HTTPServerResponsePart

    private let log: FuzzedRequestLog
    private let keepsFields: Bool

    init(log: FuzzedRequestLog, keepsFields: Bool) {
        self.log = log
        self.keepsFields = keepsFields
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let exchange = Self.unwrapInboundIn(data)
        var head = exchange.request.head
        // No code reads the fields of a request that is answered by its bytes.
        if !keepsFields { head.headerFields = [:] }
        let index = log.add(FuzzedRequest(head))
        let body = exchange.request.body
        let log = log
        let eventLoop = context.eventLoop
        let bound = NIOLoopBound(context, eventLoop: eventLoop)
        Task(executorPreference: EventLoopTaskExecutor(eventLoop)) {
            await FuzzedApplication.read(body, log, index)
            eventLoop.execute { FuzzedApplication.answer(bound.value) }
        }
    }

    private static func read(_ body: HTTPBody, _ log: FuzzedRequestLog, _ index: Int) async {
        let content = try? await body.collect(upTo: 1 << 20)
        log.requests.withLock { $0[index].content = content }
    }

    private static func answer(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
