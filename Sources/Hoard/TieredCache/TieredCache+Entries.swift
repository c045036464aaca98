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
    /// Creates an entry for the memory tier, with its terms in ticks from now on.
    ///
    /// Call it before the publication, outside the lock. If one of its tags is invalidated in between, its fence is broken and it is not published.
    @inlinable func entry(_ value: Value?, terms: EntryTerms, earlyRefresh: CachePolicy.EarlyRefresh? = nil) -> TieredEntry<Value> {
        let era = currentEra(hasTags: terms.hasLabels)
        let rule = earlyRefresh ?? configuration.policy.earlyRefresh
        let ticks = EntryTicks(terms, now: clock.now(), tick: ticker.nanoseconds(), earlyRefresh: rule)
        return TieredEntry(value: value, terms: terms, ticks: ticks, era: era)
    }

    /// Prepares an entry for the memory tier. Runs the weigher.
    ///
    /// - Parameter weight: The weight. `nil`: the weigher computes it.
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
