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
    /// - Parameter capacity: The result of ``largestByteCount(of:)`` for the command, for callers that know it already.
    /// - Complexity: Linear in the bytes of the command; nothing is copied on the way, and memory is made for the whole command at once.
    package static func encode(_ command: RedisCommand, into buffer: inout ByteBuffer, capacity: Int? = nil) {
        _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity ?? largestByteCount(of: command)) { space in
            var writer = RESPWriter(space)
            writer.header("*", 1 + command.leading.count + (command.key == nil ? 0 : 1) + command.arguments.count)
            writer.string(UnsafeRawBufferPointer(start: command.name.utf8Start, count: command.name.utf8CodeUnitCount))
            for argument in command.leading { writer.argument(argument) }
            if let key = command.key { writer.argument(key) }
            for argument in command.arguments { writer.argument(argument) }
            return writer.count
        }
    }

    /// The number of bytes that ``encode(_:into:)`` writes at most.
    package static func largestByteCount(of command: RedisCommand) -> Int {
        var count = RESPWriter.headerSize + RESPWriter.headerSize + command.name.utf8CodeUnitCount + 2 + (command.key.map(largestByteCount) ?? 0)
        for argument in command.leading { count += largestByteCount(of: argument) }
        for argument in command.arguments { count += largestByteCount(of: argument) }
        return count
    }

    private static func largestByteCount(of argument: RedisCommand.Argument) -> Int {
        switch argument {
        case .string(let text): RESPWriter.headerSize + text.utf8.count + 2
        case .bytes(let bytes): RESPWriter.headerSize + bytes.count + 2
        case .data(let data): RESPWriter.headerSize + data.count + 2
        case .buffer(let bytes): RESPWriter.headerSize + bytes.readableBytes + 2
        case .integer: 2 * RESPWriter.headerSize
        }
    }
}
