// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// An entry of a ``TieredCache``'s memory tier. Immutable, except for the note of its last check.
@usableFromInline final class TieredEntry<Value: Sendable>: Sendable {
    /// `nil`: the source has no value.
    @usableFromInline let value: Value?

    // Fields smaller than a word lie together: each entry in memory has one of these objects.

    /// ``EntryTicks/spread``. It scales a probability, for which 32 bits are enough.
    @usableFromInline let spread: Float

    /// Whether the entry has tags, or a partition, by which it can be invalidated.
    @usableFromInline let hasTags: Bool

    /// Whether the source has not confirmed the value: ``TieredCache/showProvisionally(forKey:_:)``.
    @usableFromInline let isProvisional: Bool

    /// The tick from which a reader must check more than this number; `Int64.max` for never. Negative entries always need the closer look.
    @usableFromInline let attention: Int64

    /// The ``TagMarks`` era in which the entry was last known to be untouched by invalidations.
    @usableFromInline let checkedEra: Atomic<UInt64>

    /// The era in which the entry was published.
    @usableFromInline let bornEra: UInt64
    @usableFromInline let terms: EntryTerms

    @usableFromInline let created: Int64
    @usableFromInline let fresh: Int64
    @usableFromInline let earlyRefresh: Int64

    @inlinable var ticks: EntryTicks { EntryTicks(created: created, fresh: fresh, earlyRefresh: earlyRefresh, spread: Double(spread)) }

    @inlinable init(value: Value?, terms: EntryTerms, ticks: EntryTicks, era: UInt64, isProvisional: Bool = false) {
        self.value = value
        self.terms = terms
        created = ticks.created
        fresh = ticks.fresh
        earlyRefresh = ticks.earlyRefresh
        spread = Float(ticks.spread)
        hasTags = terms.hasLabels
        self.isProvisional = isProvisional
        bornEra = era
        checkedEra = Atomic(era)
        attention = ticks.attention(isNegative: value == nil)
    }

    /// Whether the value may be used without asking its source.
    @inlinable func isFresh(at now: Int64) -> Bool { now < fresh }

    /// Whether the value is fresh, or has been stale for less than `duration`.
    func isUsable(at now: Int64, staleFor duration: Duration) -> Bool {
        now < fresh.addingSaturated(duration.saturatingNanoseconds)
    }

    /// Whether this entry is fresh for as long as another one of the same age, or longer.
    @inlinable func isAsGood(as other: TieredEntry) -> Bool { fresh >= other.fresh || terms.created > other.terms.created }

    @inlinable var cached: CachedValue<Value>? { value.map { CachedValue($0, terms: terms) } }
}
