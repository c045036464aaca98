// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Following keys and tags.
extension TieredCache {
    /// The state of a key now, and each later one. Follows writes, loads by others, removals and marks by key, tag, partition and altogether, the end of the
    /// lifetime, and changes by other processes in a store that tells of them.
    ///
    /// ```swift
    /// for await update in users.updates(forKey: id) { show(update.value) }
    /// ```
    ///
    /// The first element comes at once, from memory or a store. A reader that is slower than the changes gets the newest state, not all of them, and never an older one
    /// after a newer one. Reading begins with one use of the key; looking again is none. What a store that is away would have had is seen after the key's next change.
    ///
    /// - Parameter policy: What is of interest is what it skips. By default the cache's policy.
    public func updates(forKey key: Key, policy: CachePolicy? = nil) -> CacheUpdates<Key, Value> {
        CacheUpdates(cache: self, request: inquiry(forKey: key, policy: policy))
    }

    /// The same, with a loader: whenever there is no fresh value, one is loaded, and a state says that this goes on.
    ///
    /// ```swift
    /// for await update in users.updates(forKey: id, load: { try await server.user($0) }) {
    ///     if let user = update.value { show(user) } else if let error = update.error { show(error) } else { showPlaceholder() }
    /// }
    /// ```
    ///
    /// The loader is asked when the next state is asked for, once for all observers and callers of the key, and not while nobody reads. A stale value is shown while a new one is loaded, and also
    /// when the load fails, together with the error. After an error there is no other load until the key changes, its stand-in ends, or somebody loads it. Whoever wants
    /// to try again calls ``markStale(forKey:)``, or ``value(forKey:policy:tags:load:)`` with ``CachePolicy/Skipping/reads``; every observer sees what comes of it.
    ///
    /// - Parameters:
    ///   - policy: What decides for the loads. By default the cache's policy.
    ///   - tags: Labels that a loaded value gets.
    public func updates(
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (Key) async throws -> Value
    ) -> CacheUpdates<Key, Value> {
        CacheUpdates(cache: self, request: inquiry(forKey: key, policy: policy, tags: tags, load: load))
    }

    /// The same, with a loader that may say that there is no value, or that the stale one is still right: ``valueIfExists(forKey:policy:load:)``.
    public func updatesIfExists(
        forKey key: Key,
        policy: CachePolicy? = nil,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) -> CacheUpdates<Key, Value> {
        CacheUpdates(cache: self, request: inquiry(forKey: key, policy: policy, load: load))
    }

    /// The states of several keys now, and each later one. Each element has the states of all.
    ///
    /// At the beginning one call of each store brings what it has to memory.
    public func updates(forKeys keys: some Sequence<Key>, policy: CachePolicy? = nil) -> CacheCollectionUpdates<Key, Value> {
        CacheCollectionUpdates(cache: self, requests: Set(keys).map { inquiry(forKey: $0, policy: policy) })
    }

    /// The same, with a loader for each key without a fresh value.
    public func updates(
        forKeys keys: some Sequence<Key>,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (Key) async throws -> Value
    ) -> CacheCollectionUpdates<Key, Value> {
        CacheCollectionUpdates(cache: self, requests: Set(keys).map { inquiry(forKey: $0, policy: policy, tags: tags, load: load) })
    }

    /// Which values with a tag change, for a list that reads its values again. The first element says that any of them may have.
    ///
    /// A cache has no list of the values with a tag. News of a key that was removed, or changed by another process, while memory did not have it, may not concern the tag. Nothing is left
    /// out but a key that loses the tag by a write while memory does not have it.
    public func updates(taggedWith tag: String) -> CacheTagUpdates<Key, Value> {
        CacheTagUpdates(cache: self, tag: tag)
    }

    // MARK: For observers

    /// The entry that memory has of a key, judged by the invalidations so far.
    ///
    /// - Parameter isUse: Whether that counts as a use.
    func observedEntry(_ key: Key, _ policy: CachePolicy, isUse: Bool) -> TieredEntry<Value>? {
        if policy.skipping.contains(.memoryReads) { return nil }
        let found = isUse ? memory.value(forKey: key) : memory.peek(key)
        if isUse { noteCloserLook(found) }
        return found.flatMap { checked($0, key: key) }
    }

    /// When the source of a key may be asked again; `nil`: now.
    func retryTick(of key: Key) -> Int64? { throttle.withLock { $0.retryTime(of: key, now: ticker.nanoseconds()) } }
}
