// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The answer that a caller gets.
enum Answer<Value: Sendable>: Sendable {
    case value(Lookup<Value>)
    /// There is no value. Known: a negative entry says so.
    case absent(isKnown: Bool)

    var lookup: Lookup<Value>? {
        if case .value(let lookup) = self { lookup } else { nil }
    }

    var result: CacheRequestResult {
        switch self {
        case .absent(isKnown: true): .negative
        case .absent(isKnown: false): .miss
        case .value(let lookup): !lookup.isFresh ? .stale : lookup.tier == .loader ? .loaded : .hit
        }
    }
}

/// The result that a load brings its callers.
enum TieredLoad<Value: Sendable>: Sendable {
    case loaded(CachedValue<Value>)
    /// Another caller or process has brought the value meanwhile.
    case found(TieredEntry<Value>, CacheTier)
    /// The source has no value.
    case absent
    /// The loader has answered with a failure for this key of several.
    case failed(any Error)
    /// Nothing was loaded.
    case unknown
}

extension TieredCache {
    @usableFromInline typealias Loader = @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>

    /// A request for one key.
    struct Inquiry: Sendable {
        let key: Key
        var policy: CachePolicy
        /// Whether the policy came with the call.
        let isOwnPolicy: Bool
        var load: Loader?
        /// Whether the caller has no use for the knowledge that there is no value, and loads for itself then.
        var needsValue = false
        /// The place where a bulk call gathers the loads to run in the background. `nil`: a load is started at once.
        var refreshes: PendingRefreshes?
        /// Whether the caller shows the stale value already, and waits for something new.
        var isObservation = false

        /// The longest time for which a stale entry may be returned while it is refreshed, or because that fails.
        func staleWhileRevalidate(_ terms: EntryTerms) -> Duration {
            isObservation ? .zero : isOwnPolicy ? policy.staleWhileRevalidate : terms.staleWhileRevalidate
        }
        /// Whether the candidate may be returned because a new value cannot be loaded.
        func allowsStandIn(_ candidate: Candidate?, at tick: Int64) -> Bool {
            candidate.map { $0.entry.isUsable(at: tick, staleFor: staleIfError($0.entry.terms)) } ?? false
        }
        func staleIfError(_ terms: EntryTerms) -> Duration {
            isOwnPolicy ? max(policy.staleIfError, policy.staleWhileRevalidate) : max(terms.staleIfError, terms.staleWhileRevalidate)
        }
    }

    /// A request under a policy of its own, or the cache's.
    func inquiry(forKey key: Key, policy: CachePolicy?, load: Loader? = nil) -> Inquiry {
        Inquiry(key: key, policy: policy ?? configuration.policy, isOwnPolicy: policy != nil, load: load)
    }

    /// The same with a loader that always has a value.
    ///
    /// - Parameters:
    ///   - tags: Labels that a loaded value gets.
    ///   - keptPolicy: How a loaded value is kept. By default as the policy says.
    func inquiry(
        forKey key: Key,
        policy: CachePolicy?,
        tags: Set<String>,
        keptBy keptPolicy: CachePolicy? = nil,
        load: @escaping @Sendable (Key) async throws -> Value
    ) -> Inquiry {
        var inquiry = inquiry(forKey: key, policy: policy) { .value(try await load($0.key), tags: tags, policy: keptPolicy) }
        inquiry.needsValue = true
        return inquiry
    }

    /// The entry that the tiers above the loader have of a key.
    struct Candidate: Sendable {
        let entry: TieredEntry<Value>
        let cached: CachedValue<Value>
        let tier: CacheTier
        var isCoalesced = false

        /// The value, if its source may be asked whether it is still right. It knows nothing of a provisional one.
        var confirmable: CachedValue<Value>? { entry.isProvisional ? nil : cached }

        init?(_ entry: TieredEntry<Value>, _ tier: CacheTier, isCoalesced: Bool = false) {
            guard let cached = entry.cached else { return nil }
            self.entry = entry
            self.cached = cached
            self.tier = tier
            self.isCoalesced = isCoalesced
        }
    }

    /// The result of asking for a key that memory does not have.
    ///
    /// It is the entry that the stores have, or the result of a load because they have none.
    struct ColdStart: Sendable {
        var reading = StoreReading()
        /// Whether the stores were being read for another caller already.
        var isReadCoalesced = false
        var load: TieredLoad<Value>?
        /// Whether the load was another caller's, which had begun without a cold start.
        var isLoadCoalesced = false
    }

    /// Loads in the background that one call will start together.
    final class PendingRefreshes: Sendable {
        private let refreshes = Mutex<[Key: (candidate: Candidate, reason: LoadRequest<Key, Value>.Reason)]>([:])

        func add(_ key: Key, _ candidate: Candidate, _ reason: LoadRequest<Key, Value>.Reason) {
            refreshes.withLock { $0[key] = (candidate, reason) }
        }

        var all: [Key: (candidate: Candidate, reason: LoadRequest<Key, Value>.Reason)] { refreshes.withLock { $0 } }
    }

    /// Keeps entries alive that are looked at under a lock, so that nothing of the user's is released there.
    final class KeptAlive: Sendable {
        private let entries = Mutex<[TieredEntry<Value>]>([])
        func add(_ entry: TieredEntry<Value>) { entries.withLock { $0.append(entry) } }
    }

    /// The entry that the stores have of a key.
    @usableFromInline struct StoreReading: Sendable {
        @usableFromInline var entry: TieredEntry<Value>?
        @usableFromInline var tier = CacheTier.memory
        @usableFromInline var skipped: [StoreSkip] = []

        @inlinable init() {}

        /// Whether every store that was read has nothing.
        @inlinable var isEmpty: Bool { entry == nil && skipped.isEmpty }
    }
}
