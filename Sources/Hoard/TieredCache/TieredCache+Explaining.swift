// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state of a key in a ``TieredCache`` and its stores. See ``TieredCache/explain(_:)``.
public struct TieredCacheExplanation: Sendable {
    /// A tier's entry of a key.
    public struct Holding: Sendable {
        /// Whether the entry may be used without asking the source.
        public let isFresh: Bool
        /// Whether the entry is negative: the source has no value.
        public let isNegative: Bool
        /// The time since the entry was loaded or written, or last confirmed.
        public let age: Duration
        /// The time until the entry is stale, negative if it is stale already; `nil`: fresh for ever.
        public let freshFor: Duration?
        /// The time until the entry is dropped; `nil`: kept for ever.
        public let keptFor: Duration?
        /// The time, from now on, for which the value may be returned while it is refreshed in the background; zero if it may not.
        public let usableWhileRevalidating: Duration
        /// The time, from now on, for which the value may be returned because a new one cannot be loaded; zero if it may not.
        public let usableOnError: Duration
        /// Whether the source can be asked if the value is still right.
        public let hasValidator: Bool
        /// Labels by which the value can be removed or marked stale.
        public let tags: Set<String>
        /// The group that owns the value; `nil`: none.
        public let partition: String?
    }

    /// A store and its entry of the key.
    public struct Store: Sendable {
        /// The store's name.
        public let name: String
        /// The store's entry; `nil` if it has none that is valid now.
        public let holding: Holding?
        /// The reason for which the store was passed by; `nil` if it was asked.
        public let skipReason: StoreSkip.Reason?
        /// How the store is doing.
        public let health: StoreHealth
    }

    /// The state in the memory tier's engine: segment, weight, or why the entry left.
    public let entry: CacheExplanation
    /// Memory's entry; `nil` if it has none that is valid now.
    public let memory: Holding?
    /// The stores, nearest first.
    public let stores: [Store]
    /// Whether a load of the key is under way.
    public let isLoading: Bool
    /// Whether a write or removal of the key is under way.
    public let isBeingChanged: Bool
    /// The time for which a failed load keeps the source from being asked again; `nil` if there is none. It applies while there is a stale value
    /// and, if the loader asked to keep the failure, without one too.
    public let retryAfter: Duration?
}

extension TieredCache {
    /// Explains the state of a key in memory and in each store. Suspends. Counts as a use in the stores, not in memory; changes nothing else.
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
    /// A readable text with a line for each tier. Holds no key, no tag and no value.
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
    /// A readable text of one line. Holds no tag and no value.
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
