// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The shards of a cache, each in a cell with its lock. The only way to a shard is through its lock.
///
/// One shard may become several, once. A thread that has waited for a shard's lock checks again which shard the key belongs to.
///
/// Unchecked because each shard is reached through its lock alone, and both only by pointer, so that they never move.
@usableFromInline struct ShardCells<Key: Hashable & Sendable, Value: Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    /// The number of cells there is room for.
    @usableFromInline let capacity: Int
    @usableFromInline let currentCount: Atomic<Int>

    /// - Parameters:
    ///   - count: A power of two.
    ///   - capacity: The greatest count there can ever be, a power of two, 64 at most.
    @inlinable init(count: Int, capacity: Int, shard: (_ number: Int) -> Shard<Key, Value>) {
        self.capacity = max(count, capacity)
        currentCount = Atomic(count)
        base = .allocate(byteCount: self.capacity &* Self.stride, alignment: Self.lineSize)
        for number in 0..<count { initialize(number, to: shard(number)) }
    }

    @inlinable deinit {
        for number in 0..<count {
            shard(number).pointee.deallocate()
            shard(number).deinitialize(count: 1)
            lock(number).deinitialize(count: 1)
        }
        base.deallocate()
    }

    @inlinable func initialize(_ number: Int, to shard: consuming Shard<Key, Value>) {
        lock(number).initialize(to: ShardLock())
        self.shard(number).initialize(to: shard)
    }

    @inlinable @inline(__always)
    var count: Int { currentCount.load(ordering: .acquiring) }

    /// Makes new shards known, which have been initialised. The first one is locked.
    func publish(count: Int) { currentCount.store(count, ordering: .releasing) }

    /// Calls a function with the number of each shard, also of those that come meanwhile.
    @inlinable func forEach(_ body: (_ number: Int) -> Void) {
        var number = 0
        while number < count {
            body(number)
            number &+= 1
        }
    }

    /// Two cells never share a cache line, nor the pair of lines that processors fetch together.
    @inlinable static var lineSize: Int { 128 }

    /// Where in its cell a shard lies: right behind the lock.
    @inlinable static var shardOffset: Int {
        let alignment = MemoryLayout<Shard<Key, Value>>.alignment
        return (MemoryLayout<ShardLock>.size &+ alignment &- 1) & ~(alignment &- 1)
    }

    @inlinable static var stride: Int { (shardOffset &+ MemoryLayout<Shard<Key, Value>>.size &+ lineSize &- 1) & ~(lineSize &- 1) }

    // Two pointers, not one to a struct of both: while a thread that holds the lock has the shard for itself, others try the lock.

    @inlinable @inline(__always)
    func lock(_ number: Int) -> UnsafeMutablePointer<ShardLock> {
        (base + number &* Self.stride).assumingMemoryBound(to: ShardLock.self)
    }

    @inlinable @inline(__always)
    func shard(_ number: Int) -> UnsafeMutablePointer<Shard<Key, Value>> {
        (base + (number &* Self.stride &+ Self.shardOffset)).assumingMemoryBound(to: Shard<Key, Value>.self)
    }

    @inlinable @inline(__always)
    func number(for hash: UInt64) -> Int { number(for: hash, of: count) }

    @inlinable @inline(__always)
    func number(for hash: UInt64, of count: Int) -> Int {
        Int(truncatingIfNeeded: hash &>> 58) & (count &- 1)
    }

    /// Whether no thread holds a shard's lock at this moment. For tests.
    func isFree(_ number: Int) -> Bool {
        guard ShardLock.tryLock(at: lock(number)) else { return false }
        ShardLock.unlock(at: lock(number))
        return true
    }

    /// Runs `body` while holding the lock of the shard that a hash belongs to.
    @inlinable @inline(__always)
    func withShard<Result>(for hash: UInt64, _ body: (inout Shard<Key, Value>) -> Result) -> Result {
        var number = number(for: hash)
        ShardLock.lock(at: lock(number))
        while true {
            // The cache may have been divided while this thread waited.
            let present = self.number(for: hash)
            if present == number { break }
            ShardLock.unlock(at: lock(number))
            number = present
            ShardLock.lock(at: lock(number))
        }
        let result = body(&shard(number).pointee)
        ShardLock.unlock(at: lock(number))
        return result
    }

    @inlinable @inline(__always)
    func withShard<Result>(_ number: Int, _ body: (inout Shard<Key, Value>) -> Result) -> Result {
        let (lock, shard) = (lock(number), shard(number))
        ShardLock.lock(at: lock)
        let result = body(&shard.pointee)
        ShardLock.unlock(at: lock)
        return result
    }
}
