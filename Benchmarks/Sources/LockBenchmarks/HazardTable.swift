// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CBenchmarkSupport
internal import Synchronization

/// How many replaced values a thread collects before it pays for one process-wide barrier.
protocol RetireBatch: Sendable {
    static var size: Int { get }
}
enum OneByOne: RetireBatch { static var size: Int { 1 } }
enum By64: RetireBatch { static var size: Int { 64 } }

/// (c) Reads take no lock: a reader announces the value that it is about to retain in a slot of its own, and
/// looks again whether it is still there. A thread that replaces a value releases the old one only after a
/// barrier on all threads (membarrier), and only if no reader has announced it. The readers' side of the
/// barrier then costs no instruction.
///
/// The number of a thread is given; a library would have to look it up on each read.
///
/// Unchecked because values are atomic, replaced under the shard's guard, and `hazards` and `retired` belong to one thread each,
/// but for other threads' atomic reads of `hazards`.
final class HazardTable<Batch: RetireBatch>: SharedTable, @unchecked Sendable {
    static var name: String { "hazard slots, retire \(Batch.size)" }
    private let shards: UnsafeMutablePointer<Shard<SpinGuard>>
    private let threads: UnsafeMutablePointer<ThreadState>
    static var maximumThreads: Int { 16 }

    struct ThreadState: ~Copyable {
        let hazard = Atomic<UInt>(0)
        let room: InlineArray<15, UInt64> = .init(repeating: 0)
        var retired: [UInt] = []
        let roomBehind: InlineArray<15, UInt64> = .init(repeating: 0)
    }

    init(keys: [UInt64]) {
        shards = .allocate(capacity: 1 << shardBits)
        for index in 0..<(1 << shardBits) { (shards + index).initialize(to: Shard()) }
        threads = .allocate(capacity: Self.maximumThreads)
        for index in 0..<Self.maximumThreads { (threads + index).initialize(to: ThreadState()) }
        for key in keys {
            let slot = shard(mixed(key)).pointee.slots.find(key, hash: mixed(key))
            slot.pointee.key = key
            slot.pointee.value.store(Slots.address(Box(key)), ordering: .relaxed)
        }
    }

    deinit {
        for thread in 0..<Self.maximumThreads {
            for address in threads[thread].retired { Slots.box(address).release() }
        }
        threads.deinitialize(count: Self.maximumThreads)
        threads.deallocate()
        shards.deinitialize(count: 1 << shardBits)
        shards.deallocate()
    }

    @inline(__always)
    private func shard(_ hash: UInt64) -> UnsafeMutablePointer<Shard<SpinGuard>> {
        shards + Int(hash >> (64 - UInt64(shardBits)))
    }

    @inline(__always)
    func value(forKey key: UInt64, thread: Int) -> Box {
        let hash = mixed(key)
        let slot = shard(hash).pointee.slots.find(key, hash: hash)
        let own = threads + thread
        var address = slot.pointee.value.load(ordering: .acquiring)
        while true {
            own.pointee.hazard.store(address, ordering: .relaxed)
            hb_compiler_barrier()
            let again = slot.pointee.value.load(ordering: .acquiring)
            if again == address { break }
            address = again
        }
        let box = Slots.box(address).takeUnretainedValue()
        // As in SpinGuard: without the fence the retain would move behind the store.
        atomicMemoryFence(ordering: .releasing)
        own.pointee.hazard.store(0, ordering: .relaxed)
        return box
    }

    @inline(__always)
    func replace(_ key: UInt64, by box: Box, thread: Int) {
        let hash = mixed(key)
        let shard = shard(hash)
        let new = Slots.address(box)
        let old = shard.pointee.lock.withGuard {
            let slot = shard.pointee.slots.find(key, hash: hash)
            return slot.pointee.value.exchange(new, ordering: .acquiringAndReleasing)
        }
        threads[thread].retired.append(old)
        if threads[thread].retired.count >= Batch.size { reclaim(thread) }
    }

    @inline(never)
    private func reclaim(_ thread: Int) {
        hb_process_barrier()
        var announced = InlineArray<16, UInt>(repeating: 0)
        for other in 0..<Self.maximumThreads { announced[other] = threads[other].hazard.load(ordering: .acquiring) }
        var kept: [UInt] = []
        for address in threads[thread].retired {
            var isAnnounced = false
            for other in 0..<Self.maximumThreads where announced[other] == address { isAnnounced = true }
            if isAnnounced { kept.append(address) } else { Slots.box(address).release() }
        }
        threads[thread].retired.removeAll(keepingCapacity: true)
        threads[thread].retired.append(contentsOf: kept)
    }
}
