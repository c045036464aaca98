// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What a loader is asked for. See ``TieredCache/valueIfExists(forKey:policy:load:)``.
public struct LoadRequest<Key: Sendable, Value: Sendable>: Sendable {
    /// Why a value is loaded.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case missing, stale, early, requested }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// There is none.
        public static var missing: Self { .init(.missing) }
        /// There is a stale one.
        public static var stale: Self { .init(.stale) }
        /// There is a fresh one whose time is nearly up (``CachePolicy/earlyRefresh``).
        public static var early: Self { .init(.early) }
        /// The caller wants a new one (``CachePolicy/Skipping/reads``).
        public static var requested: Self { .init(.requested) }

        public var description: String { base.rawValue }
    }

    /// The key to load.
    public let key: Key

    /// The value that the cache has, with its validator, for a conditional request; `nil` if it has none.
    public let staleValue: CachedValue<Value>?

    public let reason: Reason
}

/// What a loader has found, and how it is to be kept. See ``TieredCache/valueIfExists(forKey:policy:load:)``.
public struct LoadResult<Value: Sendable>: Sendable {
    enum Content: Sendable {
        case value(Value)
        case notModified
        case absent
    }

    let content: Content
    /// `nil`: those of the stale value.
    let tags: Set<String>?
    /// `nil`: none, or that of the stale value.
    let partition: String?
    let validator: String?
    let policy: CachePolicy?

    /// There is a value.
    ///
    /// - Parameters:
    ///   - tags: Labels by which it can be removed or marked stale with others.
    ///   - partition: The group that owns the value, such as a user, by which it is removed with all others of it. `nil`: none.
    ///   - validator: An ETag, a hash, a version: what the next load can ask the source with.
    ///   - policy: How long this value is fresh and kept, and how it reaches the tiers. By default the call's or the cache's policy decides.
    public static func value(
        _ value: Value,
        tags: Set<String> = [],
        partition: String? = nil,
        validator: String? = nil,
        policy: CachePolicy? = nil
    ) -> LoadResult {
        .init(content: .value(value), tags: tags, partition: partition, validator: validator, policy: policy)
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

    /// There is no value. What the cache has of the key is removed, and the absence is remembered for ``CachePolicy/negativeFor``.
    ///
    /// - Parameters:
    ///   - tags: Labels by which the memory of this can be removed.
    ///   - partition: The group that owns it. `nil`: none.
    ///   - policy: By default the call's or the cache's policy decides.
    public static func absent(tags: Set<String> = [], partition: String? = nil, policy: CachePolicy? = nil) -> LoadResult {
        .init(content: .absent, tags: tags, partition: partition, validator: nil, policy: policy)
    }
}
