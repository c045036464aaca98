// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Shard {
    /// The result of a read.
    @usableFromInline enum Reading {
        case hit(Value)
        case negative
        case miss
        /// The time is too near to the deadline to decide with a coarse clock; nothing was counted.
        case needsExactTime
        /// The entry's time was up. It has been removed.
        case expired(Departures<Key, Value>.Departure)
    }

    /// Looks a key up and counts a use.
    ///
    /// - Parameters:
    ///   - now: The time, at most `lag` behind. Not looked at unless the shard has entries that expire.
    @inlinable @inline(__always)
    mutating func read(_ key: Key, hash: UInt64, now: Int64, lag: Int64) -> Reading {
        read(table.find(key, hash: UInt32(truncatingIfNeeded: hash)), now: now, lag: lag)
    }

    /// Reads the entry that a look-up found, and counts a use.
    @inlinable @inline(__always)
    mutating func read(_ slot: Slot, now: Int64, lag: Int64) -> Reading {
        guard slot != .none else {
            otherStatistics.misses &+= 1
            return .miss
        }
        let flags = table.slots.flags(of: slot)
        if isSpecial(flags, now: now, lag: lag) { return readSlowly(slot, now: now, lag: lag) }
        table.slots.countUse(of: slot, flags)
        hits &+= 1
        return .hit(table.value(at: slot))
    }

    /// Whether an entry may be negative, or at its end by a time that may be `lag` behind.
    @inlinable @inline(__always)
    func isSpecial(_ flags: SlotFlags, now: Int64, lag: Int64) -> Bool { flags.isSpecial || SlotTicks.tick(now &+ lag) >= table.slots.horizon }

    /// The same for an entry that may be at its end, or negative.
    @inlinable mutating func readSlowly(_ slot: Slot, now: Int64, lag: Int64) -> Reading {
        moveHorizon(now)
        let deadline = table.slots.deadline(of: slot)
        if deadline <= now {
            otherStatistics.misses &+= 1
            otherStatistics.expirations &+= 1
            return .expired(remove(slot, cause: .expired))
        }
        if lag > 0, deadline &- now < lag { return .needsExactTime }
        let flags = table.slots.flags(of: slot)
        noteUse(of: slot, flags, now: now)
        if flags.isNegative {
            otherStatistics.negativeHits &+= 1
            return .negative
        }
        hits &+= 1
        return .hit(table.value(at: slot))
    }

    /// Has the timer wheel mark the entries that expire next, if the time for that has come.
    @inlinable mutating func moveHorizon(_ now: Int64) {
        if SlotTicks.tick(now) >= table.slots.horizon, rules.accessLifetime == 0 { advanceWheel(to: now) }
    }

    @inlinable mutating func noteUse(of slot: Slot, _ flags: SlotFlags, now: Int64) {
        table.slots.countUse(of: slot, flags)
        let deadline = table.slots.deadline(of: slot)
        // A negative entry ends after its own time, or a key that is asked for often would stay absent for ever.
        guard rules.accessLifetime > 0, deadline < .max, !flags.isNegative else { return }
        // The timer wheel finds out when the timer comes up.
        let later = CacheClock.deadline(rules.accessLifetime, after: now)
        if later > deadline { table.slots.setDeadline(later, of: slot) }
    }

    /// A value that was used, and its entry's times from then on.
    @usableFromInline typealias Use = (value: Value, times: (written: Int64, deadline: Int64))

    /// The value of a key that has not expired by `now`. Counts as a use, but neither as a hit nor as a miss.
    @inlinable mutating func use(_ key: Key, hash: UInt64, now: Int64) -> Use? {
        let slot = peekValue(key, hash: hash, now: now)
        guard slot != .none else { return nil }
        noteUse(of: slot, table.slots.flags(of: slot), now: now)
        return (table.value(at: slot), times(at: slot))
    }

    /// The value of a key that has not expired by `now`, for an update of it. Counts nothing.
    @inlinable mutating func beginUpdate(of key: Key, hash: UInt64, now: Int64) -> Value? {
        updates.begin(key)
        let slot = peekValue(key, hash: hash, now: now)
        return slot == .none ? nil : table.value(at: slot)
    }

    /// Whether the access is to be noted.
    @inlinable @inline(__always)
    func isNoted(_ hash: UInt64) -> Bool {
        UInt32(UInt16(truncatingIfNeeded: hash)) < noteThreshold
    }

    /// The slot of a key that has not expired by `now`, or `none`. Counts nothing.
    @inlinable func peek(_ key: Key, hash: UInt64, now: Int64) -> Slot {
        let slot = table.find(key, hash: UInt32(truncatingIfNeeded: hash))
        guard slot != .none else { return .none }
        return isSpecial(table.slots.flags(of: slot), now: now, lag: 0) && table.slots.deadline(of: slot) <= now ? .none : slot
    }

    /// The same, or `none` if the entry is negative.
    @inlinable func peekValue(_ key: Key, hash: UInt64, now: Int64) -> Slot {
        let slot = peek(key, hash: hash, now: now)
        return slot == .none || table.slots.flags(of: slot).isNegative ? .none : slot
    }
}

extension Shard {
    /// Notes a read for the tuner's sample and for the recorder. Returns whether the tuner has to take the samples in.
    @inlinable @inline(__always)
    mutating func note(_ hash: UInt64, _ outcome: ReadOutcome) -> Bool {
        let isSampled = UInt16(truncatingIfNeeded: hash) < sampleThreshold
        if !isSampled, outcome != .undecided, recording?.appendIfRoom(outcome.recordedKind, hash) == true { return false }
        return noteSlowly(hash, outcome)
    }

    /// The same for a read that is not only to be recorded, or whose recording takes more than a word.
    @inlinable @inline(never)
    mutating func noteSlowly(_ hash: UInt64, _ outcome: ReadOutcome) -> Bool {
        guard outcome != .undecided else { return false }
        record(outcome.recordedKind, hash)
        guard outcome != .negative, UInt16(truncatingIfNeeded: hash) < sampleThreshold else { return false }
        samples.append(UInt32(truncatingIfNeeded: hash), wasHit: outcome == .hit)
        return samples.isFull
    }
}

/// The result of a read without its value, as it is noted.
@usableFromInline enum ReadOutcome: UInt8 {
    case hit
    case negative
    case miss
    /// See ``Shard/Reading/needsExactTime``.
    case undecided

    @inlinable @inline(__always)
    var recordedKind: UInt64 { self == .miss ? AccessBuffer.miss : AccessBuffer.hit }
}

extension Shard.Reading {
    @inlinable @inline(__always)
    var outcome: ReadOutcome {
        switch self {
        case .hit: .hit
        case .negative: .negative
        case .miss, .expired: .miss
        case .needsExactTime: .undecided
        }
    }
}
