// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where an entry lies, packed into 8 bytes. With the hash of the key it makes the 16 bytes that the index and the footers have for each record.
///
/// | bits | |
/// | --: | --- |
/// | 0 to 1 | in memory the frequency: how often the record was read since it was written or last moved, up to 3; in a footer bit 0 is the shadow |
/// | 2 to 23 | length of the entry in units of 16 bytes; 0 is a removal |
/// | 24 to 45 | offset in the segment in units of 16 bytes, never 0 |
/// | 46 to 62 | the segment's number modulo 2¹⁷ |
/// | 63 | the log: 1 is main |
///
/// A *shadow* says that the main log may have an older record of the key. When the entry goes, a removal has to be written there.
struct Place: Hashable, Sendable {
    /// Never 0, as the offset is not.
    var bits: UInt64

    static let unit = 16
    static let maximumByteCount = ((1 << 22) - 1) * unit
    static let maximumFrequency: UInt64 = 3
    static let slotCount: UInt64 = 1 << 17

    private static let frequencyMask: UInt64 = 3
    private static let fieldMask: UInt64 = (1 << 22) - 1

    init(bits: UInt64) { self.bits = bits }

    init(segment: SegmentName, offset: Int, byteCount: Int, isShadow: Bool = false) {
        let units = UInt64(offset / Self.unit)
        bits = Self.slot(of: segment) << 46 | units << 24 | UInt64(byteCount / Self.unit) << 2 | (isShadow ? 1 : 0)
    }

    private static func slot(of segment: SegmentName) -> UInt64 { segment.number & (slotCount - 1) | UInt64(segment.log.rawValue) << 17 }

    /// A removal at the same place.
    var removal: Place { Place(bits: bits & ~(Self.fieldMask << 2 | Self.frequencyMask)) }

    func isIn(_ segment: SegmentName) -> Bool { bits >> 46 == Self.slot(of: segment) }

    var log: LogName { bits >> 63 == 0 ? .small : .main }
    /// Whether a place from a footer has a shadow.
    var isShadow: Bool { bits & 1 != 0 }

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
