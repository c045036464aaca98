// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A request to a loader. See ``TieredCache/valueIfExists(forKey:policy:load:)`` and ``Cache/valueIfExists(forKey:load:)``.
public struct LoadRequest<Key: Sendable, Value: Sendable>: Sendable {
    /// The reason for a load.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case missing, stale, early, requested }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The cache has no value.
        public static var missing: Self { .init(.missing) }
        /// The cache has a stale value.
        public static var stale: Self { .init(.stale) }
        /// The cache has a fresh value that is nearly stale (``CachePolicy/earlyRefresh``, ``Cache/Configuration/refreshAfterWrite``).
        public static var early: Self { .init(.early) }
        /// The caller wants a new value (``CachePolicy/Skipping/reads``).
        public static var requested: Self { .init(.requested) }

        public var description: String { base.rawValue }
    }

    /// The key to load.
    public let key: Key

    /// The value that the cache has, with its validator, for a conditional request; `nil` if it has none, and always in a ``Cache``.
    public let staleValue: CachedValue<Value>?

    /// The reason why the value is loaded.
    public let reason: Reason
}

/// The answer of a loader, with the rules for keeping it. See ``TieredCache/valueIfExists(forKey:policy:load:)`` and
/// ``Cache/valueIfExists(forKey:load:)``.
///
/// Both kinds of cache take the same results. A ``Cache`` has neither partitions nor validators, and uses ``CachePolicy/freshFor`` and
/// ``CachePolicy/negativeFor`` of a policy and nothing else.
public struct LoadResult<Value: Sendable>: Sendable {
    enum Content: Sendable {
        case value(Value)
        case notModified
        case absent
        case failure(any Error)
    }

    let content: Content
    /// `nil`: the weigher's.
    var weight: Int?
    /// `nil`: the policy's.
    var expiresAfter: Duration?
    /// `nil`: those of the stale value.
    let tags: Set<String>?
    /// `nil`: none, or that of the stale value.
    let partition: String?
    let validator: String?
    let policy: CachePolicy?

    /// There is a value.
    ///
    /// - Parameters:
    ///   - weight: Its weight in memory, until it is written anew or found in a store. By default the cache's weigher decides.
    ///   - expiresAfter: How long it is fresh, counted from the end of the load. By default the policy decides, or the cache's expiration.
    ///   - tags: Labels by which it can be removed or marked stale with others.
    ///   - partition: The group that owns the value, such as a user, by which it is removed with all others of it. `nil`: none.
    ///   - validator: An ETag, a hash or a version, with which the next load can ask the source.
    ///   - policy: How long this value is fresh and kept, and how it reaches the tiers. By default the call's or the cache's policy decides.
    public static func value(
        _ value: Value,
        weight: Int? = nil,
        expiresAfter: Duration? = nil,
        tags: Set<String> = [],
        partition: String? = nil,
        validator: String? = nil,
        policy: CachePolicy? = nil
    ) -> LoadResult {
        .init(
            content: .value(value),
            weight: weight,
            expiresAfter: expiresAfter,
            tags: tags,
            partition: partition,
            validator: validator,
            policy: policy
        )
    }

    /// The stale value of the request is still right. It is fresh again, in every tier.
    ///
    /// - Parameters:
    ///   - tags: Its labels from now on. `nil`: as before.
    ///   - partition: The group that owns it from now on. `nil`: as before.
    ///   - validator: Its validator from now on. `nil`: as before.
    ///   - policy: How long it is fresh and kept. By default the call's or the cache's policy decides.
    public static func notModified(
        tags: Set<String>? = nil,
        partition: String? = nil,
        validator: String? = nil,
        policy: CachePolicy? = nil
    ) -> LoadResult {
        .init(content: .notModified, tags: tags, partition: partition, validator: validator, policy: policy)
    }

    /// There is no value. The cache removes its entry of the key, and remembers the absence as a negative entry. In memory it weighs 1, and counts
    /// against the limits like any other.
    ///
    /// - Parameters:
    ///   - expiresAfter: For how long the cache need not ask the source again. By default ``CachePolicy/negativeFor``, which is zero in a ``Cache``.
    ///   - tags: Labels by which the memory of this can be removed.
    ///   - partition: The group that owns it. `nil`: none.
    ///   - policy: By default the call's or the cache's policy decides.
    public static func absent(
        expiresAfter: Duration? = nil,
        tags: Set<String> = [],
        partition: String? = nil,
        policy: CachePolicy? = nil
    ) -> LoadResult {
        .init(content: .absent, expiresAfter: expiresAfter, tags: tags, partition: partition, validator: nil, policy: policy)
    }

    /// The load failed, and callers get this error for this time instead of loading again. In a ``TieredCache``, callers get a stale value instead,
    /// if the policy allows one. In a ``Cache``, the error replaces the value if this was a refresh.
    ///
    /// A loader that throws is asked again by the next caller; one that returns this is not. Useful before a service that has to recover. A write or a removal of the
    /// key ends it.
    public static func failure(_ error: any Error, expiresAfter: Duration) -> LoadResult {
        .init(content: .failure(error), expiresAfter: expiresAfter, tags: [], partition: nil, validator: nil, policy: nil)
    }
}
