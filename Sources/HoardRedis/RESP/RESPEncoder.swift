// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes commands as servers of Redis read them: as an array of strings with lengths, so that arguments may be any bytes.
package enum RESPEncoder {
    /// Appends a command.
    ///
    /// - Complexity: Linear in the bytes of the command; nothing is copied on the way, and memory is made for the whole command at once.
    package static func encode(_ command: RedisCommand, into buffer: inout ByteBuffer) {
        buffer.reserveCapacity(minimumWritableBytes: largestByteCount(of: command))
        buffer.writeRESPHeader("*", 1 + command.leading.count + (command.key == nil ? 0 : 1) + command.arguments.count)
        buffer.writeRESPHeader("$", command.name.utf8CodeUnitCount)
        buffer.writeStaticString(command.name)
        buffer.writeRESPLineEnd()
        for argument in command.leading { encode(argument, into: &buffer) }
        if let key = command.key { encode(key, into: &buffer) }
        for argument in command.arguments { encode(argument, into: &buffer) }
    }

    /// How many bytes ``encode(_:into:)`` writes at most.
    package static func largestByteCount(of command: RedisCommand) -> Int {
        var count = headerSize + headerSize + command.name.utf8CodeUnitCount + 2 + (command.key.map(largestByteCount) ?? 0)
        for argument in command.leading { count += largestByteCount(of: argument) }
        for argument in command.arguments { count += largestByteCount(of: argument) }
        return count
    }

    /// The type, the digits of a number of 64 bits with its sign, and a line end.
    private static let headerSize = 23

    private static func largestByteCount(of argument: RedisCommand.Argument) -> Int {
        switch argument {
        case .string(let text): headerSize + text.utf8.count + 2
        case .bytes(let bytes): headerSize + bytes.count + 2
        case .data(let data): headerSize + data.count + 2
        case .buffer(let bytes): headerSize + bytes.readableBytes + 2
        case .integer: 2 * headerSize
        }
    }

    private static func encode(_ argument: RedisCommand.Argument, into buffer: inout ByteBuffer) {
        switch argument {
        case .string(let text):
            buffer.writeRESPHeader("$", text.utf8.count)
            buffer.writeString(text)
        case .bytes(let bytes):
            buffer.writeRESPHeader("$", bytes.count)
            buffer.writeBytes(bytes)
        case .data(let data):
            buffer.writeRESPHeader("$", data.count)
            buffer.writeBytes(data)
        case .buffer(let bytes):
            buffer.writeRESPHeader("$", bytes.readableBytes)
            buffer.writeImmutableBuffer(bytes)
        case .integer(let integer):
            let digits = String(integer)
            buffer.writeRESPHeader("$", digits.utf8.count)
            buffer.writeString(digits)
        }
        buffer.writeRESPLineEnd()
    }
}

extension ByteBuffer {
    fileprivate mutating func writeRESPLineEnd() {
        writeInteger(0x0d0a, as: UInt16.self)
    }

    /// A type, a number and a line end.
    fileprivate mutating func writeRESPHeader(_ type: Unicode.Scalar, _ number: Int) {
        guard 0..<100_000 ~= number else {
            writeInteger(UInt8(ascii: type))
            writeString(String(number))
            writeRESPLineEnd()
            return
        }
        // Everything in one word, the first byte lowest: written from the end.
        var word: UInt64 = 0x0a0d
        var (rest, count) = (number, 3)
        repeat {
            word = word << 8 | UInt64(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            count += 1
        } while rest > 0
        word = word << 8 | UInt64(UInt8(ascii: type))
        // What is more than the text is overwritten by what comes next.
        setInteger(word, at: writerIndex, endianness: .little)
        moveWriterIndex(forwardBy: count)
    }
}
