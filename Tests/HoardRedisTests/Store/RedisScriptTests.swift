// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct RedisScriptTests {
    @Test func theHashesAreThoseOfTheSources() {
        #expect(SHA1.hexadecimal(Array("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        for script in RedisScript.all { #expect(SHA1.hexadecimal(Array("\(script.source)".utf8)) == "\(script.hash)") }
        #expect(Set(RedisScript.all.map { "\($0.hash)" }).count == RedisScript.all.count)
    }

    @Test func aScriptIsCalledByItsHashOrWithItsText() {
        let command = RedisScript.replace.command([1], [.integer(5)])
        #expect("\(command.name)" == "EVALSHA" && command.leading.map(\.fakeText) == ["\(RedisScript.replace.hash)", "1"])
        let complete = RedisScript.replace.completeCommand([1], [.integer(5)])
        #expect("\(complete.name)" == "EVAL" && complete.leading.map(\.fakeText) == ["\(RedisScript.replace.source)", "1"])
    }
}

/// <https://www.rfc-editor.org/rfc/rfc3174>, for the names of scripts alone.
private enum SHA1 {
    static func hexadecimal(_ message: [UInt8]) -> String {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: UInt64(message.count * 8) >> UInt64(shift))) }
        for block in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in (0..<4).reduce(0 as UInt32) { $0 << 8 | UInt32(bytes[block + word * 4 + $1]) } }
            for index in 16..<80 { words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)) }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for index in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index {
                    case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ words[index]
                (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
            }
            for (index, value) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ value }
        }
        return state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
