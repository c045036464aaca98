// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import Synchronization

extension FakeTransport {
    /// Keeps answers back until it is released, so that a test can let other things happen first.
    ///
    /// ```swift
    /// let hold = transport.hold { $0.head.method == .get }
    /// async let page = client.get(url)
    /// await hold.arrivals(1)           // the origin has answered, and the answer is on its way
    /// _ = try await client.send(post)
    /// hold.release()                   // now it arrives
    /// ```
    public final class Hold: Sendable {
        private struct Observer {
            let id: Int
            let count: Int
            let continuation: CheckedContinuation<Void, Never>
        }

        private struct State {
            var isReleased = false
            var arrivalCount = 0
            var lastID = 0
            var held: [Int: CheckedContinuation<Bool, Never>] = [:]
            var observers: [Observer] = []
        }

        let isHeld: @Sendable (Request) -> Bool
        private let state = Mutex(State())

        init(_ isHeld: @escaping @Sendable (Request) -> Bool) {
            self.isHeld = isHeld
        }

        /// Suspends until this many answers have arrived at the hold, released ones included, or the task is cancelled.
        public func arrivals(_ count: Int) async {
            let id = nextID()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let haveArrived = state.withLock { state in
                        if state.arrivalCount < count { state.observers.append(Observer(id: id, count: count, continuation: continuation)) }
                        return state.arrivalCount >= count
                    }
                    if haveArrived { continuation.resume() }
                    // A cancellation that came before the continuation was registered found no caller to wake.
                    if Task.isCancelled { stopObserving(id) }
                }
            } onCancel: {
                stopObserving(id)
            }
        }

        /// The number of answers kept back now.
        public var heldCount: Int { state.withLock { $0.held.count } }

        /// Lets all answers go on, and those that come later. Releasing again does nothing.
        public func release() {
            let held = state.withLock { state in
                state.isReleased = true
                defer { state.held = [:] }
                return state.held.values
            }
            for continuation in held { continuation.resume(returning: true) }
        }

        /// Waits until the hold is released.
        ///
        /// - Throws: An error with the code `cancelled` if the task is cancelled before.
        func pass() async throws(TransportError) {
            let id = nextID()
            let mayGoOn = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    arrive(id, continuation)
                    // As above.
                    if Task.isCancelled { leave(id) }
                }
            } onCancel: {
                leave(id)
            }
            guard mayGoOn else { throw TransportError(.cancelled, "The request was cancelled while its answer was held.") }
        }

        private func arrive(_ id: Int, _ continuation: CheckedContinuation<Bool, Never>) {
            let (isReleased, due) = state.withLock { state in
                state.arrivalCount += 1
                if !state.isReleased { state.held[id] = continuation }
                let count = state.arrivalCount
                let due = state.observers.filter { $0.count <= count }
                state.observers.removeAll { $0.count <= count }
                return (state.isReleased, due)
            }
            if isReleased { continuation.resume(returning: true) }
            for observer in due { observer.continuation.resume() }
        }

        private func nextID() -> Int {
            state.withLock { state in
                state.lastID += 1
                return state.lastID
            }
        }

        private func stopObserving(_ id: Int) {
            let observer = state.withLock { state in
                state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0) }
            }
            observer?.continuation.resume()
        }

        private func leave(_ id: Int) {
            state.withLock { $0.held.removeValue(forKey: id) }?.resume(returning: false)
        }
    }
}
