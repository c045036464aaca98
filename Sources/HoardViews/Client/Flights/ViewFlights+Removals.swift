// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

extension ViewFlights {
    /// Removes something while nothing of it is being kept. Suspends.
    ///
    /// Loads that began before the end of the removal keep nothing, and callers that come after it join none of them. Loads that only prefetches wait for
    /// are cancelled.
    func remove(_ scope: RemovalScope, _ removal: @escaping @Sendable () async -> Void) async {
        // A cancelled task would not find all that has to go.
        await startTask { [self] in
            let id: RemovalID = await withCheckedContinuation { continuation in beginRemoval(scope, continuation) }
            await removal()
            perform(state.withLock { $0.machine.removalEnded(id) })
        }.value
    }

    private func beginRemoval(_ scope: RemovalScope, _ continuation: CheckedContinuation<RemovalID, Never>) {
        let (actions, dropped) = state.withLock { state in
            let (_, actions) = state.machine.removalBegan(scope) { id in continuation.resume(returning: id) }
            return (actions, state.shelf.remove(scope))
        }
        settle(dropped)
        perform(actions)
    }
}
