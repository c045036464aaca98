// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CBenchmarkSupport
internal import Foundation
internal import Synchronization

/// A way to keep two threads out of one shard.
protocol Guard: ~Copyable, Sendable {
    static var name: String { get }
    init()
    borrowing func withGuard<Result>(_ body: () -> Result) -> Result
}

/// (a) The standard library's lock.
struct MutexGuard: Guard, ~Copyable {
    static var name: String { "Mutex" }
    private let mutex = Mutex<Void>(())

    @inline(__always)
    borrowing func withGuard<Result>(_ body: () -> Result) -> Result {
        // Unsafe transfer because Result is only ever a pointer or an immutable box.
        let result = mutex.withLock { _ in Transfer(value: body()) }
        return result.value
    }

    private struct Transfer<Value>: @unchecked Sendable {
        let value: Value
    }
}

/// (b) One compare-and-exchange to lock, one plain releasing store to unlock. A thread that finds it taken
/// spins, then yields, then sleeps.
struct SpinGuard: Guard, ~Copyable {
    static var name: String { "spin lock" }
    private let isTaken = Atomic<UInt32>(0)

    @inline(__always)
    borrowing func withGuard<Result>(_ body: () -> Result) -> Result {
        if !isTaken.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged {
            wait()
        }
        let result = body()
        // A releasing store alone is no barrier for the optimiser's placement of retains: a value read under the lock would be
        // retained after the unlock. The fence is one, and on x86 costs no instruction.
        atomicMemoryFence(ordering: .releasing)
        isTaken.store(0, ordering: .relaxed)
        return result
    }

    @inline(never)
    private borrowing func wait() {
        var rounds = 0
        var sleep = 50_000
        while true {
            if isTaken.load(ordering: .relaxed) == 0,
                isTaken.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
            {
                return
            }
            rounds += 1
            if rounds <= 100 {
                hb_spin_hint()
            } else if rounds <= 120 {
                sched_yield()
            } else {
                var time = timespec(tv_sec: 0, tv_nsec: sleep)
                nanosleep(&time, nil)
                sleep = min(1_000_000, sleep * 2)
            }
        }
    }
}

/// (d) Nothing. It is right only as long as no thread writes.
struct NoGuard: Guard, ~Copyable {
    static var name: String { "no lock" }

    @inline(__always)
    borrowing func withGuard<Result>(_ body: () -> Result) -> Result {
        body()
    }
}
