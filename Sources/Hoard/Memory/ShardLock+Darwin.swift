// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    public import os

    /// The lock of a shard: the system's, which lends the holder the priority of the waiting threads.
    ///
    /// Unchecked because only the system's functions look at its bytes. It is used by pointer alone: it must stay where it is, and `ShardCells` keeps it there, in the line of memory
    /// that the shard begins in. `OSAllocatedUnfairLock` would be an object for each shard and another line for each hit.
    @usableFromInline struct ShardLock: ~Copyable, @unchecked Sendable {
        @usableFromInline var word = os_unfair_lock()

        @inlinable init() {}

        @inlinable static func lock(at address: UnsafeMutablePointer<ShardLock>) { os_unfair_lock_lock(word(at: address)) }

        @inlinable static func unlock(at address: UnsafeMutablePointer<ShardLock>) { os_unfair_lock_unlock(word(at: address)) }

        static func tryLock(at address: UnsafeMutablePointer<ShardLock>) -> Bool { os_unfair_lock_trylock(word(at: address)) }

        /// The only property is where the structure is.
        @inlinable static func word(at address: UnsafeMutablePointer<ShardLock>) -> UnsafeMutablePointer<os_unfair_lock> {
            UnsafeMutableRawPointer(address).assumingMemoryBound(to: os_unfair_lock.self)
        }
    }
#endif
