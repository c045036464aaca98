// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Dispatch
internal import Hoard

/// The place where a completion handler is called.
public struct CompletionContext: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// On a dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> CompletionContext {
        CompletionContext { action in queue.async(execute: action) }
    }

    /// On the main actor.
    public static var main: CompletionContext {
        CompletionContext { action in startTask { @MainActor in action() } }
    }

    /// On the thread where the result arrives, for short handlers.
    public static var anywhere: CompletionContext {
        CompletionContext { action in action() }
    }
}

/// A request under way whose result goes to a completion handler. Dropping it does not cancel it.
public final class NetworkTask: Sendable {
    private let task: CompletingTask

    /// Starts `operation`, and calls `completion` once.
    init<Value: Sendable>(
        completingOn context: CompletionContext,
        _ completion: @escaping @Sendable (Result<Value, NetworkError>) -> Void,
        _ operation: @escaping @Sendable () async throws(NetworkError) -> Value
    ) {
        let cancellation = NetworkError(.cancelled, "The request was cancelled.")
        task = CompletingTask(completingOn: context, ifCancelled: cancellation, completion, operation)
    }

    /// Cancels the request. Its handler gets the error `cancelled`, unless it has already been called. Calling it again does nothing.
    public func cancel() {
        task.cancel()
    }
}
