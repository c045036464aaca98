// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Encoded commands that have not been handed to the connection yet.
///
/// Short ones are encoded one after another into the same bytes. A long one is encoded by its caller, and taken over as it is.
struct OutgoingBytes {
    /// Commands with more bytes are encoded apart, so that no task waits under the lock for the encoding.
    static let longByteCount = 16_384

    private var sealed: [ByteBuffer] = []
    private var open: ByteBuffer

    init() {
        open = ByteBuffer()
        open.reserveCapacity(4_096)
    }

    var isEmpty: Bool { sealed.isEmpty && open.readableBytes == 0 }

    /// - Parameter capacity: ``RESPEncoder/largestByteCount(of:)``.
    /// - Returns: The number of bytes added.
    mutating func append(_ command: RedisCommand, capacity: Int? = nil) -> Int {
        let before = open.writerIndex
        RESPEncoder.encode(command, into: &open, capacity: capacity)
        return open.writerIndex - before
    }

    /// Puts bytes that the socket has not taken before all others.
    mutating func prepend(_ bytes: ByteBuffer) {
        sealed.insert(bytes, at: 0)
    }

    mutating func append(encoded: ByteBuffer) {
        if open.readableBytes > 0 {
            sealed.append(open)
            open = ByteBuffer()
        }
        sealed.append(encoded)
    }

    /// Takes everything away. The empty bytes given, whose storage is used again, take the place of those that are open.
    mutating func take(replacingBy spare: ByteBuffer) -> (sealed: [ByteBuffer], open: ByteBuffer) {
        defer {
            sealed = []
            open = spare
        }
        return (sealed, open)
    }

    /// Takes everything away, if it is no more than a socket takes at once as a rule. `nil`, and nothing is taken, otherwise.
    mutating func takeShort() -> ByteBuffer? {
        guard sealed.isEmpty, open.readableBytes <= Self.longByteCount else { return nil }
        return exchange(&open, with: ByteBuffer())
    }

    /// Gives back empty bytes, whose storage serves the next commands. Only while there are none.
    mutating func reuse(_ bytes: ByteBuffer) {
        open = bytes
    }

    /// Takes away the first bytes.
    mutating func removeFirst(_ count: Int) {
        var (rest, wholeCount) = (count, 0)
        while wholeCount < sealed.count, sealed[wholeCount].readableBytes <= rest {
            rest -= sealed[wholeCount].readableBytes
            wholeCount += 1
        }
        sealed.removeFirst(wholeCount)
        if sealed.isEmpty {
            open.moveReaderIndex(forwardBy: rest)
        } else {
            sealed[0].moveReaderIndex(forwardBy: rest)
        }
    }

    mutating func removeAll() {
        sealed = []
        open = ByteBuffer()
    }
}
