// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where the tasks run that Hoard starts by itself.
///
/// Unstructured tasks do not inherit their creator's executor preference (SE-0417). A test that wants to decide the order of everything
/// binds its executor here, and every task that is started inside, directly or by others, runs on it.
package enum TaskPlacement {
    /// The executor for new tasks. `nil`: the default one.
    @TaskLocal package static var executor: (any TaskExecutor)?
}

/// Starts an unstructured task on the executor of ``TaskPlacement``. Hoard starts all its tasks with this.
@discardableResult
package func startTask<Success: Sendable>(
    priority: TaskPriority? = nil,
    _ operation: sending @escaping @isolated(any) () async throws -> Success
) -> Task<Success, any Error> {
    Task(executorPreference: TaskPlacement.executor, priority: priority, operation: operation)
}

/// Starts an unstructured task that cannot fail on the executor of ``TaskPlacement``.
@discardableResult
package func startTask<Success: Sendable>(
    priority: TaskPriority? = nil,
    _ operation: sending @escaping @isolated(any) () async -> Success
) -> Task<Success, Never> {
    Task(executorPreference: TaskPlacement.executor, priority: priority, operation: operation)
}

/// An executor that may stop a job where it does not suspend, as the system may stop a thread anywhere.
package protocol PreemptingExecutor: TaskExecutor {
    func mayPreempt()
}

/// A point between two steps that other threads may come between. Only debug builds and `make test-optimised` have it; the caller must hold no lock.
///
/// A test that decides the order of everything (``TaskPlacement``) decides here too who goes first.
@inline(__always)
package func interleavingPoint() {
    #if DEBUG
        (TaskPlacement.executor as? any PreemptingExecutor)?.mayPreempt()
    #endif
}
