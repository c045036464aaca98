// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Hashes hosts and targets of requests as the bytes they are, with secrets drawn at random, so that no client can choose which URLs are sampled.
///
/// The mix is the folded 128-bit product of wyhash (Wang Yi) and MUM hash (Vladimir Makarov).
struct TargetHasher: Sendable {
    private let seed: UInt64
    private let multiplier: UInt64

    init(using generator: inout some RandomNumberGenerator) {
        seed = generator.next()
        multiplier = generator.next() | 1
    }

    /// Makes letters small, eight at a time. All other characters of a host stay different from each other.
    private static let smallLetters: UInt64 = 0x2020_2020_2020_2020

    /// O(*n*) in the bytes, 16 at a time.
    func callAsFunction(target: UnsafeRawBufferPointer) -> UInt64 { hash(target, with: 0) }

    /// The same for all spellings of a host.
    func callAsFunction(target: UnsafeRawBufferPointer, host: UnsafeRawBufferPointer) -> UInt64 {
        Self.fold(hash(target, with: 0) ^ multiplier, hash(host, with: Self.smallLetters) ^ seed)
    }

    private func hash(_ bytes: UnsafeRawBufferPointer, with mask: UInt64) -> UInt64 {
        let count = bytes.count
        var state = seed
        var offset = 0
        while offset &+ 16 <= count {
            state = Self.fold((Self.word(bytes, offset) | mask) ^ multiplier, (Self.word(bytes, offset &+ 8) | mask) ^ state)
            offset &+= 16
        }
        if offset < count {
            var first: UInt64 = 0
            var second: UInt64 = 0
            if count >= 16 {
                // The last 16 bytes; some of them a second time.
                first = Self.word(bytes, count &- 16)
                second = Self.word(bytes, count &- 8)
            } else if count >= 8 {
                first = Self.word(bytes, 0)
                second = Self.word(bytes, count &- 8)
            } else {
                for byte in bytes { first = first &<< 8 | UInt64(byte) }
            }
            state = Self.fold((first | mask) ^ multiplier, (second | mask) ^ state)
        }
        return Self.fold(state ^ 0x9E37_79B9_7F4A_7C15, multiplier ^ UInt64(truncatingIfNeeded: count))
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}
