// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Remembers records that were evicted from the small log without a read: about as many as the store has records.
///
/// A new record with a ghost begins with one use, so it moves to the main log when its segment is cleaned.
///
/// A ghost is 4 bytes, in buckets of eight: 20 bits of its hash and the time of its eviction, in steps, of which its life has up to 1024. The time has
/// 12 bits, so it begins anew after four lives; by then a bucket has got others. About one new record in 100,000 has a ghost by mistake, which
/// costs it one move.
final class GhostTable: Sendable {
    private struct State: Sendable {
        var slots: [UInt32] = []
        var bucketBits = 0
        /// Evictions until the step ends.
        var rest = 0
        var step: UInt32 = 1
        var capacity = 0
    }

    private let state = Mutex(State())

    private static let bucketSize = 8
    private static let stepMask: UInt32 = 4095
    private static let stepsOfALife = 1024

    var allocatedByteCount: Int { state.withLock { $0.slots.count * MemoryLayout<UInt32>.size } }

    /// Makes room for so many ghosts. Growing forgets those that are there.
    func reserve(_ count: Int) {
        state.withLock { state in
            state.capacity = max(count, 64)
            let buckets = max(state.capacity * 5 / 4 / Self.bucketSize, 1)
            let bits = Int.bitWidth - (buckets - 1).leadingZeroBitCount
            guard bits != state.bucketBits || state.slots.isEmpty, bits > state.bucketBits || bits + 1 < state.bucketBits else { return }
            state.bucketBits = bits
            state.slots = Array(repeating: 0, count: Self.bucketSize << bits)
        }
    }

    func insert(_ hash: UInt64) {
        state.withLock { state in
            guard !state.slots.isEmpty else { return }
            if state.rest == 0 {
                state.rest = max(state.capacity / Self.stepsOfALife, 1)
                state.step = (state.step &+ 1) & Self.stepMask
            }
            state.rest -= 1
            let first = Self.bucket(of: hash, state)
            // An empty slot, or the oldest ghost.
            var chosen = first
            var greatestAge: UInt32 = 0
            for slot in first..<first + Self.bucketSize {
                let age = state.slots[slot] == 0 ? .max : Self.age(of: state.slots[slot], state)
                if age >= greatestAge { (greatestAge, chosen) = (age, slot) }
            }
            state.slots[chosen] = Self.fingerprint(of: hash) << 12 | state.step
        }
    }

    /// Whether the hash has a ghost, which ends with this.
    func remove(_ hash: UInt64) -> Bool {
        state.withLock { state in
            guard !state.slots.isEmpty else { return false }
            let first = Self.bucket(of: hash, state)
            let fingerprint = Self.fingerprint(of: hash)
            for slot in first..<first + Self.bucketSize where state.slots[slot] >> 12 == fingerprint {
                let ghost = state.slots[slot]
                state.slots[slot] = 0
                return Self.age(of: ghost, state) <= min(UInt32(clamping: state.capacity), UInt32(Self.stepsOfALife))
            }
            return false
        }
    }

    private static func bucket(of hash: UInt64, _ state: borrowing State) -> Int {
        Int(truncatingIfNeeded: hash & (1 << UInt64(state.bucketBits) - 1)) * bucketSize
    }

    /// Never 0, so that no ghost looks like an empty slot.
    private static func fingerprint(of hash: UInt64) -> UInt32 { max(UInt32(truncatingIfNeeded: hash >> 44), 1) }

    private static func age(of ghost: UInt32, _ state: borrowing State) -> UInt32 { (state.step &- ghost & stepMask) & stepMask }
}
