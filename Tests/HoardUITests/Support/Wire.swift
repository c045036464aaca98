// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Synchronization

/// Requests that are on their way until a test lets them arrive, or they are cancelled.
final class Wire: Sendable {
    private struct State {
        var isOpen = false
        var lastID = 0
        var waiting: [Int: (number: Int, continuation: CheckedContinuation<Bool, Never>)] = [:]
    }

    private let state = Mutex(State())

    /// The numbers of the requests that are on their way.
    var numbers: Set<Int> { state.withLock { Set($0.waiting.values.map(\.number)) } }

    /// - Returns: Whether the request has arrived; else it was cancelled.
    func pass(_ number: Int) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting[id] = (number, continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume(returning: true) }
                // A cancellation that came before found no task to wake.
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    /// Lets the request for a number arrive.
    func release(_ number: Int) { resume { $0.filter { $0.value.number == number }.map(\.key) } }

    /// Lets some requests arrive, which the generator chooses.
    func release(_ count: Int, using generator: inout SeededGenerator) {
        // In an order of their own, which is the same each time.
        var ids = state.withLock { $0.waiting.keys.sorted() }
        ids.shuffle(using: &generator)
        let released = ids.prefix(count)
        resume { _ in Array(released) }
    }

    /// Lets all requests arrive, also those to come.
    func open() {
        state.withLock { $0.isOpen = true }
        resume { Array($0.keys) }
    }

    /// Holds the requests to come.
    func close() { state.withLock { $0.isOpen = false } }

    private func leave(_ id: Int) { state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume(returning: false) }

    private func resume(_ ids: ([Int: (number: Int, continuation: CheckedContinuation<Bool, Never>)]) -> [Int]) {
        let released = state.withLock { state in ids(state.waiting).compactMap { state.waiting.removeValue(forKey: $0)?.continuation } }
        for continuation in released { continuation.resume(returning: true) }
    }
}
