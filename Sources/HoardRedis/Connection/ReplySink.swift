// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The receiver of a reply.
///
/// The continuations are not checked ones, because those cost an allocation for each command. The guard is the queue of the connection:
/// the thread that completes a sink takes it out of the queue under the lock, once; see ``CommandQueue``.
enum ReplySink: Sendable {
    case single(UnsafeContinuation<Result<RESPValue, RedisError>, Never>)
    /// To be called on the thread that completes it.
    case callback(@Sendable (Result<RESPValue, RedisError>) -> Void)
    case part(ReplyGroup, Int)
    /// No receiver. The reply shows that the server is there.
    case heartbeat

    func complete(_ result: Result<RESPValue, RedisError>) {
        switch self {
        case .single(let continuation): continuation.resume(returning: result)
        case .callback(let callback): callback(result)
        case .part(let group, let index): group.complete(index, result)
        case .heartbeat: break
        }
    }

    /// Suspends until `start`'s sink is completed. `start` is called at once, and may complete it itself.
    static func wait(_ start: (ReplySink) -> Void) async -> Result<RESPValue, RedisError> {
        await withUnsafeContinuation { start(.single($0)) }
    }
}

/// The replies to several commands, which are awaited together. The first failure is that of all.
final class ReplyGroup: Sendable {
    private struct State {
        var replies: [RESPValue]
        var missing: Int
        var continuation: UnsafeContinuation<Result<[RESPValue], RedisError>, Never>?
    }

    private let state: Mutex<State>

    private init(count: Int, _ continuation: UnsafeContinuation<Result<[RESPValue], RedisError>, Never>) {
        state = Mutex(State(replies: Array(repeating: .null, count: count), missing: count, continuation: continuation))
    }

    func complete(_ index: Int, _ result: Result<RESPValue, RedisError>) {
        let finished = state.withLock { state -> (UnsafeContinuation<Result<[RESPValue], RedisError>, Never>, Result<[RESPValue], RedisError>)? in
            guard let continuation = state.continuation else { return nil }
            switch result {
            case .success(let reply):
                state.replies[index] = reply
                state.missing -= 1
                guard state.missing == 0 else { return nil }
            case .failure(let error):
                state.continuation = nil
                state.replies = []
                return (continuation, .failure(error))
            }
            state.continuation = nil
            return (continuation, .success(state.replies))
        }
        if let (continuation, result) = finished { continuation.resume(returning: result) }
    }

    /// Suspends until the group that `start` is given is complete. `start` is called at once, and may complete it itself.
    static func wait(count: Int, _ start: (ReplyGroup) -> Void) async -> Result<[RESPValue], RedisError> {
        await withUnsafeContinuation { start(ReplyGroup(count: count, $0)) }
    }
}
