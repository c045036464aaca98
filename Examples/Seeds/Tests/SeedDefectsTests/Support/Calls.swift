// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a completion handler is called with, as long as anybody holds it.
///
/// ```swift
/// let results = await calls { handler in storage.retrieve("a", completion: handler) }
/// ```
///
/// Returns when the handler has been released, for nobody can call it after that: neither a first time nor a second.
func calls<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> [Value] {
    let calls = Calls<Value>()
    await withCheckedContinuation { continuation in
        let end = End { continuation.resume() }
        start { value in withExtendedLifetime(end) { calls.add(value) } }
    }
    return calls.values
}

/// Collects what a handler is called with.
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
