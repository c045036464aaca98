// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where an entry lies, packed into 8 bytes. With the hash of the key it makes the 16 bytes that the index and the footers have for each record.
///
/// | bits | |
/// | --: | --- |
/// | 0 to 1 | frequency: how often the record was read since it was written or last spared, up to 3 |
/// | 2 to 23 | length of the entry in units of 16 bytes; 0 is a removal |
/// | 24 to 45 | offset in the segment in units of 16 bytes, never 0 |
/// | 46 to 63 | the segment's number modulo 2¹⁸ |
struct Place: Hashable, Sendable {
    /// Never 0, as the offset is not.
    var bits: UInt64

    static let unit = 16
    static let maximumByteCount = ((1 << 22) - 1) * unit
    static let maximumFrequency: UInt64 = 3
    static let slotCount: UInt64 = 1 << 18

    private static let frequencyMask: UInt64 = 3
    private static let fieldMask: UInt64 = (1 << 22) - 1

    init(bits: UInt64) { self.bits = bits }

    init(segment: UInt64, offset: Int, byteCount: Int) {
        let units = UInt64(offset / Self.unit)
        bits = (segment & (Self.slotCount - 1)) << 46 | units << 24 | UInt64(byteCount / Self.unit) << 2
    }

    var slot: UInt32 { UInt32(truncatingIfNeeded: bits >> 46) }
    var offset: Int { Int(bits >> 24 & Self.fieldMask) * Self.unit }
    var byteCount: Int { Int(bits >> 2 & Self.fieldMask) * Self.unit }
    var frequency: UInt64 { bits & Self.frequencyMask }
    var isRemoval: Bool { bits & (Self.fieldMask << 2) == 0 }

    /// Whether both are the same entry, however often it was read.
    func isSameEntry(as other: Place) -> Bool { (bits ^ other.bits) & ~Self.frequencyMask == 0 }

    func withFrequency(_ frequency: UInt64) -> Place { Place(bits: bits & ~Self.frequencyMask | frequency) }
}

/// A key's hash and the place of its entry.
struct HashedPlace: Sendable {
    var hash: UInt64
    var place: Place

    static let byteCount = 16
}
