// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import HoardHTTP
@testable import HoardNIO

/// A connection of HTTP/2 without a socket, whose requests are read to their end and answered with 200.
final class FuzzedHTTP2Connection {
    let channel = EmbeddedChannel()
    private let socket = FuzzedSocket()
    private let log = FuzzedRequestLog()

    init() throws {
        var configuration = HTTPServer.Configuration()
        // Limits that a small input can reach.
        configuration.maximumTargetByteCount = 256
        configuration.maximumHeaderByteCount = 1_024
        configuration.maximumHeaderFieldCount = 16
        configuration.maximumRequestContentByteCount = 1_024
        configuration.maximumStreamCount = 16
        configuration.bodyBufferByteCount = 64
        let server = ServerContext(
            configuration,
            responder: Responder(handler: Self.handler(log), clock: StoppedClock(), immediate: AnswersAtOnce(log: log)),
            registry: ConnectionRegistry(maximumCount: 1),
            logger: Logger(label: "fuzz", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try channel.pipeline.syncOperations.addHandler(socket)
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        let handler = HTTP2ConnectionHandler(configuration: configuration)
        try handler.addToPipeline(of: channel, server: server, info: ConnectionInfo(remoteAddress: "192.0.2.1"))
        channel.read()
    }

    private static func handler(_ log: FuzzedRequestLog) -> HTTPServer.Handler {
        { request in
            let index = log.add(FuzzedRequest(request.head))
            let content = try? await request.body.collect(upTo: 1 << 20)
            log.requests.withLock { $0[index].content = content }
            return HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody(content ?? ByteBuffer(string: "broken")))
        }
    }

    var isOpen: Bool { channel.isActive && !socket.isOutputClosed }
    var requests: [FuzzedRequest] { log.requests.withLock { $0 } }

    func receive(_ bytes: [UInt8]) {
        channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
    }

    /// Completes the read, as a socket does when it has no more for now.
    func completeRead() {
        guard channel.isActive else { return }
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

private struct AnswersAtOnce: ImmediateResponder {
    let log: FuzzedRequestLog

    func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer? { nil }

    func begin(_ request: HTTPServerRequest) -> ImmediateBeginning {
        _ = log.add(FuzzedRequest(request.head, content: ByteBuffer()))
        // Some are answered by a task.
        guard (request.head.path ?? "").utf8.count % 2 == 1 else {
            return .later { HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody("later")) }
        }
        return .response(HTTPServerResponse(head: HTTPResponse(status: .ok), body: HTTPBody("at once")))
    }
}
