// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets no more than so many images be decoded at once; the others wait in the order in which they came.
///
/// Decoding keeps a thread busy and takes memory, so that without a bound a list that is scrolled would take all of both.
final class DecodingSlots: Sendable {
    private struct State {
        var free: Int
        var lastID = 0
        var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter count: At least 1.
    init(count: Int) {
        state = Mutex(State(free: max(1, count)))
    }

    /// Runs `body` when there is a free slot.
    ///
    /// - Throws: The error of `body`; an error with the code `cancelled` if the task is cancelled before.
    func run<Output: Sendable>(_ body: () throws(ImageError) -> Output) async throws(ImageError) -> Output {
        guard await take() else { throw ImageError.cancelled }
        defer { giveBack() }
        return try body()
    }

    /// Runs `body` if there is a free slot.
    ///
    /// - Returns: `nil` if there is none.
    func runNow<Output>(_ body: () -> Output) -> Output? {
        let isFree = state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
        guard isFree else { return nil }
        defer { giveBack() }
        return body()
    }

    /// The number of free slots. For tests.
    var freeCount: Int { state.withLock { $0.free } }

    /// The number of callers that wait for a slot. For tests.
    var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// Waits for a slot. Returns whether the caller has one.
    func take() async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasSlot: Bool = state.withLock { state in
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((id, continuation))
                    return false
                }
                if hasSlot { continuation.resume(returning: true) }
                // A cancellation that came before the continuation was registered found no caller to wake.
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }

    private func leave(_ id: Int) {
        let left = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
        }
        left?.resume(returning: false)
    }
}
