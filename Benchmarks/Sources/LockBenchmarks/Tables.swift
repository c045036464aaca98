// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CBenchmarkSupport
internal import Synchronization

/// 64 shards of one table, read and written by many threads.
protocol SharedTable: AnyObject, Sendable {
    static var name: String { get }
    init(keys: [UInt64])
    func value(forKey key: UInt64, thread: Int) -> Box
    func replace(_ key: UInt64, by box: Box, thread: Int)
}

/// A guard beside the slots that it guards, with room behind it, so that two shards never share a cache line.
struct Shard<G: Guard & ~Copyable>: ~Copyable {
    let lock = G()
    let slots = Slots(capacity: slotsPerShard)
    // 128 bytes.
    private let room: InlineArray<16, UInt64> = .init(repeating: 0)

    deinit {
        slots.destroy()
    }
}

/// Unchecked because `shards` is set once, and each shard is guarded by its own `lock`.
final class GuardedTable<G: Guard & ~Copyable>: SharedTable, @unchecked Sendable {
    static var name: String { G.name }
    private let shards: UnsafeMutablePointer<Shard<G>>

    init(keys: [UInt64]) {
        shards = .allocate(capacity: 1 << shardBits)
        for index in 0..<(1 << shardBits) { (shards + index).initialize(to: Shard()) }
        for key in keys {
            let slot = shard(mixed(key)).pointee.slots.find(key, hash: mixed(key))
            slot.pointee.key = key
            slot.pointee.value.store(Slots.address(Box(key)), ordering: .relaxed)
        }
    }

    deinit {
        shards.deinitialize(count: 1 << shardBits)
        shards.deallocate()
    }

    @inline(__always)
    private func shard(_ hash: UInt64) -> UnsafeMutablePointer<Shard<G>> {
        shards + Int(hash >> (64 - UInt64(shardBits)))
    }

    @inline(__always)
    func value(forKey key: UInt64, thread: Int) -> Box {
        let hash = mixed(key)
        let shard = shard(hash)
        return shard.pointee.lock.withGuard {
            let slot = shard.pointee.slots.find(key, hash: hash)
            return Slots.box(slot.pointee.value.load(ordering: .relaxed)).takeUnretainedValue()
        }
    }

    @inline(__always)
    func replace(_ key: UInt64, by box: Box, thread: Int) {
        let hash = mixed(key)
        let shard = shard(hash)
        let new = Slots.address(box)
        let old = shard.pointee.lock.withGuard {
            let slot = shard.pointee.slots.find(key, hash: hash)
            let old = slot.pointee.value.load(ordering: .relaxed)
            slot.pointee.value.store(new, ordering: .relaxed)
            return old
        }
        Slots.box(old).release()
    }
}
