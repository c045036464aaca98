// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// SipHash-2-4: a keyed 64-bit hash. Without the key, an attacker cannot tell which input a hash belongs to, or find inputs that collide.
///
/// Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast short-input PRF", 2012,
/// <https://www.aumasson.jp/siphash/siphash.pdf>.
struct SipHash: Sendable {
    private let initial: State

    /// - Parameter key: The 16 bytes of the paper's key as two little-endian numbers.
    init(key: (UInt64, UInt64)) {
        initial = State(
            v0: key.0 ^ 0x736f_6d65_7073_6575,
            v1: key.1 ^ 0x646f_7261_6e64_6f6d,
            v2: key.0 ^ 0x6c79_6765_6e65_7261,
            v3: key.1 ^ 0x7465_6462_7974_6573
        )
    }

    /// The hash of `bytes`. Runs in O(n) and allocates nothing.
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = initial
        let wordsEnd = bytes.count & ~7
        var offset = 0
        while offset < wordsEnd {
            state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        // The last word has the bytes that are left, and the length modulo 256 on top.
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        if bytes.count >= 8 {
            // The last eight bytes in one load, with those that have been absorbed shifted out; nothing if all have.
            let tail = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
            last |= tail >> UInt64(64 - (bytes.count & 7) * 8)
        } else {
            for index in 0..<bytes.count {
                last |= UInt64(bytes[index]) &<< UInt64(index &* 8)
            }
        }
        state.absorb(last)
        return state.finish()
    }
}

extension SipHash {
    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        @inline(__always)
        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        @inline(__always)
        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            round()
            round()
            round()
            round()
            return v0 ^ v1 ^ v2 ^ v3
        }

        @inline(__always)
        private mutating func round() {
            v0 &+= v1
            v1 = v1.rotatedLeft(13) ^ v0
            v0 = v0.rotatedLeft(32)
            v2 &+= v3
            v3 = v3.rotatedLeft(16) ^ v2
            v0 &+= v3
            v3 = v3.rotatedLeft(21) ^ v0
            v2 &+= v1
            v1 = v1.rotatedLeft(17) ^ v2
            v2 = v2.rotatedLeft(32)
        }
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func rotatedLeft(_ count: UInt64) -> UInt64 {
        (self &<< count) | (self &>> (64 &- count))
    }
}
