// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardCodings

/// Random numbers that a seed repeats: SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// The sentence that all known vectors encode.
let sentence = Array("A hoard is a store of what may be wanted again, a hoard is a store.\n".utf8)

/// Random content of a random kind: noise, words, one letter, or a mixture.
func randomContent(upTo byteCount: Int, using numbers: inout SeededNumbers) -> [UInt8] {
    let wanted = Int.random(in: 0...byteCount, using: &numbers)
    let words = ["cache ", "hoard ", "<div class=\"entry\">", "</div>\n", "0123456789", "stale-while-revalidate=60, "].map { Array($0.utf8) }
    var content: [UInt8] = []
    while content.count < wanted {
        let length = Int.random(in: 1...5000, using: &numbers)
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: content += (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        case 1: content += (0..<length / 8).flatMap { _ in words[Int.random(in: 0..<words.count, using: &numbers)] }
        default: content += Array(repeating: 0x61, count: length)
        }
    }
    return Array(content.prefix(wanted))
}

/// The bytes that pairs of hexadecimal digits give.
func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
}

extension [UInt8] {
    /// Calls a function with parts of the bytes, of random lengths; of the whole if there is no generator.
    func forEachPart(_ numbers: inout SeededNumbers?, _ body: (UnsafeRawBufferPointer) throws(CodingError) -> Void) throws(CodingError) {
        var start = 0
        repeat {
            var end = count
            if var generator = numbers, start < count {
                let longest = [1, 10, 1000, 200_000][Int.random(in: 0..<4, using: &generator)]
                end = Swift.min(count, start + Int.random(in: 1...longest, using: &generator))
                numbers = generator
            }
            try withUnsafeBufferPointer { part throws(CodingError) in
                try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: part[start..<end])))
            }
            start = end
        } while start < count
    }
}
