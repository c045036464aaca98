// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Lines: values that are one line, and the beginnings of strings and aggregates.
extension RESPDecoder {
    /// The meaning of a line.
    enum Header {
        case value(RESPValue)
        /// Bytes follow, and a line end.
        case string(PartialString.Kind, length: Int)
        /// Pieces follow, until an empty one.
        case streamedString
        case piece(length: Int)
        /// Elements follow; for maps and attributes, this many pairs.
        case aggregate(PartialAggregate.Kind, count: Int)
        /// Elements follow, until an end.
        case streamedAggregate(PartialAggregate.Kind)
        case end
    }

    /// Reads up to the end of a line, and then handles its header. Returns a value if one is complete.
    mutating func readLine() throws(RedisError) -> RESPValue? {
        switch try takeHeader() {
        case nil: return nil
        case .value(let value)?:
            if case .simpleString(let text) = value { try charge(byteCount: text.utf8.count) }
            if case .error(let text) = value { try charge(byteCount: text.utf8.count) }
            if case .bigNumber(let text) = value { try charge(byteCount: text.utf8.count) }
            return value
        case .string(let kind, let length)?: return try beginString(kind, length: length)
        case .aggregate(let kind, let count)?: return try beginAggregate(kind, count: count)
        case .streamedAggregate(let kind)?: return try beginAggregate(kind, count: nil)
        case .end?: return try endStreamedAggregate()
        case .streamedString?:
            string = .streamed
            return nil
        case .piece?: throw .notRESP3("The server has sent a piece of a string that is not streamed.")
        }
    }

    /// Reads a line, or `nil` if it has no end yet. Then the beginning of it is moved to ``line``, so that it is not looked at again.
    mutating func takeHeader() throws(RedisError) -> Header? {
        let room = limits.maximumLineLength + 2 - line.readableBytes
        guard let length = chunk.lengthOfLine(atMost: room) else {
            guard chunk.readableBytes < room else { throw .notRESP3("The server has sent a longer line than is read.") }
            line.writeImmutableBuffer(chunk)
            chunk.moveReaderIndex(to: chunk.writerIndex)
            return nil
        }
        let header: Header
        if line.readableBytes == 0 {
            header = try Self.header(chunk.readableBytesUInt8Span.extracting(first: length), in: chunk)
        } else {
            var whole = line
            line = ByteBuffer()
            whole.writeBytes(chunk.readableBytesSpan.extracting(first: length))
            header = try Self.header(whole.readableBytesUInt8Span, in: whole)
        }
        chunk.moveReaderIndex(forwardBy: length)
        return header
    }

    /// Reads a line: its type, its content, and its end.
    ///
    /// - Parameter buffer: Where the line stands, from the reader on.
    private static func header(_ line: borrowing Span<UInt8>, in buffer: borrowing ByteBuffer) throws(RedisError) -> Header {
        let end = line.count - 2
        guard end >= 1, line[end] == UInt8(ascii: "\r") else { throw .notRESP3("The server has sent a line that is empty, or ends in another way.") }
        let text = line.extracting(1..<end)
        switch line[0] {
        case UInt8(ascii: "$"):
            if text.isQuestionMark { return .streamedString }
            return text.isMinusOne ? .value(.null) : .string(.bulk, length: try length(text))
        case UInt8(ascii: ":"): return .value(.integer(try required(text.respInteger)))
        case UInt8(ascii: "+"): return .value(.simpleString(text.isOK ? "OK" : try string(text, in: buffer)))
        case UInt8(ascii: "_"): return .value(try required(text.isEmpty ? .null : nil))
        case UInt8(ascii: "-"): return .value(.error(try string(text, in: buffer)))
        case UInt8(ascii: "*"):
            if text.isQuestionMark { return .streamedAggregate(.array) }
            return text.isMinusOne ? .value(.null) : .aggregate(.array, count: try length(text))
        case UInt8(ascii: ">"): return .aggregate(.push, count: try length(text))
        case UInt8(ascii: "%"): return text.isQuestionMark ? .streamedAggregate(.map) : .aggregate(.map, count: try length(text))
        case UInt8(ascii: "~"): return text.isQuestionMark ? .streamedAggregate(.set) : .aggregate(.set, count: try length(text))
        case UInt8(ascii: "|"): return .aggregate(.attribute, count: try length(text))
        case UInt8(ascii: "!"): return .string(.error, length: try length(text))
        case UInt8(ascii: "="): return .string(.verbatim, length: try length(text))
        case UInt8(ascii: "#"): return .value(.boolean(try required(text.respBoolean)))
        case UInt8(ascii: ","): return .value(.double(try required(text.respDouble)))
        case UInt8(ascii: "("):
            guard text.isRESPBigNumber else { throw malformedNumber }
            return .value(.bigNumber(try string(text, in: buffer)))
        case UInt8(ascii: ";"): return .piece(length: try length(text))
        case UInt8(ascii: "."): return try required(text.isEmpty ? .end : nil)
        default: throw .notRESP3("The server has sent a type that RESP3 does not have.")
        }
    }

    private static var malformedNumber: RedisError { .notRESP3("The server has sent a value that is not written as RESP3 has it.") }

    private static func required<Value>(_ value: Value?) throws(RedisError) -> Value {
        guard let value else { throw malformedNumber }
        return value
    }

    private static func length(_ text: borrowing Span<UInt8>) throws(RedisError) -> Int {
        guard let length = text.respLength else { throw .notRESP3("The server has sent a length that is none.") }
        return length
    }

    private static func string(_ text: borrowing Span<UInt8>, in buffer: borrowing ByteBuffer) throws(RedisError) -> String {
        for index in text.indices where text[index] == UInt8(ascii: "\r") { throw .notRESP3("The server has sent a line end within a line.") }
        return buffer.getString(at: buffer.readerIndex + 1, length: text.count) ?? ""
    }
}

extension ByteBuffer {
    /// The number of bytes that the first line has, its line feed included; `nil` if there is none among so many bytes.
    fileprivate func lengthOfLine(atMost limit: Int) -> Int? {
        let bytes = readableBytesUInt8Span
        for index in 0..<Swift.min(bytes.count, limit) where bytes[index] == UInt8(ascii: "\n") { return index + 1 }
        return nil
    }
}
