// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    public import Synchronization

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// The lock of a shard, held for some tens of nanoseconds and never while user code runs but the keys' `==`.
    ///
    /// One compare-and-swap to lock, one plain store to unlock: half the cost of `Mutex`. A thread that finds it taken
    /// spins for about a microsecond; if the holder has lost its processor, it yields and then sleeps, each time for longer, up to an
    /// eighth of a millisecond. `docs/decisions.md` has the measurements.
    ///
    /// It is used by pointer alone, as on Apple's systems: `ShardCells` keeps it where it is.
    @usableFromInline struct ShardLock: ~Copyable, Sendable {
        @usableFromInline let isLocked = Atomic<Bool>(false)

        @inlinable init() {}

        @inlinable @inline(__always)
        static func lock(at address: UnsafeMutablePointer<ShardLock>) {
            if !address.pointee.isLocked
                .weakCompareExchange(expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
            {
                lockContended(at: address)
            }
        }

        @inlinable @inline(__always)
        static func unlock(at address: UnsafeMutablePointer<ShardLock>) {
            // The fence costs no instruction here. It keeps the compiler from moving the retain of a value that was read under the
            // lock behind the store, as Swift 6.3 does without it; another thread could release the value in between.
            atomicMemoryFence(ordering: .releasing)
            address.pointee.isLocked.store(false, ordering: .releasing)
        }

        static func tryLock(at address: UnsafeMutablePointer<ShardLock>) -> Bool {
            address.pointee.isLocked
                .compareExchange(expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
        }

        @usableFromInline static func lockContended(at address: UnsafeMutablePointer<ShardLock>) {
            var attempts = 0
            while true {
                if !address.pointee.isLocked.load(ordering: .relaxed),
                    address.pointee.isLocked
                        .weakCompareExchange(expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
                {
                    return
                }
                attempts += 1
                if attempts < spins { continue }
                if attempts < spins + yields {
                    sched_yield()
                } else {
                    let doublings = min(attempts - spins - yields, 2)
                    var pause = timespec(tv_sec: 0, tv_nsec: 32_000 << doublings)
                    nanosleep(&pause, nil)
                }
            }
        }

        private static let spins = 200
        private static let yields = 16
    }
#endif
