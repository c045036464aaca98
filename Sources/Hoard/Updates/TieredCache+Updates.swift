// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Observing keys and tags.
extension TieredCache {
    /// Returns the present state of a key, and then each new one.
    ///
    /// A new state follows writes, loads by other callers, and removals and marks as stale by key, tag, partition or all at once. It also follows the
    /// end of the lifetime, and changes by other processes in a store that reports them.
    ///
    /// ```swift
    /// for await update in users.updates(forKey: id) { show(update.value) }
    /// ```
    ///
    /// The first element comes at once, from memory or a store. A reader that is slower than the changes gets only the newest state, and never an
    /// older one after a newer one. The first look counts as a use of the key, later ones do not. A value in a store that is unreachable is seen
    /// after the key's next change.
    ///
    /// - Parameter policy: The policy for the reads. Only the tiers that it skips matter. By default the cache's policy.
    public func updates(forKey key: Key, policy: CachePolicy? = nil) -> CacheUpdates<Key, Value> {
        CacheUpdates(cache: self, request: inquiry(forKey: key, policy: policy))
    }

    /// Returns the present state of a key, and then each new one. Whenever there is no fresh value, it loads one and reports that a load is under
    /// way.
    ///
    /// ```swift
    /// for await update in users.updates(forKey: id, load: { try await server.user($0) }) {
    ///     if let user = update.value { show(user) } else if let error = update.error { show(error) } else { showPlaceholder() }
    /// }
    /// ```
    ///
    /// A load begins only when the reader asks for the next state, and all observers and callers of the key share it. A stale value is shown while a
    /// new one is loaded and, together with the error, when the load fails. After an error there is no other load until the key changes, the stale
    /// value ends, or another caller loads the key. To try again, call ``markStale(forKey:)``, or ``value(forKey:policy:tags:load:)`` with
    /// ``CachePolicy/Skipping/reads``. Every observer sees the outcome.
    ///
    /// - Parameters:
    ///   - policy: The policy for the loads. By default the cache's policy.
    ///   - tags: Labels that a loaded value gets.
    public func updates(
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (Key) async throws -> Value
    ) -> CacheUpdates<Key, Value> {
        CacheUpdates(cache: self, request: inquiry(forKey: key, policy: policy, tags: tags, load: load))
    }

    /// Returns the present state of a key, and then each new one, with a loader that may also answer that there is no value, or that the stale one is
    /// still right. See ``valueIfExists(forKey:policy:load:)``.
    public func updatesIfExists(
        forKey key: Key,
        policy: CachePolicy? = nil,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) -> CacheUpdates<Key, Value> {
        CacheUpdates(cache: self, request: inquiry(forKey: key, policy: policy, load: load))
    }

    /// Returns the present states of several keys, and then each new one. Each element has the states of all keys.
    ///
    /// At the beginning, one call of each store promotes its values to memory. Without keys there is one element, which is empty.
    public func updates(forKeys keys: some Sequence<Key>, policy: CachePolicy? = nil) -> CacheCollectionUpdates<Key, Value> {
        CacheCollectionUpdates(cache: self, requests: Set(keys).map { inquiry(forKey: $0, policy: policy) })
    }

    /// Returns the present states of several keys, and then each new one. Loads each key that has no fresh value.
    public func updates(
        forKeys keys: some Sequence<Key>,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (Key) async throws -> Value
    ) -> CacheCollectionUpdates<Key, Value> {
        CacheCollectionUpdates(cache: self, requests: Set(keys).map { inquiry(forKey: $0, policy: policy, tags: tags, load: load) })
    }

    /// Returns the changes among the values with a tag, for a list that reads its values again. The first element says that any of them may have
    /// changed.
    ///
    /// A cache keeps no list of the values with a tag. So it also reports keys without the tag that were removed, or changed by another process,
    /// while memory did not have them. It misses one case: a write that takes the tag from a key while memory does not have the key.
    public func updates(taggedWith tag: String) -> CacheTagUpdates<Key, Value> {
        CacheTagUpdates(cache: self, tag: tag)
    }

    // MARK: For observers

    /// Returns memory's entry of a key, after the invalidations so far have been applied to it.
    ///
    /// - Parameter isUse: Whether it counts as a use.
    func observedEntry(_ key: Key, _ policy: CachePolicy, isUse: Bool) -> TieredEntry<Value>? {
        if policy.skipping.contains(.memoryReads) { return nil }
        let found = isUse ? memory.value(forKey: key) : memory.peek(key)
        if isUse { noteCloserLook(found) }
        return found.flatMap { checked($0, key: key) }
    }

    /// The tick at which the source of a key may be asked again; `nil` if it may be asked now.
    func retryTick(of key: Key) -> Int64? { throttle.withLock { $0.retryTime(of: key, now: ticker.nanoseconds()) } }
}
