// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Cuts the arriving bytes where one message ends, so that no byte behind a response can be taken for part of the next
/// one.
///
/// The parser takes all it is given, and keeps the beginning of a next message to itself. So it is given no more than belongs to the message that is
/// expected; bytes that are left over show that the origin and this side do not agree on where the response ends.
struct ResponseSplitter {
    /// The kind of bytes that come next.
    enum Expectation: Hashable {
        /// None are expected.
        case nothing
        case head
        case bytes(Int)
        case chunked
        case untilClose
    }

    /// How many bytes of heads one response may have, interim ones included.
    private let maximumHeadByteCount: Int
    private var headByteCount = 0
    /// How much of an empty line the last bytes of a head were.
    private var matchedByteCount = 0

    init(maximumHeadByteCount: Int) {
        self.maximumHeadByteCount = maximumHeadByteCount
    }

    enum Action: Equatable {
        /// Give the parser this, and ask again: the expectation may have changed.
        case parse(ByteBuffer)
        /// Everything has been given to the parser.
        case done
        /// The rest belongs to no response.
        case stray
        case headTooLong
    }

    /// Another response may begin, with as many bytes of heads.
    mutating func reset() {
        headByteCount = 0
        matchedByteCount = 0
    }

    /// Takes from `buffer` the bytes that may be parsed in one piece.
    mutating func next(from buffer: inout ByteBuffer, expecting expectation: Expectation) -> Action {
        guard buffer.readableBytes > 0 else { return .done }
        let count: Int
        switch expectation {
        case .nothing:
            return .stray
        case .head:
            count = headByteCount(in: buffer)
            headByteCount += count
            guard headByteCount <= maximumHeadByteCount else { return .headTooLong }
        case .bytes(let missingByteCount):
            count = min(missingByteCount, buffer.readableBytes)
        case .untilClose:
            count = buffer.readableBytes
        case .chunked:
            // The last chunk ends with a line feed. If that is the last byte here, only the parser knows whether the response ended before it.
            let endsWithLineFeed = buffer.readableBytesView.last == UInt8(ascii: "\n")
            count = endsWithLineFeed ? max(1, buffer.readableBytes - 1) : buffer.readableBytes
        }
        return buffer.readSlice(length: count).map { .parse($0) } ?? .done
    }

    /// How many of these bytes belong to the head that is expected.
    private mutating func headByteCount(in buffer: ByteBuffer) -> Int {
        var count = 0
        for byte in buffer.readableBytesView {
            count += 1
            switch (byte, matchedByteCount) {
            case (UInt8(ascii: "\r"), 2): matchedByteCount = 3
            case (UInt8(ascii: "\r"), _): matchedByteCount = 1
            case (UInt8(ascii: "\n"), 1): matchedByteCount = 2
            case (UInt8(ascii: "\n"), 3):
                matchedByteCount = 0
                return count
            default: matchedByteCount = 0
            }
        }
        return count
    }
}
