// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Encoded commands that have not been handed to the connection yet.
///
/// Short ones are encoded one after another into the same bytes. A long one is encoded by its caller, and taken over as it is.
struct OutgoingBytes {
    /// Commands with more bytes are encoded apart, so that nobody waits for that under the lock.
    static let longByteCount = 16_384

    private var sealed: [ByteBuffer] = []
    private var open: ByteBuffer

    init() {
        open = ByteBuffer()
        open.reserveCapacity(4_096)
    }

    var isEmpty: Bool { sealed.isEmpty && open.readableBytes == 0 }

    /// - Returns: The number of bytes added.
    mutating func append(_ command: RedisCommand) -> Int {
        let before = open.writerIndex
        RESPEncoder.encode(command, into: &open)
        return open.writerIndex - before
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

    mutating func removeAll() {
        sealed = []
        open = ByteBuffer()
    }
}
