// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A door that a test holds shut: tasks that pass it wait until the test opens it.
///
/// With gates a test puts concurrent work into a known order without ever sleeping.
///
/// ```swift
/// let gate = Gate()
/// async let user = cache.value(forKey: "42") { id in
///     await gate.pass()
///     return await database.user(id)
/// }
/// await gate.arrivals(1)          // the load is under way
/// cache.removeValue(forKey: "42")
/// gate.open()                     // now it may end
/// #expect(try await user == "Alan")
/// #expect(cache.peek("42") == nil)   // and does not undo the removal
/// ```
public final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var arrivalCount = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// The observers that have waited for no more arrivals than there are now.
        mutating func takeObservers() -> [CheckedContinuation<Void, Never>] {
            let due = observers.filter { $0.count <= arrivalCount }
            observers.removeAll { $0.count <= arrivalCount }
            return due.map(\.continuation)
        }
    }

    private let state: Mutex<State>

    /// Creates a gate, shut unless told otherwise.
    public init(isOpen: Bool = false) {
        state = Mutex(State(isOpen: isOpen))
    }

    /// Counts as an arrival, and suspends while the gate is shut. Does not react to cancellation.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, observers) = state.withLock { state in
                state.arrivalCount += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return (state.isOpen, state.takeObservers())
            }
            for observer in observers { observer.resume() }
            if isOpen { continuation.resume() }
        }
    }

    /// Suspends until `count` callers have arrived since the gate was created, those that have passed included.
    public func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                guard state.arrivalCount < count else { return true }
                state.observers.append((count, continuation))
                return false
            }
            if hasArrived { continuation.resume() }
        }
    }

    /// Lets all tasks pass that wait, and all that come later. Opening an open gate does nothing.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The number of callers that have arrived since the gate was created.
    public var arrivalCount: Int { state.withLock { $0.arrivalCount } }
}
