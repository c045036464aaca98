// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Returns the value of a key, or loads it. All callers that ask meanwhile share one load.
    ///
    /// ```swift
    /// let user = try await users.value(forKey: id) { id in try await database.user(id) }
    /// ```
    ///
    /// Counts as a use, and as one hit or one miss. A hit does not leave the caller's executor, and costs as much as ``value(forKey:)``. The load
    /// runs in a task of its own. A cancelled caller gets `CancellationError` at once while the others go on waiting, and the load is cancelled when
    /// its last caller has left.
    ///
    /// If the key is written or removed while the load runs, its callers still get the loaded value, but the cache does not keep it. Callers that
    /// come after the write do not join this load. A load that throws leaves no entry; all its callers get its error. A negative entry of the key
    /// that says "absent" is a miss to this method; one that keeps an error makes it throw that error.
    ///
    /// Past ``Configuration/refreshAfterWrite`` the old value is returned at once, and `load` runs in the background.
    ///
    /// - Throws: The error of `load`; `CancellationError`; ``CacheError/Code/recursiveLoad`` when `load` asks, directly or through
    ///   other loads, for the key it is loading. A task counts as part of the load inside which it was created until that has ended.
    @inlinable public nonisolated(nonsending) func value(forKey key: Key, load: @escaping @Sendable (Key) async throws -> Value) async throws -> Value
    {
        if let value = value(forKey: key) {
            if configuration.refreshAfterWrite != nil { refreshIfDue(key) { .value(try await load($0.key)) } }
            return value
        }
        return try await loadValue(forKey: key, load: load)
    }

    /// Returns the value of a key, or loads it with a loader that may find none and decides how the cache keeps its answer.
    ///
    /// All callers that ask meanwhile share one load.
    ///
    /// ```swift
    /// let user = try await users.valueIfExists(forKey: id) { request in
    ///     guard let user = try await database.user(request.key) else { return .absent(expiresAfter: .seconds(10)) }
    ///     return .value(user, expiresAfter: user.isOnline ? .seconds(5) : .seconds(300), tags: ["team-\(user.team)"])
    /// }
    /// ```
    ///
    /// Like ``value(forKey:load:)``, but for negative entries, which answer here without a load. ``TieredCache/valueIfExists(forKey:policy:load:)`` takes the same
    /// loader.
    ///
    /// - Returns: `nil` if the loader says, or has said lately, that there is no value.
    /// - Throws: As ``value(forKey:load:)``, and the error that a loader has asked to keep.
    @inlinable public nonisolated(nonsending) func valueIfExists(
        forKey key: Key,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> Value? {
        if let value = value(forKey: key) {
            if configuration.refreshAfterWrite != nil { refreshIfDue(key, load: load) }
            return value
        }
        return try await loadValueIfExists(forKey: key, load: load)
    }

    /// The slow part of ``valueIfExists(forKey:load:)``.
    @usableFromInline func loadValueIfExists(
        forKey key: Key,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> Value? {
        if try isKnownToBeAbsent(key) { return nil }
        while true {
            switch try await run(key, acceptsAbsence: true, load: load) {
            case .value(let value): return value
            case .absent: return nil
            case .failure(let error): throw error
            case .unknown: continue
            }
        }
    }

    /// The slow part of ``value(forKey:load:)``.
    @usableFromInline func loadValue(forKey key: Key, load: @escaping @Sendable (Key) async throws -> Value) async throws -> Value {
        _ = try isKnownToBeAbsent(key)
        while true {
            switch try await run(key, acceptsAbsence: false, load: { .value(try await load($0.key)) }) {
            case .value(let value): return value
            case .failure(let error): throw error
            // A flight of a loader that may say "absent", or of a bulk load that did not mention the key, leaves this caller without a value.
            case .absent, .unknown: continue
            }
        }
    }

    private func run(
        _ key: Key,
        acceptsAbsence: Bool,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> LoadOutcome<Value> {
        // An entry may have appeared since the caller looked.
        try await flights.run(key, existing: { existing(key, acceptsAbsence: acceptsAbsence) }) { [self] in
            try await loadAndPublish(key, reason: .missing, unless: { existing(key, acceptsAbsence: acceptsAbsence) }, load: load)
        }.output
    }

    /// A value, an absence or a kept error that makes a load needless.
    func existing(_ key: Key, acceptsAbsence: Bool) -> LoadOutcome<Value>? {
        if let value = peek(key) { return .value(value) }
        do {
            return try isKnownToBeAbsent(key) && acceptsAbsence ? .absent : nil
        } catch {
            return .failure(error)
        }
    }

    /// Whether there is a negative entry.
    ///
    /// - Throws: The error that the entry keeps.
    func isKnownToBeAbsent(_ key: Key) throws -> Bool {
        let hash = hasher(key)
        let now = exactTimeIfUsed()
        let found = cells.withShard(for: hash) { shard -> (isNegative: Bool, error: (any Error)?) in
            let slot = shard.peek(key, hash: hash, now: now)
            guard slot != .none, shard.table.slots.flags(of: slot).isNegative else { return (false, nil) }
            return (true, shard.details[slot]?.error)
        }
        if let error = found.error { throw error }
        return found.isNegative
    }

    /// - Parameter needless: The outcome, if an entry that was written before the load begins makes it needless.
    private func loadAndPublish(
        _ key: Key,
        reason: LoadRequest<Key, Value>.Reason,
        unless needless: () -> LoadOutcome<Value>?,
        load: @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> LoadOutcome<Value> {
        let hash = hasher(key)
        let fence = cells.withShard(for: hash) { $0.openFence(forKey: key) }
        // A write before this moment does not break the fence, but its value is not to be replaced either.
        if let outcome = needless() {
            cells.withShard(for: hash) { $0.closeFence(fence) }
            return outcome
        }
        if reason == .early { cells.withShard(for: hash) { $0.otherStatistics.refreshes += 1 } }
        let loaded: LoadResult<Value>
        do {
            loaded = try await load(LoadRequest(key: key, staleValue: nil, reason: reason))
            if case .notModified = loaded.content { throw CacheError.unaskedNotModified }
        } catch {
            noteFailedLoad(hash: hash, fence: fence)
            throw error
        }
        publish(loaded, forKey: key, hash: hash, fence: fence)
        switch loaded.content {
        case .value(let value): return .value(value)
        case .absent, .notModified: return .absent
        case .failure(let error): throw error
        }
    }

    /// A load has thrown.
    func noteFailedLoad(hash: UInt64, fence: FenceTable<Key>.Fence) {
        cells.withShard(for: hash) { shard in
            shard.closeFence(fence)
            shard.otherStatistics.loadFailures += 1
        }
    }

    /// Keeps a loaded value, unless its fence is broken.
    func publish(_ loaded: LoadResult<Value>, forKey key: Key, hash: UInt64, fence: FenceTable<Key>.Fence) {
        let entry = entry(for: loaded, key: key)
        var departures = Departures<Key, Value>()
        // Others do not leave for a heavy value that will not be kept.
        let isInVain =
            configuration.maximumWeight != nil
            && cells.withShard(for: hash) { $0.policy.isHeavy(entry.weight) && !$0.fences.isIntact(fence, tags: loaded.tags ?? []) }
        withShard(for: key, hash, weight: isInVain ? 0 : entry.weightToKeep, &departures) { shard, departures in
            if case .failure = loaded.content { shard.otherStatistics.loadFailures += 1 } else { shard.otherStatistics.loads += 1 }
            guard shard.closeForPublication(fence, tags: loaded.tags ?? []) else {
                shard.otherStatistics.fencedLoads += 1
                return
            }
            // The load may have begun before the change that the update is about, so it does not overtake it.
            if shard.hasUpdates { shard.updates.interrupt(key) }
            _ = shard.insert(entry, forKey: key, hash: hash, now: entry.writeTime, tuner: tuner, departures: &departures)
        }
        report(departures)
    }

    /// The entry that a load makes. Runs the weigher, so it must not run under the lock.
    private func entry(for loaded: LoadResult<Value>, key: Key) -> NewEntry<Value> {
        var new: NewEntry<Value>
        switch loaded.content {
        case .value(let value):
            new = entry(for: value, key: key, weight: loaded.weight, expiresAfter: loaded.expiresAfter ?? loaded.policy?.freshFor)
        case .absent, .notModified, .failure:
            new = timedEntry(nil, weight: 1, expiresAfter: loaded.expiresAfter ?? loaded.policy?.negativeFor ?? .zero)
        }
        var failure: (any Error)?
        if case .failure(let error) = loaded.content { failure = error }
        let details = EntryDetails(tags: loaded.tags ?? [], error: failure)
        if !details.isEmpty { new.details = details }
        return new
    }

    // MARK: Refresh

    /// Starts a load in the background if the value has reached the age for it and no load of the key is under way.
    @usableFromInline func refreshIfDue(_ key: Key, load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>) {
        guard let age = configuration.refreshAfterWrite?.saturatingNanoseconds, isDue(key, age: age), !flights.isLoading(key) else { return }
        // Asked again where no load can begin or end meanwhile: the load of another reader may have ended since.
        flights.runInBackground(key, unless: { !isDue(key, age: age) }) { [self] in
            try await loadAndPublish(key, reason: .early, unless: { isDue(key, age: age) ? nil : existing(key, acceptsAbsence: true) }, load: load)
        }
    }

    private func isDue(_ key: Key, age: Int64) -> Bool {
        let hash = hasher(key)
        let now = clock.now()
        return cells.withShard(for: hash) { shard in
            let slot = shard.peek(key, hash: hash, now: now)
            guard slot != .none, let written = shard.table.slots.writeTime(of: slot) else { return false }
            return now &- written >= age
        }
    }
}
