// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Returns the values with which a completion handler is called, as long as any code holds it.
///
/// ```swift
/// let results = await calls { handler in storage.retrieve("a", completion: handler) }
/// ```
///
/// Returns when the handler has been released, for no code can call it after that: neither a first time nor a second.
func calls<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> [Value] {
    let calls = Calls<Value>()
    await withCheckedContinuation { continuation in
        let end = End { continuation.resume() }
        start { value in withExtendedLifetime(end) { calls.add(value) } }
    }
    return calls.values
}

/// Collects the values with which a handler is called.
final class Calls<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func add(_ value: Value) { state.withLock { $0.append(value) } }

    func takeAll() -> [Value] {
        state.withLock { values in
            defer { values = [] }
            return values
        }
    }
}

/// Says when the last reference to it is gone.
private final class End: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
