// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardNIOTestSupport
import HoardTesting
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// An origin that answers each request with the bytes a test gives, whether they are HTTP or not.
final class RawOrigin: Sendable {
    enum Reply: Sendable {
        /// Sends this and keeps the connection.
        case send(String)
        /// Sends this and closes the connection.
        case sendAndClose(String)
        case nothing
    }

    private let channel: any Channel
    private let log: Log

    var port: Int { channel.localAddress?.port ?? 0 }
    /// The bytes that have arrived, connection by connection, in the order of the connections' first bytes.
    var received: [String] { log.texts.withLock { $0 } }
    /// How many connections have ended.
    var closedCount: Counter { log.closedCount }

    private init(_ channel: any Channel, _ log: Log) {
        self.channel = channel
        self.log = log
    }

    /// - Parameter reply: Returns the reply when the head of a request is complete.
    static func start(isSecure: Bool = false, reads: Bool = true, reply: @escaping @Sendable (String) -> Reply) async throws -> RawOrigin {
        let log = Log()
        let tls = isSecure ? try NIOSSLContext(configuration: TestCertificate.first.serverConfiguration()) : nil
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: reads)
            // Small, so that back-pressure is felt soon.
            .serverChannelOption(.socketOption(.so_rcvbuf), value: 64 * 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Replier(log, reply: reply))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return RawOrigin(channel, log)
    }

    deinit {
        channel.close(promise: nil)
    }
}

/// Runs an origin for as long as `body` takes.
func withRawOrigin(
    isSecure: Bool = false,
    reads: Bool = true,
    reply: @escaping @Sendable (String) -> RawOrigin.Reply,
    body: (RawOrigin) async throws -> Void
) async throws {
    let origin = try await RawOrigin.start(isSecure: isSecure, reads: reads, reply: reply)
    try await body(origin)
    withExtendedLifetime(origin) {}
}

private final class Log: Sendable {
    let texts = Mutex<[String]>([])
    let closedCount = Counter()

    func open(_ text: String) -> Int {
        texts.withLock { texts in
            texts.append(text)
            return texts.count - 1
        }
    }

    func append(_ text: String, at index: Int) {
        texts.withLock { $0[index] += text }
    }
}

private final class Replier: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: Log
    private let reply: @Sendable (String) -> RawOrigin.Reply
    private var index: Int?
    private var pending = ""

    init(_ log: Log, reply: @escaping @Sendable (String) -> RawOrigin.Reply) {
        self.log = log
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: Self.unwrapInboundIn(data))
        if let index { log.append(text, at: index) } else { index = log.open(text) }
        pending += text
        guard let end = pending.firstRange(of: "\r\n\r\n") else { return }
        let head = String(pending[..<end.upperBound])
        pending = ""
        switch reply(head) {
        case .send(let text):
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        case .sendAndClose(let text):
            context.write(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            let context = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.value.flush()
            context.value.close(promise: nil)
        case .nothing:
            break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        log.closedCount.add()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
