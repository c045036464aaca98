// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Lifetimes that are computed for each entry, when it is written and when it is read.
    ///
    /// ```swift
    /// let sessions = Cache<String, Session>(
    ///     configuration: .init(
    ///         maximumCount: 10_000,
    ///         variableExpiration: .init(
    ///             afterWrite: { _, session in session.isTrusted ? .seconds(3600) : .seconds(60) },
    ///             afterRead: { _, session, _ in session.isTrusted ? .seconds(3600) : nil }
    ///         )
    ///     )
    /// )
    /// ```
    ///
    /// Both functions run outside all locks, on the thread that writes or reads, and may use the cache. The `expiresAfter` of a write takes
    /// precedence over `afterWrite`.
    public struct VariableExpiration: Sendable {
        /// Returns how long an entry lives after it was written; `nil` for as long as ``Configuration/expiration`` says. With zero or less it is not kept.
        public let afterWrite: @Sendable (Key, Value) -> Duration?

        /// Returns how long an entry lives from now on, since it was read; `nil` if the read changes nothing. It is given the time that is left, or `nil` if the entry does not
        /// expire. With zero or less the entry expires at once.
        ///
        /// If the entry is written, or read by another thread, while the function runs, its result is ignored.
        public let afterRead: (@Sendable (Key, Value, _ timeLeft: Duration?) -> Duration?)?

        /// - Parameter afterRead: `nil`: reads change nothing, and cost nothing more. Otherwise each hit takes another short lock.
        public init(
            afterWrite: @escaping @Sendable (Key, Value) -> Duration?,
            afterRead: (@Sendable (Key, Value, _ timeLeft: Duration?) -> Duration?)? = nil
        ) {
            self.afterWrite = afterWrite
            self.afterRead = afterRead
        }
    }

    /// Reads like ``value(forKey:)``, and lets the user's function say when the entry expires.
    @inlinable @inline(never)
    func valueWithComputedLifetime(_ key: Key, hash: UInt64) -> Value? {
        let now = clock.now()
        var times: (written: Int64, deadline: Int64)?
        let reading = read(key, hash: hash, now: now, lag: 0) { times = $0.times(of: key, hash: hash, now: now) }
        switch reading {
        case .hit(let value):
            putOff(key, hash: hash, value: value, from: times, now: now)
            return value
        case .miss, .negative, .needsExactTime: return nil
        case .expired(let departure):
            report(departure)
            return nil
        }
    }

    /// Lets the user's function say when an entry that was just read expires.
    ///
    /// - Parameter times: The entry's times when the value was read: another value may have come since.
    @inlinable @inline(never)
    func putOff(_ key: Key, hash: UInt64, value: Value, from times: (written: Int64, deadline: Int64)?, now: Int64) {
        guard let afterRead = configuration.variableExpiration?.afterRead, let times else { return }
        let timeLeft: Duration? = times.deadline == .max ? nil : .nanoseconds(times.deadline - now)
        guard let lifetime = afterRead(key, value, timeLeft)?.saturatingNanoseconds else { return }
        let deadline = CacheClock.deadline(lifetime, after: clock.now())
        cells.withShard(for: hash) { $0.putOff(key, hash: hash, from: times, to: deadline) }
    }
}

extension Shard {
    /// When an entry was written and when it expires; `nil` if there is none that lives.
    @inlinable func times(of key: Key, hash: UInt64, now: Int64) -> (written: Int64, deadline: Int64)? {
        let slot = peekValue(key, hash: hash, now: now)
        return slot == .none ? nil : times(at: slot)
    }

    @inlinable func times(at slot: Slot) -> (written: Int64, deadline: Int64) {
        (table.slots.writeTime(of: slot) ?? 0, table.slots.deadline(of: slot))
    }

    /// Changes the deadline of an entry, unless its times are no longer the given ones.
    @inlinable mutating func putOff(_ key: Key, hash: UInt64, from times: (written: Int64, deadline: Int64), to deadline: Int64) {
        let slot = table.find(key, hash: UInt32(truncatingIfNeeded: hash))
        guard slot != .none, self.times(at: slot) == times else { return }
        setTimes(of: slot, deadline: deadline, written: times.written)
    }
}
