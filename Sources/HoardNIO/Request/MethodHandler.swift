// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

/// Lets requests pass whose method the parser does not know: every token is one ([RFC 9110 §9.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.1)).
///
/// The parser gets another method in its place, for which it has no rules of its own, and ``ConnectionHandler`` puts the right one back. That is done only where
/// a request is known to begin: the parser has ended the one before, and has not been given a byte since. Heads and content in chunks end with an empty line,
/// so the parser gets no byte behind one that may be such an end together with those before it. Where the beginning of a request cannot be seen, as
/// behind one that may end HTTP on the connection, all bytes are the parser's from then on, and it refuses methods that it does not know.
final class MethodHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The part of a request that the next byte belongs to.
    enum Place: Equatable {
        case requestStart
        case head
        case content(byteCount: Int)
        case chunks
        /// The part is unknown.
        case unknown
    }

    /// The methods that the parser knows. It treats only two of them in a way of their own: `CONNECT`, and `PRI`, which it refuses, as no client may use it
    /// ([RFC 9113 §11.6](https://www.rfc-editor.org/rfc/rfc9113#section-11.6)).
    private static let plainMethods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PRI"]
    private static let standIn = "PATCH"
    /// Longer ones are the parser's to refuse.
    private static let maximumMethodByteCount = 128

    private let connection: ConnectionHandler
    /// The beginning of a request whose method has not come whole.
    private var held = ByteBuffer()
    /// Whether the bytes so far end with a line feed, and perhaps carriage returns behind it, so that the next line feed ends an empty line.
    private var isAtLineStart = false
    /// Whether the next empty line may be the end of the head or of the chunks.
    private var mayEnd = false

    init(_ connection: ConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.place != .unknown else { return context.fireChannelRead(data) }
        var bytes = Self.unwrapInboundIn(data)
        if held.readableBytes > 0 {
            held.writeBuffer(&bytes)
            bytes = held
            held = ByteBuffer()
        }
        while bytes.readableBytes > 0 {
            switch connection.place {
            case .requestStart:
                guard begin(&bytes, context: context) else { return }
            case .head:
                mayEnd = true
                pass(bytes.readSlice(length: byteCountUpToEnd(in: bytes).byteCount), context: context)
                // The first chunk has a line of its own.
                if connection.place == .chunks { (isAtLineStart, mayEnd) = (true, false) }
            case .content(byteCount: 0):
                // The parser has not ended a request that has nothing more: it sees something else in it.
                connection.place = .unknown
            case .content(let byteCount):
                pass(bytes.readSlice(length: min(byteCount, bytes.readableBytes)), context: context)
            case .chunks:
                passChunks(&bytes, context: context)
            case .unknown:
                return pass(bytes, context: context)
            }
        }
    }

    private func pass(_ bytes: ByteBuffer?, context: ChannelHandlerContext) {
        guard let bytes else { return }
        if case .content(let byteCount) = connection.place { connection.place = .content(byteCount: byteCount - bytes.readableBytes) }
        context.fireChannelRead(Self.wrapInboundOut(bytes))
    }

    /// Looks at the method of a request, and gives the parser another one if need be.
    ///
    /// - Returns: Whether it could be looked at; else the bytes are held.
    private func begin(_ bytes: inout ByteBuffer, context: ChannelHandlerContext) -> Bool {
        let view = bytes.readableBytesView
        // Empty lines may come before a request: RFC 9112 §2.2.
        let start = view.firstIndex { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") } ?? view.endIndex
        let end = view[start...].prefix(Self.maximumMethodByteCount + 1).firstIndex { !$0.isTokenByte }
        isAtLineStart = false
        // The parser ignores them, and would be called for each of them.
        bytes.moveReaderIndex(to: start)
        guard let end else {
            if view.endIndex - start > Self.maximumMethodByteCount {
                connection.place = .head
                return true
            }
            // Of empty lines there may be any number.
            held = ByteBuffer(bytes: view[start...])
            return false
        }
        connection.place = .head
        guard end > start, view[end] == UInt8(ascii: " ") else { return true }
        let method = String(decoding: view[start..<end], as: UTF8.self)
        guard !Self.plainMethods.contains(method) else { return true }
        connection.foreignMethod = method
        bytes.moveReaderIndex(to: end)
        var head = ByteBuffer(string: Self.standIn)
        head.writeBuffer(&bytes)
        bytes = head
        return true
    }

    /// Passes on chunks up to where they may end. That may be part of the content; if it is the end, the parser says so.
    private func passChunks(_ bytes: inout ByteBuffer, context: ChannelHandlerContext) {
        let (byteCount, mayBeEnd) = byteCountUpToEnd(in: bytes)
        pass(bytes.readSlice(length: byteCount), context: context)
        // If the parser ended the request elsewhere, it may have got bytes of the next one.
        if connection.place != .chunks, !mayBeEnd { connection.place = .unknown }
    }

    /// How many of these bytes there are up to the end of the first empty line that may end a head or chunks, or in all if there is none.
    ///
    /// Chunks can only end with an empty line if a line before it begins with a zero. Content has other empty lines, at each of which the parser would
    /// have to be called again.
    private func byteCountUpToEnd(in bytes: ByteBuffer) -> (byteCount: Int, mayBeEnd: Bool) {
        let view = bytes.readableBytesView
        var index = view.startIndex
        while index < view.endIndex {
            switch view[index] {
            case UInt8(ascii: "\n"):
                index += 1
                let isEmptyLine = exchange(&isAtLineStart, with: true)
                if isEmptyLine, exchange(&mayEnd, with: false) { return (index - view.startIndex, true) }
            case UInt8(ascii: "\r") where isAtLineStart:
                index += 1
            case let byte:
                if isAtLineStart, byte == UInt8(ascii: "0") { mayEnd = true }
                isAtLineStart = false
                index = view[index...].firstIndex(of: UInt8(ascii: "\n")) ?? view.endIndex
            }
        }
        return (view.count, false)
    }
}

extension MethodHandler.Place {
    /// Creates the place that follows the head of a request.
    init(after head: HTTPRequestHead) {
        if head.headers.contains(name: "transfer-encoding") {
            self = .chunks
        } else if let text = head.headers.first(name: "content-length"),
            let length = Int(contentLength: String(Substring(text).trimmingSpaces))
        {
            // The parser leaves the blanks behind a value in it.
            self = .content(byteCount: length)
        } else {
            self = .content(byteCount: 0)
        }
    }
}

extension UInt8 {
    /// Whether a token may have it: [RFC 9110 §5.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
