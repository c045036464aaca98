// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Work that goes on after its caller has returned. The number of tasks is bounded, and callers can wait for all of them.
package final class BackgroundWork: Sendable {
    private struct State {
        var running = 0
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let maximumCount: Int
    private let state = Mutex(State())

    package init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Does the work in the background, or before returning if too much runs there already.
    func run(_ work: @escaping @Sendable () async -> Void) async {
        let hasRoom = state.withLock { state in
            guard state.running < maximumCount else { return false }
            state.running += 1
            return true
        }
        guard hasRoom else { return await work() }
        startTask { [self] in
            await work()
            finished()
        }
    }

    /// Does the work in the background, however much runs there already.
    ///
    /// - Parameter isImmediate: Whether to do it on the caller's thread until it first suspends.
    /// - Returns: The task that does it.
    @discardableResult
    package func start(isImmediate: Bool = false, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { $0.running += 1 }
        let operation: @Sendable () async -> Void = { [self] in
            await work()
            finished()
        }
        return isImmediate ? startImmediateTask(operation) : startTask(operation)
    }

    /// Waits until nothing runs in the background any more.
    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.running > 0 { state.idleWaiters.append(continuation) }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func finished() {
        let waiters = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
