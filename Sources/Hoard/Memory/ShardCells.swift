// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The shards of a cache, each in a cell with its lock. The only way to a shard is through its lock.
///
/// A handle: copies share the shards, which ``deallocate()`` frees. Unchecked because each shard is reached through its
/// lock alone, and both only by pointer, so that they never move.
@usableFromInline struct ShardCells<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let count: Int

    /// - Parameter count: A power of two, 64 at most.
    @inlinable init(count: Int, shard: (_ number: Int) -> Shard<Key, Value>) {
        self.count = count
        base = .allocate(byteCount: count &* Self.stride, alignment: Self.lineSize)
        for number in 0..<count {
            lock(number).initialize(to: ShardLock())
            self.shard(number).initialize(to: shard(number))
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

    /// The handle and its copies must not be used any more.
    @inlinable func deallocate() {
        for number in 0..<count {
            shard(number).pointee.deallocate()
            shard(number).deinitialize(count: 1)
            lock(number).deinitialize(count: 1)
        }
        base.deallocate()
    }

    @inlinable @inline(__always)
    func number(for hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash &>> 58) & (count &- 1)
    }

    /// Whether nobody holds a shard's lock at this moment. For tests.
    func isFree(_ number: Int) -> Bool {
        guard ShardLock.tryLock(at: lock(number)) else { return false }
        ShardLock.unlock(at: lock(number))
        return true
    }

    /// Runs `body` while holding the lock of the shard that a hash belongs to.
    @inlinable @inline(__always)
    func withShard<Result>(for hash: UInt64, _ body: (inout Shard<Key, Value>) -> Result) -> Result {
        withShard(number(for: hash), body)
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
