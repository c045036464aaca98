// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The keys of a shard whose values are being computed from the present ones: see ``Cache/update(forKey:weight:expiresAfter:tags:_:)``.
///
/// Updates of one key take turns. Other writes do not wait for them; they leave a note here, which the update finds when it is about to write.
///
/// Not thread-safe; its shard's lock guards it. The turns themselves are waited for without that lock.
@usableFromInline struct UpdateTable<Key: Hashable & Sendable>: Sendable {
    /// An event since an update has read the value of its key.
    @usableFromInline enum Interference: Sendable {
        case none
        /// A value was written without a look at the old one. The update counts as done just before that, and writes nothing.
        case overtaken
        /// The value has left, or one was written because there was none, or by a load. The update has to look again.
        case interrupted
    }

    /// The right to update a key.
    @usableFromInline final class Turn: Sendable {
        @usableFromInline let mutex = Mutex(())

        @inlinable init() {}

        /// Waits for the updates that came before. Traps if the thread has the turn already.
        @inlinable func take<Result: Sendable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
            try mutex.withLock { (_) throws(Failure) -> Result in try body() }
        }
    }

    @usableFromInline struct Update: Sendable {
        @usableFromInline let turn = Turn()
        @usableFromInline var callerCount = 1
        @usableFromInline var interference = Interference.none

        @inlinable init() {}
    }

    @usableFromInline var updates: [Key: Update] = [:]

    @inlinable init() {}

    @inlinable var isEmpty: Bool { updates.isEmpty }

    /// Adds a caller to those that want to update a key. ``leave(_:)`` follows.
    @inlinable mutating func enter(_ key: Key) -> Turn {
        if let turn = updates[key]?.turn {
            updates[key]?.callerCount += 1
            return turn
        }
        let update = Update()
        // One that is not equal to itself, as NaN is not, would never be found again.
        if key == key { updates[key] = update }
        return update.turn
    }

    @inlinable mutating func leave(_ key: Key) {
        if let count = updates[key]?.callerCount, count > 1 { updates[key]?.callerCount = count - 1 } else { updates[key] = nil }
    }

    /// The caller whose turn it is reads the value now.
    @inlinable mutating func begin(_ key: Key) { updates[key]?.interference = .none }

    @inlinable func interference(with key: Key) -> Interference { updates[key]?.interference ?? .none }

    @inlinable mutating func overtake(_ key: Key) { note(.overtaken, key) }

    @inlinable mutating func interrupt(_ key: Key) { note(.interrupted, key) }

    @inlinable mutating func interruptAll() {
        for key in updates.keys { note(.interrupted, key) }
    }

    /// The first event decides.
    @inlinable mutating func note(_ interference: Interference, _ key: Key) {
        if case .none? = updates[key]?.interference { updates[key]?.interference = interference }
    }
}
