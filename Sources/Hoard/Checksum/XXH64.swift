// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// XXH64, the 64-bit xxHash: a fast checksum that detects damage. It does not protect against forgery.
///
/// The specification is at <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of `bytes`. Runs in O(n) and allocates nothing.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            hash = hashStripes(bytes, seed: seed, offset: &offset)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(bytes.count)
        while bytes.count - offset >= 8 {
            hash ^= round(0, bytes.littleEndianUInt64(at: offset))
            hash = hash.rotatedLeft(27) &* prime1 &+ prime4
            offset += 8
        }
        if bytes.count - offset >= 4 {
            hash ^= UInt64(bytes.littleEndianUInt32(at: offset)) &* prime1
            hash = hash.rotatedLeft(23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < bytes.count {
            hash ^= UInt64(bytes[offset]) &* prime5
            hash = hash.rotatedLeft(11) &* prime1
            offset += 1
        }
        return avalanche(hash)
    }

    /// Consumes the input in stripes of 32 bytes, 8 for each of four lanes.
    private static func hashStripes(_ bytes: UnsafeRawBufferPointer, seed: UInt64, offset: inout Int) -> UInt64 {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        while bytes.count - offset >= 32 {
            lane1 = round(lane1, bytes.littleEndianUInt64(at: offset))
            lane2 = round(lane2, bytes.littleEndianUInt64(at: offset + 8))
            lane3 = round(lane3, bytes.littleEndianUInt64(at: offset + 16))
            lane4 = round(lane4, bytes.littleEndianUInt64(at: offset + 24))
            offset += 32
        }
        var hash = lane1.rotatedLeft(1) &+ lane2.rotatedLeft(7) &+ lane3.rotatedLeft(12) &+ lane4.rotatedLeft(18)
        hash = merge(hash, lane1)
        hash = merge(hash, lane2)
        hash = merge(hash, lane3)
        return merge(hash, lane4)
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        (lane &+ input &* prime2).rotatedLeft(31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func avalanche(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash ^= hash >> 33
        hash &*= prime2
        hash ^= hash >> 29
        hash &*= prime3
        hash ^= hash >> 32
        return hash
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func rotatedLeft(_ count: UInt64) -> UInt64 {
        (self &<< count) | (self &>> (64 &- count))
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func littleEndianUInt64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    fileprivate func littleEndianUInt32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
