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
    @inlinable func entry(_ value: Value?, terms: EntryTerms, earlyRefresh: CachePolicy.EarlyRefresh? = nil) -> TieredEntry<Value> {
        let era = currentEra(hasTags: terms.hasLabels)
        let rule = earlyRefresh ?? configuration.policy.earlyRefresh
        let ticks = EntryTicks(terms, now: clock.now(), tick: ticker.nanoseconds(), earlyRefresh: rule)
        return TieredEntry(value: value, terms: terms, ticks: ticks, era: era)
    }

    /// The entry as the memory tier takes it. Runs the weigher.
    ///
    /// - Parameter weight: Takes the weigher's place.
    @inlinable func memoryEntry(_ entry: TieredEntry<Value>, forKey key: Key, weight: Int? = nil) -> NewEntry<TieredEntry<Value>> {
        memory.entry(
            for: entry,
            key: key,
            weight: entry.value.flatMap { value in weight ?? configuration.weigher.map { $0(key, value) } },
            expiresAfter: entry.terms.keptFor(from: clock.now())
        )
    }

    /// The natural logarithm.
    func logarithm(_ number: Double) -> Double { log(number) }
}
