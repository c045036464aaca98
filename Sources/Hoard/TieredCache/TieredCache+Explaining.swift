// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a ``TieredCache`` and its stores know of a key. See ``TieredCache/explain(_:)``.
public struct TieredCacheExplanation: Sendable {
    /// What a tier has of a key.
    public struct Holding: Sendable {
        /// Whether it may be used without asking the source.
        public let isFresh: Bool
        /// Whether it says that the source has no value.
        public let isNegative: Bool
        /// Time since it was loaded or written, or last confirmed.
        public let age: Duration
        /// Time until it is stale, negative since when it is; `nil`: fresh for ever.
        public let freshFor: Duration?
        /// Time until it is dropped; `nil`: kept for ever.
        public let keptFor: Duration?
        /// How long, from now on, it may be returned while it is refreshed in the background; zero if it may not.
        public let usableWhileRevalidating: Duration
        /// How long, from now on, it may be returned because a new one cannot be loaded; zero if it may not.
        public let usableOnError: Duration
        public let hasValidator: Bool
        public let tags: Set<String>
        /// The group that owns the value; `nil`: none.
        public let partition: String?
    }

    /// A store and what it has of the key.
    public struct Store: Sendable {
        public let name: String
        /// `nil`: nothing that is valid now.
        public let holding: Holding?
        /// Why the store would be passed by; `nil` if it was asked.
        public let skipReason: StoreSkip.Reason?
        public let health: StoreHealth
    }

    /// What the memory tier's engine knows: segment, weight, or why the entry left.
    public let entry: CacheExplanation
    /// What memory has; `nil`: nothing that is valid now.
    public let memory: Holding?
    /// The stores, nearest first.
    public let stores: [Store]
    /// Whether a load of the key is under way.
    public let isLoading: Bool
    /// Whether a write or removal of the key is under way.
    public let isBeingChanged: Bool
    /// How long a failed load keeps the source from being asked again while there is a stale value, or, if its loader wanted the failure kept, at all; `nil`: not.
    public let retryAfter: Duration?
}

extension TieredCache {
    /// What memory and each store know of a key, and what would happen to it. Suspends. Counts as a use in the stores, not in memory; changes nothing else.
    public func explain(_ key: Key) async -> TieredCacheExplanation {
        let tick = ticker.nanoseconds()
        let inMemory = memory.peek(key).flatMap { checked($0, key: key) }
        let recordKey = naming.recordKey(for: key)
        var stores: [TieredCacheExplanation.Store] = []
        for tier in tiers {
            guard let recordKey else { break }
            var holding: TieredCacheExplanation.Holding?
            var skipReason: StoreSkip.Reason?
            switch await tier.record(forKey: recordKey) as StoreTier.Reading {
            case .record(let record):
                holding = self.holding(naming.terms(of: record), isNegative: record.isNegative)
            case .nothing: break
            case .skipped(let reason): skipReason = reason
            }
            stores.append(.init(name: tier.name, holding: holding, skipReason: skipReason, health: tier.health))
        }
        return TieredCacheExplanation(
            entry: memory.explain(key),
            memory: inMemory.map { holding($0.terms, isNegative: $0.value == nil) },
            stores: stores,
            isLoading: loads.isLoading(key),
            isBeingChanged: isBeingChanged(key),
            retryAfter: throttle.withLock { $0.retryTime(of: key, now: tick) }.map { .nanoseconds($0 &- tick) }
        )
    }

    private func holding(_ terms: EntryTerms, isNegative: Bool) -> TieredCacheExplanation.Holding {
        let now = clock.now()
        let freshFor = terms.freshUntil.map { now.duration(to: $0) }
        let keptFor = terms.staleUntil.map { now.duration(to: $0) }
        func usable(for duration: Duration) -> Duration {
            guard let freshFor, !isNegative, duration > .zero else { return .zero }
            return max(.zero, min(freshFor + min(duration, .seconds(9_000_000_000)), keptFor ?? .seconds(9_000_000_000)))
        }
        return .init(
            isFresh: freshFor.map { $0 > .zero } ?? true,
            isNegative: isNegative,
            age: terms.created.duration(to: now),
            freshFor: freshFor,
            keptFor: keptFor,
            usableWhileRevalidating: usable(for: terms.staleWhileRevalidate),
            usableOnError: usable(for: max(terms.staleIfError, terms.staleWhileRevalidate)),
            hasValidator: terms.validator != nil,
            tags: terms.tags,
            partition: terms.partition
        )
    }
}

extension TieredCacheExplanation: CustomStringConvertible {
    /// A line for each tier, for a person. Holds no key, no tag and no value.
    public var description: String {
        var lines = ["memory: \(memory.map(\.description) ?? entry.description)"]
        for store in stores {
            lines.append("\(store.name): \(store.holding?.description ?? store.skipReason.map { "passed by: \($0)" } ?? "nothing")")
        }
        if isLoading { lines.append("a load is under way") }
        if isBeingChanged { lines.append("a write or removal is under way") }
        if let retryAfter {
            lines.append("the last load has failed; while there is a stale value, or if the failure is kept, the next is in \(retryAfter)")
        }
        return lines.joined(separator: "\n")
    }
}

extension TieredCacheExplanation.Holding: CustomStringConvertible {
    /// One line for a person. Holds no tag and no value.
    public var description: String {
        var parts = [isNegative ? "known not to exist" : isFresh ? "fresh" : "stale", "age \(age)"]
        if let freshFor { parts.append(isFresh ? "fresh for \(freshFor)" : "stale since \(.zero - freshFor)") }
        if let keptFor { parts.append("kept for \(keptFor)") }
        if usableWhileRevalidating > .zero, !isFresh { parts.append("served while revalidating for \(usableWhileRevalidating)") }
        if usableOnError > .zero, !isFresh { parts.append("served on errors for \(usableOnError)") }
        if hasValidator { parts.append("can be revalidated") }
        if !tags.isEmpty { parts.append("\(tags.count) tags") }
        return parts.joined(separator: ", ")
    }
}
