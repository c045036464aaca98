// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The terms of an entry in ticks of the cache's ticker, which changes of the system's date do not move.
@usableFromInline struct EntryTicks: Sendable {
    @usableFromInline var created: Int64
    /// The tick at which the value stops being fresh; `Int64.max` for never.
    @usableFromInline var fresh: Int64
    /// The tick at which a background load is due while the value is still fresh; `Int64.max` for never.
    @usableFromInline var earlyRefresh = Int64.max
    /// XFetch's β·Δ in nanoseconds, for refreshes at random: this long before the end, the chance of a refresh is 1/e. 0: no random refreshes.
    @usableFromInline var spread = 0.0

    @inlinable init(created: Int64, fresh: Int64, earlyRefresh: Int64, spread: Double) {
        self.created = created
        self.fresh = fresh
        self.earlyRefresh = earlyRefresh
        self.spread = spread
    }

    /// - Parameters:
    ///   - now: The date at `tick`.
    ///   - rule: Decides when a load is due while the value is still fresh.
    @usableFromInline init(_ terms: EntryTerms, now: Date, tick: Int64, earlyRefresh rule: CachePolicy.EarlyRefresh) {
        created = tick.addingSaturated(now.duration(to: terms.created).saturatingNanoseconds)
        fresh = terms.freshUntil.map { tick.addingSaturated(now.duration(to: $0).saturatingNanoseconds) } ?? .max
        setEarlyRefresh(rule, loadDuration: terms.loadDuration)
    }

    /// Returns these ticks with another rule for early refreshes.
    func with(_ rule: CachePolicy.EarlyRefresh, loadDuration: Duration?) -> Self {
        var ticks = self
        ticks.setEarlyRefresh(rule, loadDuration: loadDuration)
        return ticks
    }

    private mutating func setEarlyRefresh(_ rule: CachePolicy.EarlyRefresh, loadDuration: Duration?) {
        earlyRefresh = .max
        spread = 0
        guard fresh < .max else { return }
        switch rule.base {
        case .never: break
        case .fraction(let fraction):
            let lifetime = Double(max(0, fresh.subtractingSaturated(created)))
            // The policies of calls and loaders are not validated: a fraction that is not between 0 and 1 has no effect.
            guard fraction > 0, fraction < 1 else { break }
            earlyRefresh = created.addingSaturated(Int64(min(lifetime * fraction, 9e18)))
        case .probabilistic(let beta):
            spread = max(0, beta) * Double(max(0, loadDuration?.saturatingNanoseconds ?? 0))
        }
    }

    /// The tick from which a reader must check more than this number; `Int64.max` for never. Negative entries always need the closer look.
    @usableFromInline func attention(isNegative: Bool) -> Int64 {
        // Earlier than 21 spreads before the end, the chance of a refresh is less than one in 10^9.
        let earliestChance = spread > 0 ? Int64(clamping: Double(fresh) - spread * 21) : .max
        // Far enough from the end of the range that the clock's lag can be subtracted.
        return max(.min / 2, isNegative ? .min : min(fresh, earlyRefresh, max(earliestChance, created)))
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}
