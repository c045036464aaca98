// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// An entry for the memory tier, its terms measured in ticks from now on.
    ///
    /// Made before it is published, outside the lock: if a tag of it is invalidated in between, its fence is broken and it is not published.
    func entry(_ value: Value?, terms: EntryTerms, earlyRefresh: CachePolicy.EarlyRefresh? = nil) -> TieredEntry<Value> {
        let era = currentEra(hasTags: terms.hasLabels)
        let (now, tick) = (clock.now(), ticker.nanoseconds())
        let ticks = TieredEntry<Value>.Ticks(
            created: tick.addingSaturated(now.duration(to: terms.created).saturatingNanoseconds),
            fresh: terms.freshUntil.map { tick.addingSaturated(now.duration(to: $0).saturatingNanoseconds) } ?? .max
        )
        let rule = earlyRefresh ?? configuration.policy.earlyRefresh
        return TieredEntry(value: value, terms: terms, ticks: self.earlyRefresh(rule, ticks, terms), era: era)
    }

    /// The ticks, with those for an early refresh.
    func earlyRefresh(_ rule: CachePolicy.EarlyRefresh, _ ticks: TieredEntry<Value>.Ticks, _ terms: EntryTerms) -> TieredEntry<Value>.Ticks {
        var ticks = ticks
        ticks.earlyRefresh = .max
        ticks.spread = 0
        guard ticks.fresh < .max else { return ticks }
        switch rule.base {
        case .never: break
        case .fraction(let fraction):
            let lifetime = Double(max(0, ticks.fresh.subtractingSaturated(ticks.created)))
            // The policies of calls and loaders are not validated: a fraction that is none has no effect.
            guard fraction > 0, fraction < 1 else { break }
            ticks.earlyRefresh = ticks.created.addingSaturated(Int64(min(lifetime * fraction, 9e18)))
        case .probabilistic(let beta):
            ticks.spread = max(0, beta) * Double(max(0, terms.loadDuration?.saturatingNanoseconds ?? 0))
        }
        return ticks
    }

    /// The entry as the memory tier takes it. Runs the weigher.
    func memoryEntry(_ entry: TieredEntry<Value>, forKey key: Key) -> NewEntry<TieredEntry<Value>> {
        let now = clock.now()
        return memory.entry(
            for: entry,
            key: key,
            weight: entry.value.flatMap { value in configuration.weigher.map { $0(key, value) } },
            expiresAfter: entry.terms.staleUntil.map { now.duration(to: $0) }
        )
    }

    /// The natural logarithm.
    func logarithm(_ number: Double) -> Double { log(number) }
}
