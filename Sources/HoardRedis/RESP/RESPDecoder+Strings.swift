// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A string of which not everything has arrived.
struct PartialString: Sendable {
    enum Kind: Sendable { case bulk, error, verbatim }

    enum Part: Sendable {
        /// The line that says how long the next piece of a streamed string is.
        case pieceHeader
        /// This many bytes, at least one, and then a line end.
        case bytes(Int)
        /// The line end, or its second half.
        case lineEnd(hasCarriageReturn: Bool)
    }

    /// The most bytes that are reserved before any have arrived. A longer string's buffer grows with the bytes that
    /// arrive.
    static let largestReservation = 1_024 * 1_024

    let kind: Kind
    let isStreamed: Bool
    var bytes: ByteBuffer
    /// The part that comes next.
    var part: Part

    static var streamed: PartialString { PartialString(kind: .bulk, isStreamed: true, bytes: ByteBuffer(), part: .pieceHeader) }
}

/// Strings with a length.
extension RESPDecoder {
    /// A string begins after its header: whole, if it is there, or gathered from now on.
    mutating func beginString(_ kind: PartialString.Kind, length: Int) throws(RedisError) -> RESPValue? {
        try charge(byteCount: length)
        // Not more than the limit: the sum does not overflow.
        if chunk.readableBytes >= length + 2 {
            let bytes = takeBytes(length)
            guard takeLineEnd() else { throw Self.stringWithoutEnd }
            return try Self.value(kind, bytes)
        }
        let reservation = ByteBufferAllocator().buffer(capacity: min(length, PartialString.largestReservation))
        let part = length > 0 ? PartialString.Part.bytes(length) : .lineEnd(hasCarriageReturn: false)
        string = PartialString(kind: kind, isStreamed: false, bytes: reservation, part: part)
        return try readString()
    }

    /// The usual reply, in one look: a string of which everything is there. `nil`, and nothing read, for all else and
    /// for errors.
    mutating func takeWholeString() throws(RedisError) -> RESPValue? {
        guard string == nil, line.readableBytes == 0, let (headerLength, length) = chunk.lengthsOfWholeString else { return nil }
        try charge(byteCount: length)
        chunk.moveReaderIndex(forwardBy: headerLength)
        let value = RESPValue.bulkString(takeBytes(length))
        chunk.moveReaderIndex(forwardBy: 2)
        return value
    }

    /// Goes on with a string, as far as bytes have arrived. Returns it when it is complete.
    mutating func readString() throws(RedisError) -> RESPValue? {
        // Taken out, so that its bytes have one owner and are appended to in place.
        guard var partial = string.take() else { return nil }
        while chunk.readableBytes > 0 {
            switch partial.part {
            case .pieceHeader:
                guard let header = try takeHeader() else { continue }
                guard case .piece(let length) = header else { throw .notRESP3("The server has sent something else within a streamed string.") }
                if length == 0 { return try Self.value(partial.kind, partial.bytes) }
                try charge(byteCount: length)
                partial.part = .bytes(length)
            case .bytes(let length):
                let count = min(length, chunk.readableBytes)
                partial.bytes.writeBytes(chunk.readableBytesSpan.extracting(first: count))
                chunk.moveReaderIndex(forwardBy: count)
                partial.part = count < length ? .bytes(length - count) : .lineEnd(hasCarriageReturn: false)
            case .lineEnd(hasCarriageReturn: false):
                guard chunk.readInteger(as: UInt8.self) == UInt8(ascii: "\r") else { throw Self.stringWithoutEnd }
                partial.part = .lineEnd(hasCarriageReturn: true)
            case .lineEnd(hasCarriageReturn: true):
                guard chunk.readInteger(as: UInt8.self) == UInt8(ascii: "\n") else { throw Self.stringWithoutEnd }
                guard partial.isStreamed else { return try Self.value(partial.kind, partial.bytes) }
                partial.part = .pieceHeader
            }
        }
        string = partial
        return nil
    }

    private static var stringWithoutEnd: RedisError { .notRESP3("The server has sent a string that does not end where its length says.") }

    /// As many bytes as are there: a copy of few, and a part of ``chunk`` without copying if they are many.
    private mutating func takeBytes(_ count: Int) -> ByteBuffer {
        guard count <= Self.longestCopiedString else { return chunk.readSlice(length: count) ?? ByteBuffer() }
        guard count > 0 else { return ByteBuffer() }
        var copy = ByteBufferAllocator().buffer(capacity: count)
        copy.writeBytes(chunk.readableBytesSpan.extracting(first: count))
        chunk.moveReaderIndex(forwardBy: count)
        return copy
    }

    private mutating func takeLineEnd() -> Bool {
        chunk.readInteger(endianness: .big, as: UInt16.self) == 0x0d0a
    }

    private static func value(_ kind: PartialString.Kind, _ bytes: ByteBuffer) throws(RedisError) -> RESPValue {
        switch kind {
        case .bulk: return .bulkString(bytes)
        case .error: return .error(String(buffer: bytes))
        case .verbatim:
            var text = bytes
            guard let format = text.readString(length: 3), text.readInteger(as: UInt8.self) == UInt8(ascii: ":") else {
                throw .notRESP3("The server has sent a text without its format.")
            }
            return .verbatimString(format: format, text)
        }
    }
}

extension ByteBuffer {
    /// The lengths of the header and of the content, if this begins with a whole string: `$`, digits, a line end, bytes, a line end.
    fileprivate var lengthsOfWholeString: (header: Int, content: Int)? {
        let bytes = readableBytesUInt8Span
        guard bytes.count >= 5, bytes[0] == UInt8(ascii: "$") else { return nil }
        var (index, length) = (1, 0)
        while index < Swift.min(bytes.count, 10) {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            length = 10 * length + Int(digit)
            index += 1
        }
        let end = index + 2 + length
        guard index > 1, end + 2 <= bytes.count, bytes[index] == UInt8(ascii: "\r"), bytes[index + 1] == UInt8(ascii: "\n"),
            bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n")
        else { return nil }
        return (index + 2, length)
    }
}
