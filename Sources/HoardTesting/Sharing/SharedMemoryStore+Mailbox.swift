// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

extension SharedMemoryStore {
    /// The changes that a connection has not heard of yet.
    final class Mailbox: Sendable {
        struct State: Sendable {
            var pending: [StoreInvalidation] = []
            var generator = SeededGenerator(seed: 0)
        }

        /// The most changes that are kept. Beyond that they are lost.
        static var maximumCount: Int { 10_000 }

        let watchers = StoreWatchers()
        private let delivery: Delivery
        private let state = Mutex(State())

        init(_ delivery: Delivery) {
            self.delivery = delivery
            if case .random(let seed, _) = delivery { state.withLock { $0.generator = SeededGenerator(seed: seed) } }
        }

        var pendingCount: Int { state.withLock { $0.pending.count } }

        func post(_ invalidation: StoreInvalidation) {
            if case .atOnce = delivery { return watchers.tell(invalidation) }
            state.withLock { state in
                if state.pending.count >= Self.maximumCount { state.pending = [.everything] } else { state.pending.append(invalidation) }
            }
        }

        /// - Returns: How many changes were told.
        func deliver(atMost count: Int) -> Int {
            let due = state.withLock { state in
                let due = Array(state.pending.prefix(max(0, count)))
                state.pending.removeFirst(due.count)
                return due
            }
            for invalidation in due { watchers.tell(invalidation) }
            return due.count
        }

        func lose() {
            state.withLock { $0.pending = [] }
            watchers.tell(.everything)
        }

        /// The connection is used.
        func deliverAtRandom() {
            guard case .random(_, let lossProbability) = delivery else { return }
            let (count, isLost) = state.withLock { state in
                guard !state.pending.isEmpty else { return (0, false) }
                return (
                    Int.random(in: 0...state.pending.count, using: &state.generator),
                    Double.random(in: 0..<1, using: &state.generator) < lossProbability
                )
            }
            if isLost { lose() } else { _ = deliver(atMost: count) }
        }
    }
}

/// Deciding when a connection hears of the others' changes.
extension SharedMemoryStore.Connection {
    /// The number of changes of which the connection has not heard yet.
    public var pendingCount: Int { mailbox.pendingCount }

    /// Lets the connection hear of changes, the oldest first. Returns when its watchers have been told.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func deliver(atMost count: Int) -> Int { mailbox.deliver(atMost: count) }

    /// Lets the connection hear of everything that the others have changed so far.
    public func deliverAll() { _ = mailbox.deliver(atMost: .max) }

    /// Loses the changes that the connection has not heard of yet. It hears of a change of everything instead.
    public func lose() { mailbox.lose() }

    /// Cuts the connection off: every operation fails, and it hears of a change of everything.
    public func disconnect() {
        state.withLock { $0.isConnected = false }
        mailbox.lose()
    }

    /// Connects again. A write that began before is not made any more, unless it is to be made whatever others have
    /// changed.
    public func reconnect() {
        let sequence = server.state.withLock { $0.changes.sequence }
        state.withLock { state in
            state.isConnected = true
            state.floor = sequence + 1
        }
        // A position from now on is later than those from before.
        server.note([.init(key: SharedMemoryStore.Connection.markerKey)], by: id)
        mailbox.lose()
    }

    /// A key that no caller uses, whose change makes positions grow.
    private static var markerKey: RecordKey { RecordKey(bytes: [UInt8](repeating: 0, count: RecordKey.maximumByteCount + 1)) }
}
