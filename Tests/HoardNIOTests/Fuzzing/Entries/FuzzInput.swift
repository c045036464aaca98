// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of a fuzzer, and the ways to cut them.
struct FuzzInput {
    /// A rule does not hold.
    struct Finding: Error, CustomStringConvertible {
        let description: String
    }

    let bytes: [UInt8]

    var singleBytes: [[UInt8]] { bytes.map { [$0] } }

    /// Pieces of up to `maximumByteCount` bytes, cut at places that depend on the input.
    func pieces(upTo maximumByteCount: Int) -> [[UInt8]] {
        var random = bytes.reduce(UInt64(bytes.count) &+ 1) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let end = min(bytes.count, start + 1 + Int(random >> 33) % maximumByteCount)
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    /// Whether the text of small letters occurs, in capitals or small letters.
    func contains(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count >= count else { return false }
        return (0...bytes.count - count).contains { start in (0..<count).allSatisfy { bytes[start + $0] | 0x20 == text.utf8Start[$0] | 0x20 } }
    }

    static func require(_ isTrue: Bool, _ description: @autoclosure () -> String) throws {
        if !isTrue { throw Finding(description: description()) }
    }
}
