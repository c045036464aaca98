// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages
internal import NIOCore
internal import Synchronization

/// One request, on its way from the connection's channel handler to the task that answers it.
struct Exchange: Sendable {
    let request: HTTPServerRequest
    /// Whether the client may send another request on the connection.
    let keepsAlive: Bool
    let cancellation: ExchangeCancellation
    /// Begins to answer the request in the place of the ``ImmediateResponder``, if it was sent on before it was parsed.
    var begin: (@Sendable (HTTPServerRequest) -> ImmediateBeginning)?
    /// Answers the request instead of the server's handler.
    var answer: (@Sendable () async -> HTTPServerResponse)?
}

/// Lets the channel handler cancel the task that answers a request, whichever of the two comes first.
final class ExchangeCancellation: Sendable {
    private enum State {
        case waiting
        case attached(@Sendable () -> Void)
        case cancelled
    }

    private let state = Mutex(State.waiting)
    private let keptNote = Mutex<ExchangeNote?>(nil)

    /// The handler's remark on its answer.
    var note: ExchangeNote? {
        get { keptNote.withLock { $0 } }
        set { keptNote.withLock { $0 = newValue } }
    }

    /// Sets the action of `cancel`. If that has been called already, the action runs now.
    func attach(_ cancelTask: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .attached(cancelTask)
            return false
        }
        if isCancelled { cancelTask() }
    }

    /// Cancels the task, now or as soon as it exists.
    func cancel() {
        let previous = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        if case .attached(let cancelTask) = previous { cancelTask() }
    }
}
