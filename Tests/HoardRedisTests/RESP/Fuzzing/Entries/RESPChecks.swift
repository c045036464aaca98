// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

@_spi(Client) @testable import HoardRedis

/// The rules that hold for all bytes that a server may send.
package enum RESPChecks {
    /// A rule does not hold.
    package struct Finding: Error, CustomStringConvertible {
        package let description: String
    }

    /// Tries one input. Throws a ``Finding`` if something about the result is wrong.
    @Sendable package static func check(_ bytes: [UInt8]) throws {
        let whole = read([bytes])
        try require(read(bytes.map { [$0] }) == whole, "Single bytes are read as something else.")
        // Cut at places that depend on the input.
        var random = bytes.reduce(UInt64(bytes.count) &+ 1) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let end = min(bytes.count, start + 1 + Int(random >> 33) % 24)
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        try require(read(pieces) == whole, "Pieces are read as something else.")

        let size = whole.values.reduce(0) { $0 + $1.size }
        try require(size <= 3 * bytes.count, "What was read is larger than what was sent.")
        let written = whole.values.reduce(into: [UInt8]()) { $1.write(to: &$0) }
        // Text that is no UTF-8 is longer when it is repaired, so this reading has other limits.
        let again = read([written], limits: RESPDecoder.Limits())
        try require(again.error == nil && again.values.count == whole.values.count, "What was read cannot be written and read again.")
        try require(
            again.values.reduce(into: [UInt8]()) { $1.write(to: &$0) } == written,
            "What was read is read as something else when it is written."
        )
    }

    private struct Outcome: Equatable {
        /// Doubles that are no numbers are not equal to themselves, so values are compared as they are written.
        static func == (one: Outcome, other: Outcome) -> Bool {
            one.error == other.error && one.values.count == other.values.count && one.written == other.written
        }

        var values: [RESPValue] = []
        var error: RedisError.Code?
        private var written: [UInt8] { values.reduce(into: []) { $1.write(to: &$0) } }
    }

    /// Limits that a small input can reach.
    private static var smallLimits: RESPDecoder.Limits {
        var limits = RESPDecoder.Limits()
        limits.maximumByteCount = 4_096
        limits.maximumElementCount = 512
        limits.maximumDepth = 8
        limits.maximumLineLength = 256
        return limits
    }

    private static func read(_ pieces: [[UInt8]], limits: RESPDecoder.Limits = smallLimits) -> Outcome {
        var decoder = RESPDecoder(limits: limits)
        var outcome = Outcome()
        do {
            for piece in pieces {
                decoder.append(ByteBuffer(bytes: piece))
                while let value = try decoder.next() { outcome.values.append(value) }
            }
        } catch {
            outcome.error = error.code
        }
        return outcome
    }

    private static func require(_ isTrue: Bool, _ description: String) throws {
        if !isTrue { throw Finding(description: description) }
    }
}

extension RESPValue {
    /// Bytes and elements.
    fileprivate var size: Int {
        switch self {
        case .null, .integer, .double, .boolean: 1
        case .simpleString(let text), .error(let text), .bigNumber(let text): text.utf8.count + 1
        case .bulkString(let bytes): bytes.readableBytes + 1
        case .verbatimString(let format, let bytes): format.utf8.count + bytes.readableBytes + 1
        case .array(let elements), .map(let elements), .set(let elements), .push(let elements): elements.reduce(1) { $0 + $1.size }
        }
    }

    /// Writes the value in one way, as plainly as can be.
    fileprivate func write(to output: inout [UInt8]) {
        func line(_ text: String) { output += Array(text.utf8) + [13, 10] }
        func string(_ type: String, _ bytes: [UInt8]) { output += Array("\(type)\(bytes.count)\r\n".utf8) + bytes + [13, 10] }
        func aggregate(_ type: String, _ count: Int, _ elements: [RESPValue]) {
            line("\(type)\(count)")
            for element in elements { element.write(to: &output) }
        }
        switch self {
        case .null: line("_")
        case .simpleString(let text): line("+\(text)")
        case .error(let text): string("!", Array(text.utf8))
        case .integer(let integer): line(":\(integer)")
        case .double(let double): line(",\(double)")
        case .boolean(let boolean): line(boolean ? "#t" : "#f")
        case .bigNumber(let digits): line("(\(digits)")
        case .bulkString(let bytes): string("$", Array(bytes.readableBytesView))
        case .verbatimString(let format, let bytes): string("=", Array("\(format):".utf8) + Array(bytes.readableBytesView))
        case .array(let elements): aggregate("*", elements.count, elements)
        case .set(let elements): aggregate("~", elements.count, elements)
        case .map(let elements): aggregate("%", elements.count / 2, elements)
        case .push(let elements): aggregate(">", elements.count, elements)
        }
    }
}
