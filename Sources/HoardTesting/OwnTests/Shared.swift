// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A variable that many tasks may use at once.
package final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    package func update<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        state.withLock(body)
    }
}
