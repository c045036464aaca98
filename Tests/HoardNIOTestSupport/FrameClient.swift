// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOHPACK

/// A client that sends HTTP/2 frames as they are, whether they keep to the rules or not.
package final class FrameClient {
    package struct Frame: Equatable, CustomStringConvertible {
        package var kind: Kind
        package var flags: UInt8 = 0
        package var stream: Int = 0
        package var payload = ByteBuffer()

        package init(kind: Kind, flags: UInt8 = 0, stream: Int = 0, payload: ByteBuffer = ByteBuffer()) {
            self.kind = kind
            self.flags = flags
            self.stream = stream
            self.payload = payload
        }

        package var endsStream: Bool { flags & 0x1 != 0 }
        package var isAcknowledgement: Bool { flags & 0x1 != 0 }
        /// The code of RST_STREAM and GOAWAY.
        package var errorCode: UInt32? { payload.getInteger(at: payload.readerIndex + (kind == .goAway ? 4 : 0)) }
        /// The last stream of GOAWAY.
        package var lastStream: UInt32? { payload.getInteger(at: payload.readerIndex) }

        package var description: String { "\(kind) stream \(stream) flags \(flags) \(payload.readableBytes) bytes" }
    }

    package enum Kind: UInt8 {
        case data = 0, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The frames that have come on a stream.
    package struct Response {
        package var interim: [HPACKHeaders] = []
        package var head = HPACKHeaders()
        package var content = ByteBuffer()
        package var trailers: HPACKHeaders?
        package var resetCode: UInt32?
        package var isComplete = false

        package var status: String? { head.first(name: ":status") }
        package var text: String { String(buffer: content) }
    }

    package static let protocolError: UInt32 = 1
    package static let refusedStream: UInt32 = 7
    package static let cancel: UInt32 = 8
    package static let enhanceYourCalm: UInt32 = 11

    package let client: RawClient
    /// Whether the server is told to send more as soon as something has come.
    package var givesRoom = true
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var responses: [Int: Response] = [:]
    /// The number of frames of the last head.
    package private(set) var headFrameCount = 0
    /// The longest frame so far.
    package private(set) var longestFrame = 0
    /// GOAWAY frames so far.
    package private(set) var goAways: [Frame] = []

    package init(_ client: RawClient, settings: [(UInt16, UInt32)] = []) async throws {
        self.client = client
        decoder.maxHeaderListSize = 2_000_000
        try await client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        var payload = ByteBuffer()
        for (name, value) in settings {
            payload.writeInteger(name)
            payload.writeInteger(value)
        }
        try await send(Frame(kind: .settings, payload: payload))
    }

    package static func connect(port: Int, settings: [(UInt16, UInt32)] = [], receiveBufferByteCount: Int32? = nil) async throws -> FrameClient {
        try await FrameClient(RawClient.connect(port: port, receiveBufferByteCount: receiveBufferByteCount), settings: settings)
    }

    package static func bytes(_ frames: [Frame]) -> ByteBuffer {
        var bytes = ByteBuffer()
        for frame in frames {
            bytes.writeInteger(UInt8(truncatingIfNeeded: frame.payload.readableBytes >> 16))
            bytes.writeInteger(UInt16(truncatingIfNeeded: frame.payload.readableBytes))
            bytes.writeInteger(frame.kind.rawValue)
            bytes.writeInteger(frame.flags)
            bytes.writeInteger(UInt32(frame.stream))
            bytes.writeImmutableBuffer(frame.payload)
        }
        return bytes
    }

    package func send(_ frames: Frame...) async throws {
        try await client.send(Self.bytes(frames))
    }

    package func block(_ fields: [(String, String)]) throws -> ByteBuffer {
        var block = ByteBuffer()
        try encoder.encode(headers: HPACKHeaders(fields), to: &block)
        return block
    }

    package static func get(_ path: String, _ fields: [(String, String)] = [], method: String = "GET") -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":authority", "a"), (":path", path)] + fields
    }

    /// The frames of a head: HEADERS, and CONTINUATION for the rest that does not fit.
    package func frames(_ stream: Int, _ fields: [(String, String)], endsStream: Bool = true) throws -> [Frame] {
        var block = try block(fields)
        var frames: [Frame] = []
        repeat {
            let part = block.readSlice(length: min(block.readableBytes, 16_384)) ?? ByteBuffer()
            frames.append(Frame(kind: frames.isEmpty ? .headers : .continuation, stream: stream, payload: part))
        } while block.readableBytes > 0
        if endsStream { frames[0].flags |= 0x1 }
        frames[frames.count - 1].flags |= 0x4
        return frames
    }

    package func request(_ stream: Int, _ fields: [(String, String)], endsStream: Bool = true) async throws {
        try await client.send(Self.bytes(try frames(stream, fields, endsStream: endsStream)))
    }

    package func content(_ stream: Int, _ text: String, endsStream: Bool) async throws {
        try await send(Frame(kind: .data, flags: endsStream ? 1 : 0, stream: stream, payload: ByteBuffer(string: text)))
    }

    package func reset(_ stream: Int) async throws {
        try await send(Frame(kind: .reset, stream: stream, payload: ByteBuffer(integer: Self.cancel)))
    }

    package func giveRoom(_ stream: Int, _ byteCount: Int) async throws {
        try await send(Frame(kind: .windowUpdate, stream: stream, payload: ByteBuffer(integer: UInt32(byteCount))))
    }

    /// The next frame as it comes.
    package func receiveFrame() async throws -> Frame {
        var head = try await client.receiveBytes(9)
        let high = head.readInteger(as: UInt8.self) ?? 0
        let low = head.readInteger(as: UInt16.self) ?? 0
        let kind = head.readInteger(as: UInt8.self) ?? 0
        let flags = head.readInteger(as: UInt8.self) ?? 0
        let stream = head.readInteger(as: UInt32.self) ?? 0
        longestFrame = max(longestFrame, Int(high) << 16 + Int(low))
        let payload = try await client.receiveBytes(Int(high) << 16 + Int(low))
        return Frame(kind: Kind(rawValue: kind) ?? .continuation, flags: flags, stream: Int(stream), payload: payload)
    }

    /// Takes in one frame, and answers it if it needs an answer.
    @discardableResult
    package func step() async throws -> Frame {
        let frame = try await receiveFrame()
        switch frame.kind {
        case .settings where !frame.isAcknowledgement:
            try await send(Frame(kind: .settings, flags: 1))
        case .ping where !frame.isAcknowledgement:
            try await send(Frame(kind: .ping, flags: 1, payload: frame.payload))
        case .goAway:
            goAways.append(frame)
        case .headers:
            var block = frame.payload
            var last = frame
            headFrameCount = 1
            // Nothing may stand between the parts of a head: RFC 9113 §6.10.
            while last.flags & 0x4 == 0 {
                last = try await receiveFrame()
                guard last.kind == .continuation, last.stream == frame.stream else { throw UnexpectedEnd() }
                block.writeImmutableBuffer(last.payload)
                headFrameCount += 1
            }
            let headers = try decoder.decodeHeaders(from: &block)
            add(headers, to: frame.stream)
            if frame.endsStream { responses[frame.stream]?.isComplete = true }
        case .data:
            responses[frame.stream, default: Response()].content.writeImmutableBuffer(frame.payload)
            if frame.endsStream { responses[frame.stream]?.isComplete = true }
            if givesRoom, frame.payload.readableBytes > 0 {
                try await giveRoom(0, frame.payload.readableBytes)
                if !frame.endsStream { try await giveRoom(frame.stream, frame.payload.readableBytes) }
            }
        case .reset:
            responses[frame.stream, default: Response()].resetCode = frame.errorCode
        default:
            break
        }
        return frame
    }

    private func add(_ headers: HPACKHeaders, to stream: Int) {
        var response = responses[stream] ?? Response()
        let status = headers.first(name: ":status")
        if status == nil {
            response.trailers = headers
        } else if status?.first == "1" {
            response.interim.append(headers)
        } else {
            response.head = headers
        }
        responses[stream] = response
    }

    /// The response on a stream until it ends, or until a condition holds.
    package func response(on stream: Int, until isEnough: (Response) -> Bool = { _ in false }) async throws -> Response {
        while true {
            if let response = responses[stream], response.isComplete || response.resetCode != nil || isEnough(response) { return response }
            try await step()
        }
    }

    /// The response on a stream until it ends; nothing of it is kept.
    package func take(_ stream: Int) async throws -> Response {
        defer { responses[stream] = nil }
        return try await response(on: stream)
    }

    /// Sends a request without content, and waits for its response.
    package func exchange(_ stream: Int, _ fields: [(String, String)]) async throws -> Response {
        try await request(stream, fields)
        return try await response(on: stream)
    }

    /// Waits until a stream has been reset, whether its response was complete or not.
    package func resetCode(of stream: Int) async throws -> UInt32? {
        while responses[stream]?.resetCode == nil { try await step() }
        return responses[stream]?.resetCode
    }

    /// The last GOAWAY that the server sends before it closes the connection.
    package func receiveUntilClosed() async -> Frame? {
        while (try? await step()) != nil {}
        return goAways.last
    }
}
