// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Hashes the keys of one cache.
///
/// Integers and ASCII strings, the most frequent kinds of key, are hashed here, with secrets that each cache draws at random, so
/// that an attacker cannot prepare keys that collide. They cost a fifth and a half of the time of the standard
/// `Hasher`. All other types go through their own `hash(into:)` and the process's random seed.
///
/// The mix is the folded 128-bit product of wyhash (Wang Yi) and MUM hash (Vladimir Makarov).
@usableFromInline struct KeyHasher: Sendable {
    @usableFromInline let seed: UInt64
    @usableFromInline let multiplier: UInt64

    init(using generator: inout some RandomNumberGenerator) {
        seed = generator.next()
        multiplier = generator.next() | 1
    }

    /// With secrets that are the same in every run, for simulations that others can repeat.
    @usableFromInline static func fixed(_ number: UInt64) -> KeyHasher {
        KeyHasher(seed: number &* 0x9E37_79B9_7F4A_7C15, multiplier: (number &+ 1) &* 0xD6E8_FEB8_6659_FD93 | 1)
    }

    private init(seed: UInt64, multiplier: UInt64) {
        self.seed = seed
        self.multiplier = multiplier
    }

    @usableFromInline static func random() -> KeyHasher {
        var generator = RandomNumbers()
        return KeyHasher(using: &generator)
    }

    /// The upper half chooses the shard, the lower half the place in the shard and the sample.
    @inlinable @inline(__always)
    func callAsFunction<Key: Hashable>(_ key: Key) -> UInt64 {
        // In specialised code these comparisons are constant, and the casts cost nothing.
        if Key.self == Int.self { return mix(UInt64(truncatingIfNeeded: unsafeBitCast(key, to: Int.self))) }
        if Key.self == UInt.self { return mix(UInt64(unsafeBitCast(key, to: UInt.self))) }
        if Key.self == UInt64.self { return mix(unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == Int64.self { return mix(UInt64(bitPattern: unsafeBitCast(key, to: Int64.self))) }
        if Key.self == UInt32.self { return mix(UInt64(unsafeBitCast(key, to: UInt32.self))) }
        if Key.self == Int32.self { return mix(UInt64(bitPattern: Int64(unsafeBitCast(key, to: Int32.self)))) }
        if Key.self == String.self { return hash(unsafeBitCast(key, to: String.self)) }
        return mix(UInt64(truncatingIfNeeded: key.hashValue))
    }

    @inlinable @inline(__always)
    func mix(_ value: UInt64) -> UInt64 {
        let folded = Self.fold(value ^ seed, multiplier)
        return Self.fold(folded ^ 0x9E37_79B9_7F4A_7C15, multiplier)
    }

    @inlinable @inline(__always)
    static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

// MARK: Strings

extension KeyHasher {
    /// Strings are equal if they are canonically equivalent, so that only ASCII may be hashed byte by byte.
    @inlinable func hash(_ string: String) -> UInt64 {
        let asciiHash = string.utf8.withContiguousStorageIfAvailable { hashIfASCII($0) } ?? nil
        return asciiHash ?? hashSlowly(string)
    }

    /// - Returns: `nil` if a byte is not ASCII.
    @inlinable func hashIfASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = raw.count
        var state = seed
        var highBits: UInt64 = 0
        var offset = 0
        while offset &+ 16 <= count {
            let a = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let b = raw.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
            highBits |= a | b
            state = Self.fold(a ^ multiplier, b ^ state)
            offset &+= 16
        }
        if offset < count {
            var a: UInt64 = 0
            var b: UInt64 = 0
            if count >= 16 {
                // The last 16 bytes; some of them a second time.
                a = raw.loadUnaligned(fromByteOffset: count &- 16, as: UInt64.self)
                b = raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            } else if count >= 8 {
                a = raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
                b = raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            } else {
                for byte in raw { a = a &<< 8 | UInt64(byte) }
            }
            highBits |= a | b
            state = Self.fold(a ^ multiplier, b ^ state)
        }
        guard highBits & 0x8080_8080_8080_8080 == 0 else { return nil }
        // The length comes in here, where no byte of the string can make up for it: some bytes may have been read twice.
        return Self.fold(state ^ 0x9E37_79B9_7F4A_7C15, multiplier ^ UInt64(truncatingIfNeeded: count))
    }

    /// Strings that are not ASCII, or whose bytes do not lie together.
    ///
    /// Three scalars are canonically equivalent to ASCII characters: a string of such and ASCII has the ASCII string's hash.
    @usableFromInline func hashSlowly(_ string: String) -> UInt64 {
        var ascii: [UInt8] = []
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\u{37E}": ascii.append(0x3B)
            case "\u{1FEF}": ascii.append(0x60)
            case "\u{212A}": ascii.append(0x4B)
            case _ where scalar.isASCII: ascii.append(UInt8(truncatingIfNeeded: scalar.value))
            default: return mix(UInt64(truncatingIfNeeded: string.hashValue))
            }
        }
        return ascii.withUnsafeBufferPointer { hashIfASCII($0) } ?? mix(UInt64(truncatingIfNeeded: string.hashValue))
    }
}
