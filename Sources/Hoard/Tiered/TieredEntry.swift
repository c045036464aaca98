// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// An entry of a ``TieredCache``'s memory tier. Immutable but for notes of what has been checked.
@usableFromInline final class TieredEntry<Value: Sendable>: Sendable {
    /// `nil`: the source has no value.
    @usableFromInline let value: Value?

    // What needs less than a word lies together: there is one of these objects for every entry in memory.

    /// ``Ticks/spread``. It weighs a chance, for which 32 bits are enough.
    private let spread: Float

    /// Whether there are tags, or a partition, by which the entry can be invalidated.
    @usableFromInline let hasTags: Bool

    /// The tick from which a reader has to look closer than at this number; `Int64.max` for never. Negative entries are always looked at closer.
    @usableFromInline let attention: Int64

    /// The ``TagMarks`` era in which the entry was last known to be untouched by invalidations.
    @usableFromInline let checkedEra: Atomic<UInt64>

    /// The era in which the entry was published.
    let bornEra: UInt64
    let terms: EntryTerms

    private let created: Int64
    private let fresh: Int64
    private let earlyRefresh: Int64

    var ticks: Ticks { Ticks(created: created, fresh: fresh, earlyRefresh: earlyRefresh, spread: Double(spread)) }

    /// The terms in ticks.
    struct Ticks: Sendable {
        var created: Int64
        /// When the value stops being fresh; `Int64.max` for never.
        var fresh: Int64
        /// When a background load is due while the value is still fresh; `Int64.max` for never.
        var earlyRefresh = Int64.max
        /// For refreshes at random: by how many nanoseconds a chance of 1/e is ahead of the end (XFetch's β·Δ). 0: never.
        var spread = 0.0
    }

    init(value: Value?, terms: EntryTerms, ticks: Ticks, era: UInt64) {
        self.value = value
        self.terms = terms
        created = ticks.created
        fresh = ticks.fresh
        earlyRefresh = ticks.earlyRefresh
        spread = Float(ticks.spread)
        hasTags = terms.hasLabels
        bornEra = era
        checkedEra = Atomic(era)
        // Earlier than so many spreads before the end, the chance of a refresh is less than one in 10^9.
        let earliestChance = ticks.spread > 0 ? Int64(clamping: Double(ticks.fresh) - ticks.spread * 21) : .max
        // Far enough from the end of the range for the clock's lag to be subtracted.
        attention = max(Self.always, value == nil ? .min : min(ticks.fresh, ticks.earlyRefresh, max(earliestChance, ticks.created)))
    }

    /// Earlier than any tick.
    private static var always: Int64 { .min / 2 }

    /// Whether the value may be used without asking its source.
    func isFresh(at now: Int64) -> Bool { now < fresh }

    /// Whether the value, stale, may be used for so long.
    func isUsable(at now: Int64, staleFor duration: Duration) -> Bool {
        now < fresh.addingSaturated(duration.saturatingNanoseconds)
    }

    var cached: CachedValue<Value>? { value.map { CachedValue($0, terms: terms) } }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}
