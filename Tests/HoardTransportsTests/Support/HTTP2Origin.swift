// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardNIOTestSupport
import HoardTesting
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// An origin that speaks HTTP/2 and obeys a test on each stream.
final class HTTP2Origin: Sendable {
    /// A request, and the means to answer it. All may be called from anywhere.
    struct Stream: Sendable {
        let fields: HPACKHeaders
        let content: String
        /// The stream's number on its connection.
        let id: Int
        fileprivate let channel: any Channel

        var path: String { fields.first(name: ":path") ?? "" }

        func head(_ status: Int = 200, _ fields: [(String, String)] = [], ends: Bool = false) {
            write(.headers(.init(headers: HPACKHeaders([(":status", "\(status)")] + fields), endStream: ends)))
        }

        func data(_ text: String, ends: Bool = false) {
            write(.data(.init(data: .byteBuffer(ByteBuffer(string: text)), endStream: ends)))
        }

        func trailers(_ fields: [(String, String)]) {
            write(.headers(.init(headers: HPACKHeaders(fields), endStream: true)))
        }

        func reset(_ code: HTTP2ErrorCode) {
            write(.rstStream(code))
        }

        func respond(_ text: String) {
            head(200, [("content-length", "\(text.utf8.count)")])
            data(text, ends: true)
        }

        func goAway(lastStreamID: Int) {
            guard let connection = channel.parent else { return }
            let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: HTTP2StreamID(lastStreamID), errorCode: .noError, opaqueData: nil)
            connection.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
        }

        /// Closes the connection when the written bytes have left.
        func closeConnection() {
            channel.eventLoop.execute { channel.parent?.close(promise: nil) }
        }

        private func write(_ payload: HTTP2Frame.FramePayload) {
            channel.writeAndFlush(payload, promise: nil)
        }
    }

    typealias Handler = @Sendable (Stream) -> Void

    /// How many connections have been made, and how many have ended.
    let connections: Counter
    let closedConnections: Counter
    /// How many streams the other side has reset.
    let resets: Counter
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ counters: (Counter, Counter, Counter)) {
        self.channel = channel
        (connections, closedConnections, resets) = counters
    }

    /// - Parameter answersAtHead: Whether the handler is called when the head of a request has arrived; else it
    ///   is called when all of the request has.
    static func start(
        protocols: [String]? = nil,
        settings: HTTP2Settings = [],
        answersAtHead: Bool = false,
        handler: @escaping Handler
    ) async throws -> HTTP2Origin {
        let counters = (Counter(), Counter(), Counter())
        var tls: NIOSSLContext?
        if let protocols {
            var configuration = try TestCertificate.first.serverConfiguration()
            configuration.applicationProtocols = protocols
            tls = try NIOSSLContext(configuration: configuration)
        }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [tls] channel in
                counters.0.add()
                channel.closeFuture.whenComplete { _ in counters.1.add() }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    var configuration = NIOHTTP2Handler.Configuration()
                    configuration.connection.initialSettings = settings
                    // A test may send frames that are not allowed.
                    configuration.connection.headerBlockValidation = .disabled
                    configuration.connection.contentLengthValidation = .disabled
                    let codec = NIOHTTP2Handler(
                        mode: .server,
                        eventLoop: channel.eventLoop,
                        connectionConfiguration: configuration.connection,
                        streamConfiguration: configuration.stream
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(StreamReplier(counters.2, answersAtHead: answersAtHead, handler: handler))
                        }
                    }
                    try pipeline.addHandler(codec)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return HTTP2Origin(channel, counters)
    }

    deinit {
        channel.close(promise: nil)
    }
}

/// Runs an origin for as long as `body` takes.
func withHTTP2Origin(
    protocols: [String]? = nil,
    settings: HTTP2Settings = [],
    answersAtHead: Bool = false,
    handler: @escaping HTTP2Origin.Handler,
    body: (HTTP2Origin) async throws -> Void
) async throws {
    let origin = try await HTTP2Origin.start(protocols: protocols, settings: settings, answersAtHead: answersAtHead, handler: handler)
    try await body(origin)
    withExtendedLifetime(origin) {}
}

private final class StreamReplier: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let resets: Counter
    private let answersAtHead: Bool
    private let handler: HTTP2Origin.Handler
    private var fields = HPACKHeaders()
    private var content = ""

    init(_ resets: Counter, answersAtHead: Bool, handler: @escaping HTTP2Origin.Handler) {
        self.resets = resets
        self.answersAtHead = answersAtHead
        self.handler = handler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let frame):
            fields = frame.headers
            if answersAtHead || frame.endStream { answer(context) }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { content += String(buffer: bytes) }
            if frame.endStream, !answersAtHead { answer(context) }
        case .rstStream:
            resets.add()
        default:
            break
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let id = (try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)).map { Int($0) } ?? 0
        handler(HTTP2Origin.Stream(fields: fields, content: content, id: id, channel: context.channel))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
