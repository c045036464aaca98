// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Remembers records that were evicted lately.
///
/// A ghost is 4 bytes, in buckets of eight: 20 bits of the record's identifier and the time of its eviction, in steps, of which its life has up to 1024. The time has
/// 12 bits, so it begins anew after four lives; by then a bucket has got others. About one new record in 100,000 has a ghost by mistake.
struct GhostTable: Sendable {
    private var slots: [UInt32] = []
    private var bucketBits = 0
    /// Evictions until the step ends.
    private var rest = 0
    private var step: UInt32 = 1
    private var capacity = 0

    private static let bucketSize = 8
    private static let stepMask: UInt32 = 4095
    private static let stepsOfALife = 1024

    var allocatedByteCount: Int { slots.count * MemoryLayout<UInt32>.size }

    /// Makes room for so many ghosts. Growing much, or shrinking much, forgets those that are there.
    mutating func reserve(_ count: Int) {
        capacity = max(count, 64)
        let buckets = max(capacity * 5 / 4 / Self.bucketSize, 1)
        let bits = Int.bitWidth - (buckets - 1).leadingZeroBitCount
        guard slots.isEmpty || bits > bucketBits || bits + 1 < bucketBits else { return }
        bucketBits = bits
        slots = Array(repeating: 0, count: Self.bucketSize << bits)
    }

    mutating func insert(_ identifier: Int64) {
        guard !slots.isEmpty else { return }
        if rest == 0 {
            rest = max(capacity / Self.stepsOfALife, 1)
            step = (step &+ 1) & Self.stepMask
        }
        rest -= 1
        // An empty slot, or the oldest ghost.
        let chosen = bucket(of: identifier).max { rank(of: slots[$0]) < rank(of: slots[$1]) }
        if let chosen { slots[chosen] = Self.fingerprint(of: identifier) << 12 | step }
    }

    func contains(_ identifier: Int64) -> Bool { slot(of: identifier) != nil }

    /// Whether there was a ghost, which ends with this.
    mutating func remove(_ identifier: Int64) -> Bool {
        guard let slot = slot(of: identifier) else { return false }
        slots[slot] = 0
        return true
    }

    private func slot(of identifier: Int64) -> Int? {
        if slots.isEmpty { return nil }
        let fingerprint = Self.fingerprint(of: identifier)
        return bucket(of: identifier).first {
            slots[$0] >> 12 == fingerprint && age(of: slots[$0]) <= min(UInt32(clamping: capacity), UInt32(Self.stepsOfALife))
        }
    }

    private func bucket(of identifier: Int64) -> Range<Int> {
        let first = Int(truncatingIfNeeded: identifier & (1 << Int64(bucketBits) - 1)) * Self.bucketSize
        return first..<first + Self.bucketSize
    }

    /// Never 0, so that no ghost looks like an empty slot.
    private static func fingerprint(of identifier: Int64) -> UInt32 { max(UInt32(truncatingIfNeeded: UInt64(bitPattern: identifier) >> 44), 1) }

    private func rank(of slot: UInt32) -> UInt32 { slot == 0 ? .max : age(of: slot) }

    private func age(of ghost: UInt32) -> UInt32 { (step &- ghost & Self.stepMask) & Self.stepMask }
}
