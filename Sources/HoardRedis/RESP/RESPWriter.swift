// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes a command into memory that is long enough for it.
///
/// Unsafe because it is on the way of every command: there is no check for each byte, but one before the first, for all that
/// ``RESPEncoder/largestByteCount(of:)`` says.
struct RESPWriter {
    /// The type, the digits of a number of 64 bits with its sign, and a line end.
    static let headerSize = 23

    private let space: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ space: UnsafeMutableRawBufferPointer) {
        self.space = space
    }

    mutating func argument(_ argument: RedisCommand.Argument) {
        switch argument {
        case .string(var text): text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): bytes.withUnsafeBytes { string($0) }
        case .data(let data): data.withUnsafeBytes { string($0) }
        case .buffer(let bytes): bytes.withUnsafeReadableBytes { string($0) }
        case .integer(let integer):
            var digits = String(integer)
            digits.withUTF8 { string(UnsafeRawBufferPointer($0)) }
        }
    }

    /// A string: its length, its bytes, and a line end.
    mutating func string(_ bytes: UnsafeRawBufferPointer) {
        header("$", bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: space[count...]).copyMemory(from: bytes)
        count += bytes.count
        store(UInt16(0x0a0d).littleEndian)
        count += 2
    }

    /// A type, a number and a line end.
    mutating func header(_ type: Unicode.Scalar, _ number: Int) {
        guard 0..<100_000 ~= number else {
            store(UInt8(ascii: type))
            count += 1
            var digits = String(number)
            digits.withUTF8 { bytes in
                UnsafeMutableRawBufferPointer(rebasing: space[count...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
                count += bytes.count
            }
            store(UInt16(0x0a0d).littleEndian)
            count += 2
            return
        }
        // Everything in one word, the first byte lowest: written from the end.
        var word: UInt64 = 0x0a0d
        var (rest, length) = (number, 3)
        repeat {
            word = word << 8 | UInt64(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            length += 1
        } while rest > 0
        word = word << 8 | UInt64(UInt8(ascii: type))
        // The next write overwrites the bytes beyond the text. A header has room for more than a word.
        store(word.littleEndian)
        count += length
    }

    private func store<Integer: FixedWidthInteger & BitwiseCopyable>(_ integer: Integer) {
        space.storeBytes(of: integer, toByteOffset: count, as: Integer.self)
    }
}
