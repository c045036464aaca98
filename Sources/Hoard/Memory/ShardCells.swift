// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A shard and the lock that guards it.
@usableFromInline struct ShardCell<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline let lock = ShardLock()
    @usableFromInline var shard: Shard<Key, Value>

    @inlinable init(_ shard: consuming Shard<Key, Value>) {
        self.shard = shard
    }
}

/// The shards of a cache. The only way to a shard is through its lock.
///
/// A handle: copies share the shards, which ``deallocate()`` frees. Unchecked because each shard is reached through its cell's
/// lock alone, and each cell only by pointer, so that it never moves.
@usableFromInline struct ShardCells<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let count: Int

    /// - Parameter count: A power of two, 64 at most.
    @inlinable init(count: Int, shard: (_ number: Int) -> Shard<Key, Value>) {
        self.count = count
        base = .allocate(byteCount: count &* Self.stride, alignment: Self.lineSize)
        for number in 0..<count { cell(number).initialize(to: ShardCell(shard(number))) }
    }

    /// Two cells never share a cache line, nor the pair of lines that processors fetch together.
    @inlinable static var lineSize: Int { 128 }
    @inlinable static var stride: Int { (MemoryLayout<ShardCell<Key, Value>>.size &+ lineSize &- 1) & ~(lineSize &- 1) }

    @inlinable @inline(__always)
    func cell(_ number: Int) -> UnsafeMutablePointer<ShardCell<Key, Value>> {
        (base + number &* Self.stride).assumingMemoryBound(to: ShardCell<Key, Value>.self)
    }

    /// The handle and its copies must not be used any more.
    @inlinable func deallocate() {
        for number in 0..<count {
            cell(number).pointee.shard.deallocate()
            cell(number).deinitialize(count: 1)
        }
        base.deallocate()
    }

    @inlinable @inline(__always)
    func number(for hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash &>> 58) & (count &- 1)
    }

    /// Whether nobody holds a shard's lock at this moment. For tests.
    func isFree(_ number: Int) -> Bool {
        let cell = cell(number)
        guard cell.pointee.lock.tryLock() else { return false }
        cell.pointee.lock.unlock()
        return true
    }

    /// Runs `body` while holding the lock of the shard that a hash belongs to.
    @inlinable @inline(__always)
    func withShard<Result>(for hash: UInt64, _ body: (inout Shard<Key, Value>) -> Result) -> Result {
        withShard(number(for: hash), body)
    }

    @inlinable @inline(__always)
    func withShard<Result>(_ number: Int, _ body: (inout Shard<Key, Value>) -> Result) -> Result {
        let cell = cell(number)
        cell.pointee.lock.lock()
        let result = body(&cell.pointee.shard)
        cell.pointee.lock.unlock()
        return result
    }
}
