// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Work that goes on after its caller has returned. The number of tasks is bounded, and callers can wait for those that have begun.
package final class BackgroundWork: Sendable {
    private struct State {
        var running = 0
        var nextOrder: UInt64 = 0
        /// The callers that wait for the work before an order, each with the number of tasks that it still waits for.
        var waiters: [(end: UInt64, left: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func begin() -> UInt64 {
            running += 1
            for index in waiters.indices where nextOrder < waiters[index].end { waiters[index].left += 1 }
            defer { nextOrder += 1 }
            return nextOrder
        }
    }

    private let maximumCount: Int
    private let state = Mutex(State())

    package init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Does the work in the background, or before returning if too much runs there already.
    func run(_ work: @escaping @Sendable () async -> Void) async {
        let order = state.withLock { $0.running < maximumCount ? $0.begin() : nil }
        guard let order else { return await work() }
        startTask { [self] in
            await work()
            finished(order)
        }
    }

    /// Does the work in the background, however much runs there already.
    ///
    /// - Parameter isImmediate: Whether to do it on the caller's thread until it first suspends.
    /// - Returns: The task that does it.
    @discardableResult
    package func start(isImmediate: Bool = false, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let order = state.withLock { $0.begin() }
        let operation: @Sendable () async -> Void = { [self] in
            await work()
            finished(order)
        }
        return isImmediate ? startImmediateTask(operation) : startTask(operation)
    }

    /// Counts work that a caller does by itself, until ``finished(_:)`` is called with the number that is returned.
    func begin() -> UInt64 { state.withLock { $0.begin() } }

    /// Waits until nothing runs in the background any more, including work that other work has begun meanwhile.
    package func waitUntilIdle() async { await wait { _ in .max } }

    /// Waits until the work that runs in the background now has ended. Work that begins meanwhile, which may never cease, is not waited for.
    func waitForPresentWork() async { await wait { $0.nextOrder } }

    /// The number of callers that wait. For tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    private func wait(_ end: @Sendable (State) -> UInt64) async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.running > 0 { state.waiters.append((end(state), state.running, continuation)) }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Ends a task, or work that ``begin()`` has counted.
    func finished(_ order: UInt64) {
        let woken = state.withLock { state in
            state.running -= 1
            for index in state.waiters.indices where order < state.waiters[index].end { state.waiters[index].left -= 1 }
            let woken = state.waiters.filter { $0.left == 0 }.map(\.continuation)
            if !woken.isEmpty { state.waiters.removeAll { $0.left == 0 } }
            return woken
        }
        for waiter in woken { waiter.resume() }
    }
}
