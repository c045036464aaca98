// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An answer that is given once and waited for by one task. The first answer wins.
package final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case answered(Value)
        case taken
    }

    private let state = Mutex(State.open)

    package init() {}

    /// - Returns: Whether this was the first answer.
    @discardableResult
    package func answer(_ value: Value) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .open:
                state = .answered(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .taken
                return (true, continuation)
            case .answered, .taken:
                return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }

    /// Waits for the answer. To be called once. Does not react to cancellation.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let answered = state.withLock { state -> Value? in
                guard case .answered(let value) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                state = .taken
                return value
            }
            if let answered { continuation.resume(returning: answered) }
        }
    }
}
