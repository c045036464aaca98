// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What loaders and codecs throw in these tests.
struct TestError: Error, Equatable {
    var number = 0
}

/// A number that many tasks may count up at once.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Adds 1 and returns the sum.
    @discardableResult
    func increment() -> Int {
        number.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }

    func decrement() { number.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
}

/// A variable that many tasks may use at once.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func update<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        state.withLock(body)
    }
}

/// A value that tells when it is released, and runs what it was given just then.
final class Witness: Sendable {
    let number: Int
    private let onRelease: @Sendable (Int) -> Void

    init(_ number: Int = 0, onRelease: @escaping @Sendable (Int) -> Void) {
        self.number = number
        self.onRelease = onRelease
    }

    deinit { onRelease(number) }
}

/// Lets other tasks run until `condition` holds. Only for conditions that no event announces; the suite's time limit ends it otherwise.
func waitUntil(_ condition: () async throws -> Bool) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// The error of `body`, or `nil` if it throws none.
func error<Result>(of body: () async throws -> Result) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
