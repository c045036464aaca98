// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Suspends until the task is cancelled.
package func untilCancelled() async {
    // A stream without elements ends with its task.
    for await _ in AsyncStream(Never.self, { _ in }) {}
}

/// The number of views that show a model.
package struct Users: Sendable {
    private var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// - Returns: Whether there was no user before.
    package mutating func enter() -> Bool {
        count += 1
        return count == 1
    }

    /// Does nothing if there is no user.
    ///
    /// - Returns: Whether that was the last one.
    package mutating func leave() -> Bool {
        if count == 0 { return false }
        count -= 1
        return count == 0
    }
}

/// The task in which a model follows a cache, as long as a view shows the model.
final class Following: Sendable {
    private struct State: Sendable {
        var users = Users()
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let body: @Sendable () async -> Void

    init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Whether a view shows the model.
    var isActive: Bool { state.withLock { !$0.users.isEmpty } }

    /// Starts the task for the first view that shows the model.
    func start() {
        state.withLock { state in
            if state.users.enter() { state.task = Task { [body] in await body() } }
        }
    }

    /// Ends the task after the last.
    func stop() {
        let task = state.withLock { state in state.users.leave() ? state.task.take() : nil }
        task?.cancel()
    }
}
