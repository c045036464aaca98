// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The time until which one exchange may last, from the call to the last byte of the response's body.
struct ExchangeDeadline: Sendable {
    private let queue: DeadlineQueue
    private let end: Int64
    let error: ClientError

    /// - Throws: ``ClientError`` if there is no time at all.
    init(after timeout: Duration, queue: DeadlineQueue, ticker: any Ticker) throws(ClientError) {
        error = ClientError(.deadlineExceeded, "The exchange took longer than \(timeout).")
        guard timeout > .zero else { throw error }
        self.queue = queue
        end = ticker.nanoseconds().addingSaturated(timeout.saturatingNanoseconds)
    }

    /// Calls `action` when the time is over, unless it is cancelled before.
    func schedule(_ action: @escaping @Sendable () -> Void) -> DeadlineQueue.Token {
        queue.schedule(at: end, action)
    }

    func cancel(_ token: DeadlineQueue.Token) {
        queue.cancel(token)
    }

    /// The result of `operation`, or an error as soon as the time is over or the caller's task is cancelled. Then the operation is cancelled,
    /// and not waited for.
    func run<Success: Sendable>(
        _ operation: @escaping @Sendable () async throws(ClientError) -> Success
    ) async throws(ClientError) -> Success {
        let answer = FirstAnswer<Result<Success, ClientError>>()
        let work = startTask {
            do throws(ClientError) {
                answer.answer(.success(try await operation()))
            } catch {
                answer.answer(.failure(error))
            }
        }
        let token = schedule { [error] in
            if answer.answer(.failure(error)) { work.cancel() }
        }
        defer { cancel(token) }
        return try await withTaskCancellationHandler {
            await passingPriority(to: work) { await answer.value() }
        } onCancel: {
            if answer.answer(.failure(ClientError(.cancelled, "The request was cancelled."))) { work.cancel() }
        }.get()
    }
}
