// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import NIOCore
internal import NIOPosix
package import NIOSSL

/// A client that sends bytes as they are, whether they are HTTP or not.
package final class RawClient {
    private let channel: any Channel
    private var arrived: AsyncThrowingStream<ByteBuffer, any Error>.AsyncIterator
    private var buffer = ByteBuffer()
    package private(set) var isClosed = false

    private init(_ channel: any Channel, _ arrived: AsyncThrowingStream<ByteBuffer, any Error>) {
        self.channel = channel
        self.arrived = arrived.makeAsyncIterator()
    }

    package static func connect(port: Int, readsByItself: Bool = true, receiveBufferByteCount: Int32? = nil) async throws -> RawClient {
        try await connect(
            to: try SocketAddress(ipAddress: "127.0.0.1", port: port),
            readsByItself: readsByItself,
            receiveBufferByteCount: receiveBufferByteCount
        )
    }

    /// - Parameters:
    ///   - receiveBufferByteCount: The kernel's buffer, to make back-pressure felt soon.
    ///   - tls: `nil`: without encryption.
    ///   - serverName: The host that the client names as TLS begins.
    ///   - beginning: Bytes that are sent in clear before all else.
    package static func connect(
        to address: SocketAddress,
        readsByItself: Bool = true,
        receiveBufferByteCount: Int32? = nil,
        tls: NIOSSLContext? = nil,
        serverName: String? = "localhost",
        beginning: String = ""
    ) async throws -> RawClient {
        let (arrived, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: readsByItself)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if !beginning.isEmpty { try pipeline.addHandler(Beginning(beginning)) }
                    if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: serverName)) }
                    try pipeline.addHandler(Receiver(continuation))
                }
            }
        if let receiveBufferByteCount {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBufferByteCount))
        }
        return RawClient(try await bootstrap.connect(to: address).get(), arrived)
    }

    package func send(_ text: String) async throws {
        try await send(ByteBuffer(string: text))
    }

    package func send(_ bytes: ByteBuffer) async throws {
        try await channel.writeAndFlush(bytes).get()
    }

    /// Sends without waiting until the kernel has taken the bytes.
    package func sendLater(_ bytes: ByteBuffer, whenSent: @escaping @Sendable () -> Void = {}) {
        channel.writeAndFlush(bytes).whenSuccess(whenSent)
    }

    package func startReading() async throws {
        try await channel.setOption(.autoRead, value: true).get()
    }

    package func closeOutput() async throws {
        try await channel.close(mode: .output).get()
    }

    /// Leaves as a process does that has not read all its bytes: the server gets a reset, and not only
    /// the end of the client's bytes.
    package func close() async throws {
        try? await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close().get()
    }

    /// The text that comes until the server closes its side.
    ///
    /// - Throws: If the server resets the connection.
    package func receiveUntilClosed() async throws -> String {
        while try await receiveMore() {}
        return takeText(buffer.readableBytes)
    }

    package func receive(byteCount: Int) async throws -> String {
        while buffer.readableBytes < byteCount {
            guard try await receiveMore() else { throw UnexpectedEnd() }
        }
        return takeText(byteCount)
    }

    package func receive(through end: String) async throws -> String {
        while true {
            if let range = String(buffer: buffer).firstRange(of: end) {
                return takeText(String(buffer: buffer)[..<range.upperBound].utf8.count)
            }
            guard try await receiveMore() else { throw UnexpectedEnd() }
        }
    }

    package func receiveBytes(_ byteCount: Int) async throws -> ByteBuffer {
        while buffer.readableBytes < byteCount {
            guard try await receiveMore() else { throw UnexpectedEnd() }
        }
        return buffer.readSlice(length: byteCount) ?? ByteBuffer()
    }

    /// The certificate that the server has shown.
    package func serverCertificate() async throws -> NIOSSLCertificate? {
        try await channel.pipeline.handler(type: NIOSSLClientHandler.self).map { $0.peerCertificate }.get()
    }

    /// The next response, its content read as its head says.
    package func receiveResponse(toHead: Bool = false) async throws -> RawResponse {
        var response = RawResponse(head: try await receive(through: "\r\n\r\n"))
        if toHead || response.status == 304 || response.status == 204 || response.status < 200 { return response }
        if response["transfer-encoding"] == "chunked" {
            while let size = Int(try await receive(through: "\r\n").dropLast(), radix: 16) {
                let chunk = try await receive(byteCount: size + 2)
                if size == 0 { return response }
                response.content += chunk.dropLast()
            }
            throw UnexpectedEnd()
        } else if let length = response["content-length"].flatMap({ Int($0) }) {
            response.content = try await receive(byteCount: length)
        } else {
            response.content = try await receiveUntilClosed()
        }
        return response
    }

    /// The number of bytes that come until the server closes its side; none of them is kept.
    package func countUntilClosed() async throws -> Int {
        var count = buffer.readableBytes
        buffer.clear()
        while try await receiveMore() {
            count += buffer.readableBytes
            buffer.clear()
        }
        return count
    }

    private func receiveMore() async throws -> Bool {
        guard let part = try await arrived.next() else {
            isClosed = true
            return false
        }
        buffer.writeImmutableBuffer(part)
        return true
    }

    private func takeText(_ byteCount: Int) -> String {
        String(decoding: buffer.readBytes(length: byteCount) ?? [], as: UTF8.self)
    }

    deinit {
        channel.close(promise: nil)
    }
}

package struct UnexpectedEnd: Error {}

/// A response as it came, and as a client reads it.
package struct RawResponse {
    package let statusLine: String
    package let status: Int
    package let fields: [(name: String, value: String)]
    package var content = ""

    package init(head: String) {
        // In a Swift string, CR and LF are one character.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        statusLine = String(lines.first ?? "")
        status = Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0
        fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), String(line[colon...].dropFirst().drop { $0 == " " }))
        }
    }

    /// The value of the only field of that name.
    package subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name }
        return values.count == 1 ? values[0].value : nil
    }
}

/// Sends something as soon as there is a connection.
private final class Beginning: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let text: String

    init(_ text: String) {
        self.text = text
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        context.fireChannelActive()
    }
}

private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation) {
        self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        continuation.yield(Self.unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { continuation.finish() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        continuation.finish(throwing: error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        continuation.finish()
    }
}
