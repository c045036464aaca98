// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// The watchers of others' changes, told by one thread at a time.
///
/// Invalidations come from the connection's thread, from those of several connections in a cluster, and from tasks. They are told one after the
/// other, in the order in which they came. The thread that brings one while no other thread tells goes on telling until none is left.
final class InvalidationWatchers: Sendable {
    private struct State {
        var waiting: [StoreInvalidation] = []
        var isTelling = false
    }

    /// If more invalidations wait to be told, one of everything takes their place.
    static let maximumWaitingCount = 65_536

    private let watchers = StoreWatchers()
    private let state = Mutex(State())

    func watch(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch { watchers.add(onChange) }

    /// A new stream. Ends when the store is closed.
    func makeStream() -> AsyncStream<StoreInvalidation> { watchers.makeStream() }

    /// Tells all watchers. Returns before that is done if another thread tells already.
    func tell(_ invalidations: [StoreInvalidation]) {
        if invalidations.isEmpty || watchers.isEmpty { return }
        let mustTell = state.withLock { state in
            state.waiting += invalidations
            if state.waiting.count > Self.maximumWaitingCount { state.waiting = [.everything] }
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard mustTell else { return }
        while let waiting = takeWaiting() {
            for invalidation in waiting { watchers.tell(invalidation) }
        }
    }

    /// Takes the invalidations to be told next; `nil` if there are none, and then the next thread that brings one tells.
    private func takeWaiting() -> [StoreInvalidation]? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isTelling = false
                return nil
            }
            return exchange(&state.waiting, with: [])
        }
    }

    func finish() { watchers.finish() }
}
