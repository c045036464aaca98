// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets one part of a test wait until another says so.
package final class Signal: Sendable {
    private struct State {
        var isFired = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func fire() {
        let waiters = state.withLock { state in
            state.isFired = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when ``fire()`` has been called, whether the task is cancelled or not.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isFired = state.withLock { state in
                if !state.isFired { state.waiters.append(continuation) }
                return state.isFired
            }
            if isFired { continuation.resume() }
        }
    }
}

/// Suspends until the task is cancelled.
package func waitForCancellation() async {
    let cancelled = Signal()
    await withTaskCancellationHandler {
        await cancelled.wait()
    } onCancel: {
        cancelled.fire()
    }
}
