// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Cuts a server's bytes into values. Knows nothing of connections.
///
/// Every byte is looked at once, however the bytes are cut when they arrive. A value within one arrived buffer is read
/// there. A value that spans several is gathered in a buffer of its own, which grows with the bytes that have arrived
/// and not with the announced length.
///
/// Strict: bytes that are not RESP3 are refused, as after a misunderstanding every reply would go to the wrong caller.
/// RESP3 is that of <https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md>, with the nulls of
/// RESP2 and the spellings of NaN before Redis 7.2.
package struct RESPDecoder: Sendable {
    /// The most that a value may hold.
    package struct Limits: Sendable {
        /// Bytes of all strings of a value together. Servers of Redis take 512 MiB at most by default, for one string.
        package var maximumByteCount = 512 * 1_024 * 1_024
        /// Elements of all aggregates of a value together, attributes among them.
        package var maximumElementCount = 1_048_576
        /// Aggregates within each other.
        package var maximumDepth = 32
        /// Bytes of values that have no length before them: simple strings and errors, and numbers.
        package var maximumLineLength = 65_536

        package init() {}
    }

    /// Strings up to this many bytes are copied; longer ones share the memory of the arrived buffer.
    static let longestCopiedString = 64

    let limits: Limits
    /// The bytes that are being read.
    var chunk = ByteBuffer()
    /// The bytes that have arrived after ``chunk``, from `laterStart` on.
    private var later: [ByteBuffer] = []
    private var laterStart = 0
    /// The beginning of a line whose end has not arrived.
    var line = ByteBuffer()
    /// A string whose end has not arrived.
    var string: PartialString?
    /// The aggregates that are open, the innermost last.
    var aggregates: [PartialAggregate] = []
    /// The size so far of the value that is being read, in bytes and in elements.
    var byteCount = 0
    var elementCount = 0
    private var failure: RedisError?

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Takes over bytes that have arrived. Call ``next()`` until it returns `nil` before more are read, so that nothing piles up.
    package mutating func append(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0, failure == nil else { return }
        if chunk.readableBytes == 0 {
            chunk = bytes
        } else {
            later.append(bytes)
        }
    }

    /// The next value that is complete; `nil` if more bytes are needed.
    ///
    /// - Throws: ``RedisError/Code/protocolViolation`` for bytes that are not RESP3, or are beyond the limits. Nothing
    ///   can be read any more then: the same error is thrown again.
    /// - Complexity: Linear in the bytes that are read, and no byte is read twice.
    package mutating func next() throws(RedisError) -> RESPValue? {
        if let failure { throw failure }
        do {
            return try read()
        } catch {
            self = RESPDecoder(limits: limits)
            failure = error
            throw error
        }
    }

    /// All values that are complete, in order. The values before bytes that are not RESP3 are among them.
    ///
    /// - Throws: As ``next()`` does.
    package mutating func read(into values: inout [RESPValue]) throws(RedisError) {
        while let value = try next() { values.append(value) }
    }

    private mutating func read() throws(RedisError) -> RESPValue? {
        while chunk.readableBytes > 0 || takeLaterChunk() {
            guard let value = try readPart() else { continue }
            guard let complete = try add(value) else { continue }
            byteCount = 0
            elementCount = 0
            if chunk.readableBytes == 0 { chunk = ByteBuffer() }
            return complete
        }
        // The memory of bytes that have been read can be used for the next ones.
        chunk = ByteBuffer()
        return nil
    }

    private mutating func readPart() throws(RedisError) -> RESPValue? {
        if let value = try takeWholeString() { return value }
        return try string == nil ? readLine() : readString()
    }

    private mutating func takeLaterChunk() -> Bool {
        guard laterStart < later.count else { return false }
        chunk = later[laterStart]
        later[laterStart] = ByteBuffer()
        laterStart += 1
        if laterStart == later.count {
            later.removeAll(keepingCapacity: true)
            laterStart = 0
        }
        return true
    }

    /// Counts bytes of a string that is being read.
    mutating func charge(byteCount count: Int) throws(RedisError) {
        guard count <= limits.maximumByteCount - byteCount else { throw .notRESP3("The server has sent more bytes in a reply than are read.") }
        byteCount += count
    }

    /// Counts elements that have been announced.
    mutating func charge(elementCount count: Int) throws(RedisError) {
        guard count <= limits.maximumElementCount - elementCount else {
            throw .notRESP3("The server has sent more elements in a reply than are read.")
        }
        elementCount += count
    }
}

extension RedisError {
    /// The message holds nothing of the server's bytes.
    static func notRESP3(_ message: String) -> RedisError { RedisError(.protocolViolation, message) }
}
