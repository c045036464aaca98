// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Mutual exclusion over asynchronous work, by key.
///
/// Work on one key runs in the order in which it asked; work on different keys runs in parallel unless the keys
/// share one of the stripes. Waiting cannot be cancelled, so the work must be short and must never wait for this lock again.
final class StripedAsyncLock: Sendable {
    private static let stripeCount = 64
    private let stripes = (0..<stripeCount).map { _ in AsyncLock() }

    func withLock<Result: Sendable>(_ key: RecordKey, _ body: () async -> Result) async -> Result {
        let stripe = stripe(for: key)
        await stripe.lock()
        defer { stripe.unlock() }
        return await body()
    }

    /// Waits for the work on every key and keeps all keys until `body` has returned.
    func withAllLocked<Result: Sendable>(_ body: () async -> Result) async -> Result {
        // Always in the same order, so that two callers cannot hold stripes the other waits for.
        for stripe in stripes { await stripe.lock() }
        defer { for stripe in stripes { stripe.unlock() } }
        return await body()
    }

    /// The number of callers waiting for the key's stripe. For tests that hold the door.
    func waiterCount(for key: RecordKey) -> Int {
        stripe(for: key).waiterCount
    }

    private func stripe(for key: RecordKey) -> AsyncLock {
        stripes[Int(UInt(bitPattern: key.hashValue) % UInt(Self.stripeCount))]
    }
}

/// A lock whose waiters suspend instead of blocking a thread; first come, first served.
private final class AsyncLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var firstWaiter = 0
    }

    private let state = Mutex(State())

    var waiterCount: Int { state.withLock { $0.waiters.count - $0.firstWaiter } }

    func lock() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isHeld {
                    state.waiters.append(continuation)
                    return false
                }
                state.isHeld = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func unlock() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.firstWaiter < state.waiters.count else {
                state = State()
                return nil
            }
            defer {
                state.firstWaiter += 1
                if state.firstWaiter > 32, state.firstWaiter * 2 > state.waiters.count {
                    state.waiters.removeFirst(state.firstWaiter)
                    state.firstWaiter = 0
                }
            }
            return state.waiters[state.firstWaiter]
        }
        next?.resume()
    }
}
