// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Bulk operations, which call each store once and the loader once.
extension TieredCache {
    /// Returns the fresh values of several keys from memory and the stores. Counts as a use of each. Suspends only if memory misses one. Calls each
    /// store once at most.
    ///
    /// Never throws: a store that fails is passed by. A cancelled caller gets the values that memory has.
    public func values(forKeys keys: some Sequence<Key>, policy: CachePolicy? = nil) async -> [Key: Value] {
        var bulk = await found(forKeys: keys, policy: policy)
        // A stale value is not returned, so it counts as a miss.
        for (key, answer) in bulk.answers where answer.lookup.map({ !$0.isFresh }) ?? false { bulk.answers[key] = nil }
        return counted(bulk).mapValues(\.value)
    }

    /// Returns values like ``values(forKeys:policy:)``, with their provenance and including stale values that are still kept.
    public func lookups(forKeys keys: some Sequence<Key>, policy: CachePolicy? = nil) async -> [Key: Lookup<Value>] {
        counted(await found(forKeys: keys, policy: policy))
    }

    /// Promotes the stores' values of several keys to memory. Counts neither as a hit nor as a miss.
    func fetch(_ keys: [Key], policy: CachePolicy) async {
        let bulk = await found(forKeys: keys, policy: policy)
        // Memory has counted what it had.
        counters.withLock { $0.closerLooks += bulk.closerLooks }
    }

    /// Looks up several keys in memory and the stores. The answers are not counted yet.
    private func found(forKeys keys: some Sequence<Key>, policy: CachePolicy?) async -> BulkInquiry {
        var bulk = BulkInquiry(keys: keys, policy: policy ?? configuration.policy, isOwnPolicy: policy != nil, load: nil)
        askMemory(&bulk)
        await askStores(&bulk)
        for (key, candidate) in bulk.candidates where bulk.answers[key] == nil {
            bulk.answers[key] = stale(candidate, .init(.noLoader), bulk.skipped[key] ?? [])
        }
        return bulk
    }

    /// Returns the values of several keys, and loads the missing ones in one call. Keys that another caller is loading already are not loaded again.
    ///
    /// ```swift
    /// let team = try await users.values(forKeys: memberIDs) { missing in try await database.users(missing) }
    /// ```
    ///
    /// Each key is looked up as by ``value(forKey:policy:tags:load:)``, but each store and the loader are called once for all keys, and once more
    /// for the keys to refresh in the background. If the load fails or takes too long, every missing key needs a stale value by
    /// ``CachePolicy/staleIfError``. Otherwise the call throws.
    ///
    /// - Parameter load: Gets the missing keys, in the order in which they were asked for. A key that its result does not mention has no value, which is
    ///   remembered for ``CachePolicy/negativeFor``. Other keys in its result are ignored.
    /// - Returns: The values found; keys without a value are not in it.
    /// - Throws: The error of a load; `CancellationError`; ``CacheError/Code/timedOut``; ``CacheError/Code/recursiveLoad``; an error that a loader
    ///   has asked to keep for one of the keys. Never an error of a store.
    public func values(
        forKeys keys: some Sequence<Key>,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (_ missing: [Key]) async throws -> [Key: Value]
    ) async throws -> [Key: Value] {
        try await lookups(forKeys: keys, policy: policy) { requests in
            try await load(requests.map(\.key)).mapValues { .value($0, tags: tags) }
        }.mapValues(\.value)
    }

    /// Returns values like ``values(forKeys:policy:tags:load:)``, with their provenance. The loader decides for each key how the cache keeps its
    /// answer.
    ///
    /// See ``valueIfExists(forKey:policy:load:)``. If the loader answers ``LoadResult/failure(_:expiresAfter:)`` for a key, the call keeps the
    /// values of the other keys and throws that error, unless ``CachePolicy/staleIfError`` allows a stale value for the key.
    public func lookups(
        forKeys keys: some Sequence<Key>,
        policy: CachePolicy? = nil,
        load: @escaping @Sendable ([LoadRequest<Key, Value>]) async throws -> [Key: LoadResult<Value>]
    ) async throws -> [Key: Lookup<Value>] {
        var bulk = BulkInquiry(keys: keys, policy: policy ?? configuration.policy, isOwnPolicy: policy != nil) { request in
            try await load([request])[request.key] ?? .absent()
        }
        askMemory(&bulk)
        let hardEnd = hardEnd(for: bulk.policy)
        do {
            try Task.checkCancellation()
            await askStores(&bulk)
            refreshInBackground(bulk, load: load)
            try await askLoader(&bulk, hardEnd: hardEnd, load: load)
        } catch {
            let unanswered = bulk.unanswered
            counters.withLock { $0.misses += unanswered.count }
            _ = counted(bulk)
            if isObserved { for key in unanswered { noteFailure(key) } }
            throw error
        }
        return counted(bulk)
    }

    /// Requests for several keys, and their answers so far.
    private struct BulkInquiry {
        let keys: [Key]
        let policy: CachePolicy
        let isOwnPolicy: Bool
        let load: Loader?
        let refreshes = PendingRefreshes()
        var answers: [Key: Answer<Value>] = [:]
        var candidates: [Key: Candidate] = [:]
        var skipped: [Key: [StoreSkip]] = [:]
        var closerLooks = 0

        init(keys: some Sequence<Key>, policy: CachePolicy, isOwnPolicy: Bool, load: Loader?) {
            var seen: Set<Key> = []
            self.keys = keys.filter { seen.insert($0).inserted }
            self.policy = policy
            self.isOwnPolicy = isOwnPolicy
            self.load = load
        }

        func inquiry(_ key: Key) -> Inquiry { .init(key: key, policy: policy, isOwnPolicy: isOwnPolicy, load: load, refreshes: refreshes) }
        var unanswered: [Key] { keys.filter { answers[$0] == nil } }
    }

    private func counted(_ bulk: BulkInquiry) -> [Key: Lookup<Value>] {
        counters.withLock { $0.closerLooks += bulk.closerLooks }
        for key in bulk.keys {
            if let answer = bulk.answers[key] {
                count(answer, key)
            } else if bulk.load == nil {
                count(.absent(isKnown: false), key)
            }
        }
        return bulk.answers.compactMapValues(\.lookup)
    }

    private func askMemory(_ bulk: inout BulkInquiry) {
        guard !bulk.policy.skipping.contains(.memoryReads) else { return }
        for key in bulk.keys {
            guard let found = memory.value(forKey: key) else { continue }
            bulk.closerLooks += 1
            guard let entry = checked(found, key: key) else { continue }
            if let answer = answerIfGood(entry, .memory, bulk.inquiry(key), isCoalesced: false) {
                bulk.answers[key] = answer
            } else {
                bulk.candidates[key] = Candidate(entry, .memory)
            }
        }
    }

    private func askStores(_ bulk: inout BulkInquiry) async {
        let missing = bulk.unanswered
        if missing.isEmpty || tiers.isEmpty { return }
        guard !bulk.policy.skipping.contains(.storeReads) else {
            for key in missing { bulk.skipped[key] = stack.skips(.policy) }
            return
        }
        for (key, reading) in await readStores(missing, skipsMemory: bulk.policy.skipping.contains(.memoryWrites)) {
            bulk.skipped[key] = reading.skipped
            guard let entry = reading.entry else { continue }
            if var answer = answerIfGood(entry, reading.tier, bulk.inquiry(key), isCoalesced: false) {
                answer.skippedStores = reading.skipped
                bulk.answers[key] = answer
            } else if bulk.candidates[key].map({ $0.entry.terms.created < entry.terms.created }) ?? true {
                bulk.candidates[key] = Candidate(entry, reading.tier) ?? bulk.candidates[key]
            }
        }
    }

    /// Asks each store once for the keys that no nearer store has fresh.
    private func readStores(_ allKeys: [Key], skipsMemory: Bool) async -> [Key: StoreReading] {
        // No store is asked for a key that is kept in memory only.
        let named = allKeys.compactMap { key in naming.recordKey(for: key).map { (key: key, name: $0) } }
        let (keys, names) = (named.map(\.key), named.map(\.name))
        let positions = stack.positions
        let (copyFences, areBeingWritten) = fences.withLock { fences in
            (keys.map { fences.openForCopy($0, positions) }, keys.map { fences.isBeingWritten($0) })
        }
        var readings = keys.map { _ in StoreReading() }
        var found: [Int: (record: Record, tierIndex: Int)] = [:]
        // As in `readStores(_:skipsMemory:from:mayWait:)`, which reads one key.
        var missing = keys.indices.filter { !areBeingWritten[$0] }
        for number in keys.indices where areBeingWritten[number] {
            readings[number].skipped = stack.skips(.beingChanged)
        }
        for (index, tier) in tiers.enumerated() where !missing.isEmpty && !Task.isCancelled {
            let (records, skipped) = await tier.records(forKeys: missing.map { names[$0] })
            for number in missing {
                if let reason = skipped[names[number]] { readings[number].skipped.append(StoreSkip(store: tier.name, reason: reason)) }
                guard let record = records[names[number]] else { continue }
                guard found[number].map({ record.isFresh(at: clock.now()) || $0.record.created < record.created }) ?? true else { continue }
                guard let entry = await entry(from: record, recordKey: names[number], tier: tier, fence: copyFences[number]) else { continue }
                found[number] = (record, index)
                readings[number].entry = entry
                readings[number].tier = .store(tier.name)
            }
            missing.removeAll { found[$0]?.record.isFresh(at: clock.now()) ?? false }
        }
        await promote(
            keys.indices.compactMap { number in
                guard let fence = copyFences[number] else { return nil }
                guard let (record, index) = found[number], let entry = readings[number].entry else {
                    closeFence(fence)
                    return nil
                }
                return Promotion(key: keys[number], recordKey: names[number], record: record, entry: entry, tierIndex: index, fence: fence)
            },
            skipsMemory: skipsMemory
        )
        return Dictionary(uniqueKeysWithValues: zip(keys, readings))
    }

    private func askLoader(
        _ bulk: inout BulkInquiry,
        hardEnd: Int64?,
        load: @escaping @Sendable ([LoadRequest<Key, Value>]) async throws -> [Key: LoadResult<Value>]
    ) async throws {
        try answerKeptErrors(&bulk)
        let missing = bulk.unanswered
        if missing.isEmpty { return }
        let (candidates, policy) = (bulk.candidates, bulk.policy)
        func forgetAnswers() { for key in missing { bulk.answers[key] = nil } }
        let inquiries = Dictionary(uniqueKeysWithValues: missing.map { ($0, bulk.inquiry($0)) })
        func hasStandIn(_ key: Key, at tick: Int64) -> Bool {
            inquiries[key]?.allowsStandIn(candidates[key], at: tick) ?? false
        }
        func fallBack(_ reason: StaleReason, at tick: Int64) -> Bool {
            guard missing.allSatisfy({ hasStandIn($0, at: tick) }) else { return false }
            for key in missing {
                if let candidate = candidates[key] { bulk.answers[key] = stale(candidate, reason, bulk.skipped[key] ?? []) }
            }
            return true
        }
        let deadline = deadline(for: policy, hardEnd: hardEnd) { end in missing.allSatisfy { hasStandIn($0, at: end) } }
        do {
            let seen = KeptAlive()
            let (outcomes, ledKeys) = try await loads.runAll(
                missing,
                existing: { [self] key in existing(inquiries[key], seen) },
                deadline: deadline.map { ($0, deadlines) }
            ) { [self] keys in
                try await loadAndPublish(keys, policy, candidates, load: load)
            }
            withExtendedLifetime(seen) {}
            let led = Set(ledKeys)
            var failure: (any Error)?
            for (key, outcome) in outcomes {
                if case .failed(let error) = outcome {
                    if let candidate = candidates[key], hasStandIn(key, at: ticker.nanoseconds()) {
                        bulk.answers[key] = stale(candidate, .init(.loadFailed, error: error), bulk.skipped[key] ?? [])
                    } else {
                        failure = failure ?? error
                    }
                } else {
                    bulk.answers[key] = answer(outcome, isCoalesced: !led.contains(key), bulk.skipped[key] ?? [])
                }
            }
            if let failure { throw KeptFailure(error: failure, duration: .zero) }
        } catch is WaitTimedOut {
            counters.withLock { $0.loadTimeouts += missing.count }
            // The caller may be woken late. It still gets the values that were usable at its deadline.
            let now = ticker.nanoseconds()
            if fallBack(.init(.loadTimedOut), at: min(now, deadline ?? now)) { return }
            forgetAnswers()
            throw Self.timedOut
        } catch let failure as KeptFailure {
            forgetAnswers()
            throw failure.error
        } catch {
            if !Task.isCancelled, (error as? CacheError)?.code != .recursiveLoad, fallBack(.init(.loadFailed, error: error), at: ticker.nanoseconds())
            {
                return
            }
            forgetAnswers()
            throw error
        }
    }

    /// Answers the keys whose failure is kept with their stale values.
    ///
    /// - Throws: The error that is kept for a key without a usable stale value.
    private func answerKeptErrors(_ bulk: inout BulkInquiry) throws {
        let now = ticker.nanoseconds()
        for key in bulk.unanswered {
            let inquiry = bulk.inquiry(key)
            guard let error = keptError(inquiry, now: now) else { continue }
            guard let candidate = bulk.candidates[key], inquiry.allowsStandIn(candidate, at: now) else { throw error }
            bulk.answers[key] = stale(candidate, .init(.retryPending), bulk.skipped[key] ?? [])
        }
    }

    private func existing(_ inquiry: Inquiry?, _ keptAlive: KeptAlive) -> TieredLoad<Value>? {
        guard let inquiry else { return nil }
        var seen: TieredEntry<Value>?
        let existing = existing(inquiry, seen: &seen)
        if let seen { keptAlive.add(seen) }
        return existing
    }

    // MARK: Background

    /// Loads usable values again, all in one call, except those that another caller is loading or has just failed to load.
    private func refreshInBackground(
        _ bulk: BulkInquiry,
        load: @escaping @Sendable ([LoadRequest<Key, Value>]) async throws -> [Key: LoadResult<Value>]
    ) {
        let refreshes = bulk.refreshes.all
        let (keys, policy) = (bulk.keys.filter { refreshes[$0] != nil }, bulk.policy)
        if keys.isEmpty { return }
        startTask { [self] in
            let free = keys.filter { !loads.isLoading($0) }
            let seen = KeptAlive()
            // The refresh runs inside no other load, even if a loader has started it.
            _ = try? await ActiveLoad.$innermost.withValue(nil) {
                try await loads.runAll(free) { [self] key in
                    needlessRefresh(of: key, refreshes[key]?.candidate, seen)
                } load: { [self] keys in
                    try await refresh(keys, policy, refreshes, load: load)
                }
            }
            withExtendedLifetime(seen) {}
        }
    }

    /// Checked where no load can begin or end: since the refresh was found due, another caller's load may have ended.
    private func needlessRefresh(of key: Key, _ candidate: Candidate?, _ keptAlive: KeptAlive) -> TieredLoad<Value>? {
        if isThrottled(key, now: ticker.nanoseconds()) { return .unknown }
        guard let seen = memory.peek(key) else { return nil }
        keptAlive.add(seen)
        guard seen !== candidate?.entry, isUntouched(seen), seen.isFresh(at: ticker.nanoseconds()) else { return nil }
        return .found(seen, .memory)
    }

    private func refresh(
        _ keys: [Key],
        _ policy: CachePolicy,
        _ refreshes: [Key: (candidate: Candidate, reason: LoadRequest<Key, Value>.Reason)],
        load: @escaping @Sendable ([LoadRequest<Key, Value>]) async throws -> [Key: LoadResult<Value>]
    ) async throws -> [TieredLoad<Value>] {
        var outcomes: [Key: TieredLoad<Value>] = [:]
        // Another process may have brought the stores fresh values.
        let unread = keys.filter { refreshes[$0]?.reason == .stale && refreshes[$0]?.candidate.tier == .memory }
        if !unread.isEmpty, !tiers.isEmpty, !policy.skipping.contains(.storeReads) {
            for (key, reading) in await readStores(unread, skipsMemory: policy.skipping.contains(.memoryWrites)) {
                if let entry = reading.entry, entry.isFresh(at: ticker.nanoseconds()) { outcomes[key] = .found(entry, reading.tier) }
            }
        }
        let rest = keys.filter { outcomes[$0] == nil }
        if !rest.isEmpty {
            counters.withLock { $0.backgroundLoads += rest.count }
            let loaded = try await loadAndPublish(rest, policy, refreshes.mapValues(\.candidate), reasons: refreshes.mapValues(\.reason), load: load)
            for (key, outcome) in zip(rest, loaded) { outcomes[key] = outcome }
        }
        return keys.map { outcomes[$0] ?? .unknown }
    }

    /// Loads values and writes them to the tiers. Runs in a task of its own, once for all its callers.
    private func loadAndPublish(
        _ keys: [Key],
        _ policy: CachePolicy,
        _ candidates: [Key: Candidate],
        reasons: [Key: LoadRequest<Key, Value>.Reason] = [:],
        load: @escaping @Sendable ([LoadRequest<Key, Value>]) async throws -> [Key: LoadResult<Value>]
    ) async throws -> [TieredLoad<Value>] {
        let positions = stack.positions
        let loadFences = fences.withLock { fences in keys.map { fences.open($0, positions) } }
        let start = ticker.nanoseconds()
        let requests = keys.map { key in
            LoadRequest(key: key, staleValue: candidates[key]?.confirmable, reason: reasons[key] ?? reason(policy, candidates[key]))
        }
        var publications: [Publication] = []
        var failed: [(key: Key, fence: FenceTable<Key>.Fence, failure: KeptFailure)] = []
        do {
            try Task.checkCancellation()
            let results = try await observedLoad { try await load(requests) }
            for (key, fence) in zip(keys, loadFences) {
                if case .failure(let error)? = results[key]?.content {
                    failed.append((key, fence, KeptFailure(error: error, duration: results[key]?.expiresAfter ?? .zero)))
                    continue
                }
                let inquiry = Inquiry(key: key, policy: policy, isOwnPolicy: true, load: nil)
                publications.append(try publication(of: results[key] ?? .absent(), inquiry, candidates[key], fence: fence, start: start))
            }
            for publication in publications { noteLoad(results[publication.key] ?? .absent(), publication.key, start: start) }
        } catch {
            for fence in loadFences { closeFence(fence) }
            noteFailedLoad(keys, policy, start: start)
            throw error
        }
        for (key, fence, failure) in failed { noteFailedLoad(CollectionOfOne(key), policy, start: start, kept: failure, fence: fence) }
        await publish(publications)
        let failures = Dictionary(uniqueKeysWithValues: failed.map { ($0.key, $0.failure.error) })
        var published = publications.makeIterator()
        return keys.map { key in
            if let error = failures[key] { return .failed(error) }
            return published.next()?.cached.map { .loaded($0) } ?? .absent
        }
    }
}
