// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite struct ShardLockTests {
    /// A number that only its lock guards.
    private final class Guarded: @unchecked Sendable {
        private let address = UnsafeMutablePointer<ShardLock>.allocate(capacity: 1)
        var number = 0
        var isHeld = false

        init() { address.initialize(to: ShardLock()) }

        deinit {
            address.deinitialize(count: 1)
            address.deallocate()
        }

        func lock() { ShardLock.lock(at: address) }
        func unlock() { ShardLock.unlock(at: address) }
        func tryLock() -> Bool { ShardLock.tryLock(at: address) }
    }

    /// Runs `body` on threads of its own, all at once.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        for number in 0..<count {
            Thread.detachNewThread {
                body(number)
                continuation.yield()
            }
        }
        var ended = 0
        for await _ in ends {
            ended += 1
            if ended == count { return }
        }
    }

    @Test func oneThreadAtATimeHoldsTheLock() async {
        let guarded = Guarded()
        let intrusions = Counter()
        await onThreads(12) { _ in
            for round in 0..<5_000 {
                guarded.lock()
                if guarded.isHeld { intrusions.increment() }
                guarded.isHeld = true
                let number = guarded.number
                // Sometimes the other threads come while the lock is held.
                if round % 50 == 0 { sched_yield() }
                guarded.number = number + 1
                guarded.isHeld = false
                guarded.unlock()
            }
        }
        #expect(guarded.number == 60_000)
        #expect(intrusions.value == 0)
    }

    @Test func tryingExcludesOthersAndNeverWaits() async {
        let guarded = Guarded()
        let successes = Counter()
        await onThreads(8) { number in
            for _ in 0..<5_000 {
                if number % 2 == 0 {
                    guarded.lock()
                } else if !guarded.tryLock() {
                    continue
                }
                guarded.number += 1
                successes.increment()
                guarded.unlock()
            }
        }
        #expect(guarded.number == successes.value)
        #expect(successes.value >= 20_000)
    }

    @Test func lockThatIsHeldCannotBeTaken() async {
        let guarded = Guarded()
        guarded.lock()
        let wasTaken = Shared(true)
        await onThreads(1) { _ in
            let success = guarded.tryLock()
            wasTaken.update { $0 = success }
        }
        #expect(!wasTaken.value)
        guarded.unlock()
        let isFree = guarded.tryLock()
        #expect(isFree)
        guarded.unlock()
    }

    /// The holder keeps the lock until the other threads have begun to wait. They spin, yield and sleep meanwhile.
    @Test func threadsThatWaitLongGetTheLockInTheEnd() async {
        let guarded = Guarded()
        let arrivals = Counter()
        await onThreads(6) { number in
            if number == 0 {
                guarded.lock()
                arrivals.increment()
                while arrivals.value < 6 {}
                for _ in 0..<100_000 { _ = arrivals.value }
                guarded.number += 1
                guarded.unlock()
            } else {
                while arrivals.value == 0 {}
                arrivals.increment()
                guarded.lock()
                guarded.number += 1
                guarded.unlock()
            }
        }
        #expect(guarded.number == 6)
    }
}
