// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardTesting
package import NIOCore
package import NIOHPACK
internal import NIOPosix

/// An origin that writes and reads frames of HTTP/2 itself, whether they keep to the rules or not.
package final class FrameOrigin: Sendable {
    /// A request that has come to its end.
    package struct Request {
        package let stream: UInt32
        package let fields: HPACKHeaders
        /// The number of frames of its head.
        package let headFrameCount: Int

        package var path: String { self[":path"] ?? "" }

        package subscript(name: String) -> String? { fields.first(name: name) }
    }

    /// Answers a request, on the connection's event loop.
    package typealias Handler = @Sendable (Request, FrameOriginConnection) -> Void

    /// How many connections have been made.
    package let connections: Counter
    private let channel: any Channel

    package var port: Int { channel.localAddress?.port ?? 0 }

    private init(_ channel: any Channel, _ connections: Counter) {
        self.channel = channel
        self.connections = connections
    }

    package static func start(settings: [(UInt16, UInt32)] = [], handler: @escaping Handler) async throws -> FrameOrigin {
        let connections = Counter()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                connections.add()
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FrameOriginConnection(settings, handler))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return FrameOrigin(channel, connections)
    }

    deinit {
        channel.close(promise: nil)
    }
}

/// A connection to a ``FrameOrigin``. Use it on its event loop only.
package final class FrameOriginConnection: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let settings: [(UInt16, UInt32)]
    private let handler: FrameOrigin.Handler
    private var pending = ByteBuffer()
    private var hasPreface = false
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator(), useHuffmanEncoding: false)
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    /// The head that is not complete.
    private var block = ByteBuffer()
    private var blockFrameCount = 0
    private var blockEndsStream = false
    /// Heads whose content is not complete.
    private var open: [UInt32: (fields: HPACKHeaders, frameCount: Int)] = [:]
    private var context: ChannelHandlerContext?
    /// A rule that the other side has broken.
    package private(set) var violation: String?

    init(_ settings: [(UInt16, UInt32)], _ handler: @escaping FrameOrigin.Handler) {
        self.settings = settings
        self.handler = handler
        decoder.maxHeaderListSize = 2_000_000
    }

    package func channelActive(context: ChannelHandlerContext) {
        self.context = context
        var payload = ByteBuffer()
        for (name, value) in settings { payload.writeMultipleIntegers(name, value) }
        write(4, payload: payload)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending.writeImmutableBuffer(Self.unwrapInboundIn(data))
        if !hasPreface {
            guard pending.readSlice(length: 24) != nil else { return }
            hasPreface = true
        }
        while let (start, flags, stream) = pending.getMultipleIntegers(at: pending.readerIndex, as: (UInt32, UInt8, UInt32).self),
            pending.readableBytes >= Int(start >> 8) + 9, self.context != nil
        {
            pending.moveReaderIndex(forwardBy: 9)
            if start >> 8 > 16_384 { violation = "a frame of \(start >> 8) bytes" }
            let payload = pending.readSlice(length: Int(start >> 8)) ?? ByteBuffer()
            receive(UInt8(truncatingIfNeeded: start), flags, stream, payload)
        }
        pending.discardReadBytes()
    }

    private func receive(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: ByteBuffer) {
        if blockFrameCount > 0, kind != 9 { violation = "a frame of kind \(kind) inside a head" }
        switch kind {
        case 0:
            if payload.readableBytes > 0 {
                for number in [0, stream] { windowUpdate(number, UInt32(payload.readableBytes)) }
            }
            if flags & 1 != 0 { complete(stream) }
        case 1, 9:
            if kind == 1 { blockEndsStream = flags & 1 != 0 }
            block.writeImmutableBuffer(payload)
            blockFrameCount += 1
            guard flags & 4 != 0 else { return }
            do {
                open[stream] = (try decoder.decodeHeaders(from: &block), blockFrameCount)
            } catch {
                violation = "\(error)"
                return close()
            }
            (block, blockFrameCount) = (ByteBuffer(), 0)
            if blockEndsStream { complete(stream) }
        case 3: open[stream] = nil
        case 4 where flags & 1 == 0: write(4, flags: 1)
        case 6 where flags & 1 == 0: write(6, flags: 1, payload: payload)
        default: break
        }
    }

    private func complete(_ stream: UInt32) {
        guard let (fields, frameCount) = open.removeValue(forKey: stream) else { return }
        handler(.init(stream: stream, fields: fields, headFrameCount: frameCount), self)
    }

    // MARK: What the origin sends

    /// Writes a frame as it is. Without `flushes`, the next frame that is flushed sends it too.
    package func write(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: ByteBuffer = ByteBuffer(), flushes: Bool = true) {
        guard let context else { return }
        var bytes = ByteBuffer()
        bytes.writeMultipleIntegers(UInt32(payload.readableBytes) << 8 | UInt32(kind), flags, stream)
        bytes.writeImmutableBuffer(payload)
        context.write(Self.wrapOutboundOut(bytes), promise: nil)
        if flushes { context.flush() }
    }

    /// Writes a head or trailers, in frames of at most so many bytes.
    package func fields(_ fields: [(String, String)], stream: UInt32, ends: Bool, frameByteCount: Int = 16_384, flushes: Bool = false) {
        var block = ByteBuffer()
        do { try encoder.encode(headers: HPACKHeaders(fields), to: &block) } catch { return close() }
        var kind: UInt8 = 1
        repeat {
            let part = block.readSlice(length: min(block.readableBytes, frameByteCount)) ?? ByteBuffer()
            let flags: UInt8 = (block.readableBytes == 0 ? 4 : 0) | (kind == 1 && ends ? 1 : 0)
            write(kind, flags: flags, stream: stream, payload: part, flushes: false)
            kind = 9
        } while block.readableBytes > 0
        if flushes { context?.flush() }
    }

    package func respond(_ text: String, _ fields: [(String, String)] = [], stream: UInt32, trailers: [(String, String)]? = nil) {
        self.fields([(":status", "200"), ("content-length", "\(text.utf8.count)")] + fields, stream: stream, ends: false)
        write(0, flags: trailers == nil ? 1 : 0, stream: stream, payload: ByteBuffer(string: text), flushes: false)
        if let trailers { self.fields(trailers, stream: stream, ends: true) }
        context?.flush()
    }

    package func goAway(lastStream: UInt32, _ code: UInt32) {
        var payload = ByteBuffer()
        payload.writeMultipleIntegers(lastStream, code)
        write(7, payload: payload)
    }

    package func reset(_ stream: UInt32, _ code: UInt32) {
        write(3, stream: stream, payload: ByteBuffer(integer: code))
    }

    package func windowUpdate(_ stream: UInt32, _ byteCount: UInt32) {
        write(8, stream: stream, payload: ByteBuffer(integer: byteCount))
    }

    package func close() {
        context?.close(promise: nil)
    }
}
