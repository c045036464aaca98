// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Suspends until the task is cancelled.
package func untilCancelled() async {
    // A stream without elements ends with its task.
    for await _ in AsyncStream(Never.self, { _ in }) {}
}

/// The task in which a model follows a cache, as long as somebody shows the model.
final class Following: Sendable {
    private struct State: Sendable {
        var count = 0
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Whether somebody shows the model.
    var isActive: Bool { state.withLock { $0.count > 0 } }

    /// Starts the task for the first who shows the model.
    func start() {
        state.withLock { state in
            state.count += 1
            if state.count == 1 { state.task = Task { [body] in await body() } }
        }
    }

    /// Ends the task after the last.
    func stop() {
        let task = state.withLock { state -> Task<Void, Never>? in
            if state.count == 0 { return nil }
            state.count -= 1
            return state.count == 0 ? state.task.take() : nil
        }
        task?.cancel()
    }
}
