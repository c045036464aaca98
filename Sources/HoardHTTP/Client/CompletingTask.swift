// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// A task whose result goes to a completion handler, once: also if it is cancelled.
package final class CompletingTask: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Starts `operation`, and calls `completion` once.
    ///
    /// - Parameter cancellation: The error that the handler gets if the task is cancelled before it has a result.
    package init<Value: Sendable, Failure: Error>(
        completingOn context: CompletionContext,
        ifCancelled cancellation: Failure,
        _ completion: @escaping @Sendable (Result<Value, Failure>) -> Void,
        _ operation: @escaping @Sendable () async throws(Failure) -> Value
    ) {
        let completion = Completion(completion, context)
        let work = startTask {
            do throws(Failure) {
                completion.complete(.success(try await operation()))
            } catch {
                completion.complete(.failure(error))
            }
        }
        onCancel = {
            completion.complete(.failure(cancellation))
            work.cancel()
        }
    }

    /// Cancels the task: the handler is told at once, unless it has got something already. Calling it again does nothing.
    package func cancel() {
        onCancel()
    }
}

/// Calls a handler once.
private final class Completion<Value: Sendable, Failure: Error>: Sendable {
    private let handler: Mutex<(@Sendable (Result<Value, Failure>) -> Void)?>
    private let context: CompletionContext

    init(_ handler: @escaping @Sendable (Result<Value, Failure>) -> Void, _ context: CompletionContext) {
        self.handler = Mutex(handler)
        self.context = context
    }

    func complete(_ result: Result<Value, Failure>) {
        let taken = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        guard let taken else { return }
        context.run { taken(result) }
    }
}
