// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The parts of which the stored form of an entry is made.
extension ByteBuffer {
    mutating func writeLengthPrefixed(_ bytes: some Collection<UInt8>) throws {
        guard let length = UInt32(exactly: bytes.count) else { throw MalformedEntry() }
        writeInteger(length)
        writeBytes(bytes)
    }

    mutating func read<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
        guard let number = readInteger(as: Number.self) else { throw MalformedEntry() }
        return number
    }

    /// Reads a number of bytes, written as 64 bits, that is not negative.
    mutating func readLength() throws -> Int {
        guard let length = Int(exactly: try read(UInt64.self)) else { throw MalformedEntry() }
        return length
    }

    mutating func readLengthPrefixed() throws -> ByteBuffer {
        guard let slice = readSlice(length: Int(try read(UInt32.self))) else { throw MalformedEntry() }
        return slice
    }

    mutating func readText() throws -> String {
        guard let text = String(validating: try readLengthPrefixed().readableBytesView, as: UTF8.self) else { throw MalformedEntry() }
        return text
    }

    /// Reads a date that is neither infinite nor not a number.
    mutating func readDate() throws -> Date {
        let seconds = Double(bitPattern: try read(UInt64.self))
        guard seconds.isFinite else { throw MalformedEntry() }
        return Date(timeIntervalSince1970: seconds)
    }
}
