// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where the tasks run that Hoard starts by itself.
///
/// Unstructured tasks do not inherit their creator's executor preference (SE-0417). A test that wants to decide the order of everything
/// binds its executor here, and every task that is started inside, directly or by others, runs on it.
package enum TaskPlacement {
    /// The executor for new tasks. `nil`: the default one.
    @TaskLocal package static var executor: (any TaskExecutor)?

    /// The executor of the requests of a server's connection. An exchange with an origin that one of them starts (``startImmediateTask(_:)``) goes on there,
    /// beside the connections of both, instead of on a thread that has to be woken. `nil`: the default executor.
    @TaskLocal package static var requestExecutor: (any TaskExecutor)?
}

/// Starts an unstructured task on the executor of ``TaskPlacement``. Hoard starts all its tasks with this or ``startImmediateTask(_:)``.
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

/// The same for work that is not the caller's alone, and takes over neither its priority nor its task-local values, except a test's executor and
/// random numbers.
@discardableResult
package func startDetachedTask(priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let (executor, numbers) = (TaskPlacement.executor, RandomNumbers.source)
    return Task.detached(executorPreference: executor, priority: priority) {
        await TaskPlacement.$executor.withValue(executor) { await RandomNumbers.$source.withValue(numbers, operation: operation) }
    }
}

/// The same as ``startTask(priority:_:)``, but the task runs on the caller's thread until it suspends for the first time, if the system can do that
/// ([SE-0472](https://github.com/swiftlang/swift-evolution/blob/main/proposals/0472-task-start-synchronously-on-caller-context.md)).
///
/// For work that must not end with its caller, but nearly always ends without having to wait. Do not call it where a user's thread must not be kept.
@discardableResult
package func startImmediateTask<Success: Sendable>(_ operation: sending @escaping @isolated(any) () async -> Success) -> Task<Success, Never> {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return startTask(operation) }
    return Task.immediate(executorPreference: TaskPlacement.executor ?? TaskPlacement.requestExecutor, operation: operation)
}

/// An executor that may stop a job where it does not suspend, as the system may stop a thread anywhere.
package protocol PreemptingExecutor: TaskExecutor {
    func mayPreempt()
}

/// A point between two steps that other threads may come between. Only debug builds and `make test-optimised` have it; the caller must hold no lock.
///
/// A test that decides the order of everything (``TaskPlacement``) decides here too which task goes first.
@inlinable @inline(__always)
package func interleavingPoint() {
    #if DEBUG
        mayPreempt()
    #endif
}

#if DEBUG
    @usableFromInline func mayPreempt() { (TaskPlacement.executor as? any PreemptingExecutor)?.mayPreempt() }
#endif
