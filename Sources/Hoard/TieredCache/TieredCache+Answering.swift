// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension TieredCache {
    /// Answers a request from memory, the stores and the loader, if there is one.
    ///
    /// - Parameters:
    ///   - found: The entry that memory had, unless memory is skipped.
    ///   - pass: The answers of the stores that can answer at once or call back, if they have been asked.
    ///   - hardEnd: The tick at which the caller stops waiting, for stores and loader together; `nil`: never.
    /// - Throws: The loader's error; `CancellationError`; ``CacheError``.
    func answer(_ inquiry: Inquiry, found: TieredEntry<Value>?, pass: FirstPass? = nil, hardEnd: Int64? = nil) async throws -> Answer<Value> {
        var candidate: Candidate?
        if let entry = found.flatMap({ checked($0, key: inquiry.key) }) {
            if let answer = answerIfGood(entry, .memory, inquiry, isCoalesced: false) { return answer }
            candidate = Candidate(entry, .memory)
        }
        var skipped: [StoreSkip] = []
        if inquiry.policy.skipping.contains(.storeReads) {
            skipped = stack.skips(.policy)
        } else if !tiers.isEmpty {
            var first = pass
            if first == nil { first = await firstPass(forKey: inquiry.key, under: inquiry.policy) }
            let next = first?.next ?? 0
            let (reading, isCoalesced): (StoreReading, Bool)
            // A caller that has waited for a store and now has to load joins those that came meanwhile, so that all share one load.
            let joinsOthers = first?.hasWaited == true && first?.reading?.entry == nil && inquiry.load != nil && candidate == nil
            if let known = first?.reading, !joinsOthers {
                (reading, isCoalesced) = (known, false)
            } else if candidate == nil, let load = inquiry.load {
                let (start, isJoined) = try await coldStart(inquiry, knowing: first?.reading, from: next, hardEnd: hardEnd, load: load)
                if let load = start.load { return answer(load, isCoalesced: isJoined || start.isLoadCoalesced, start.reading.skipped) }
                (reading, isCoalesced) = (start.reading, isJoined || start.isReadCoalesced)
            } else {
                do {
                    (reading, isCoalesced) = try await storeReading(inquiry, from: next, hardEnd: hardEnd)
                } catch is WaitTimedOut {
                    // The load that the caller would have waited for goes on without it.
                    if let candidate { refreshInBackground(candidate, inquiry, reason: .stale) }
                    return try timedOutAnswer(inquiry, candidate, [], deadline: hardEnd)
                }
            }
            skipped = reading.skipped
            if let entry = reading.entry {
                // While this caller waited, a load may have begun to publish something newer.
                if var answer = answerIfGood(entry, reading.tier, inquiry, isCoalesced: isCoalesced) {
                    answer.skippedStores = skipped
                    return answer
                }
                if candidate.map({ $0.entry.terms.created < entry.terms.created }) ?? true {
                    candidate = Candidate(entry, reading.tier, isCoalesced: isCoalesced) ?? candidate
                }
            }
        }
        guard let load = inquiry.load else {
            return candidate.map { stale($0, .init(.noLoader), skipped) } ?? .absent(isKnown: false)
        }
        return try await loadedAnswer(inquiry, candidate, skipped, hardEnd: hardEnd, load: load)
    }

    /// Returns the answer if it needs no load, or a load in the background only.
    func answerIfGood(_ entry: TieredEntry<Value>, _ tier: CacheTier, _ inquiry: Inquiry, isCoalesced: Bool) -> Answer<Value>? {
        let now = ticker.nanoseconds()
        guard let candidate = Candidate(entry, tier, isCoalesced: isCoalesced) else {
            return entry.isFresh(at: now) && !inquiry.needsValue ? .absent(isKnown: true) : nil
        }
        if entry.isFresh(at: now) {
            if inquiry.load != nil, isEarlyRefreshDue(entry, inquiry, now: now) { refreshInBackground(candidate, inquiry, reason: .early) }
            var lookup = lookup(candidate.cached, tier)
            lookup.isCoalesced = isCoalesced
            return .value(lookup)
        }
        guard inquiry.load != nil else { return nil }
        let isThrottled = isThrottled(inquiry.key, now: now)
        if entry.isUsable(at: now, staleFor: inquiry.staleWhileRevalidate(entry.terms)) {
            if !isThrottled { refreshInBackground(candidate, inquiry, reason: .stale) }
            return stale(candidate, .init(isThrottled ? .retryPending : .revalidating), [])
        }
        if isThrottled, entry.isUsable(at: now, staleFor: inquiry.staleIfError(entry.terms)) { return stale(candidate, .init(.retryPending), []) }
        return nil
    }

    func stale(_ candidate: Candidate, _ reason: StaleReason, _ skipped: [StoreSkip]) -> Answer<Value> {
        var lookup = lookup(candidate.cached, candidate.tier, staleReason: reason)
        lookup.isCoalesced = candidate.isCoalesced
        lookup.skippedStores = skipped
        return .value(lookup)
    }

    private func isEarlyRefreshDue(_ entry: TieredEntry<Value>, _ inquiry: Inquiry, now: Int64) -> Bool {
        let ticks = inquiry.isOwnPolicy ? entry.ticks.with(inquiry.policy.earlyRefresh, loadDuration: entry.terms.loadDuration) : entry.ticks
        if ticks.earlyRefresh <= now { return true }
        guard ticks.spread > 0 else { return false }
        // XFetch: now − Δ·β·ln(random) ≥ end.
        return Double(now) - ticks.spread * logarithm(max(random(), .leastNormalMagnitude)) >= Double(ticks.fresh)
    }

    // MARK: Loading

    /// Reads the stores for a key that memory does not have, and loads it if they do not have it either. So waiting callers are woken only once.
    ///
    /// - Parameter first: The first store to read.
    /// - Throws: The loader's error; `CancellationError`; ``CacheError``.
    private func coldStart(
        _ inquiry: Inquiry,
        knowing known: StoreReading?,
        from first: Int,
        hardEnd: Int64?,
        load: @escaping Loader
    ) async throws -> (start: ColdStart, isCoalesced: Bool) {
        var seen: TieredEntry<Value>?
        do {
            let (start, isCoalesced) = try await coldStarts.run(
                inquiry.key,
                existing: { existing(inquiry, seen: &seen).map { ColdStart(load: $0) } },
                deadline: hardEnd.map { ($0, deadlines) }
            ) { [self] in
                let (reading, isReadCoalesced) = if let known { (known, false) } else { try await storeReading(inquiry, from: first) }
                if reading.entry != nil { return ColdStart(reading: reading, isReadCoalesced: isReadCoalesced) }
                var seen: TieredEntry<Value>?
                let (outcome, isLoadCoalesced) = try await loads.run(
                    inquiry.key,
                    existing: {
                        existing(inquiry, seen: &seen) ?? keptError(inquiry, now: ticker.nanoseconds()).map { .failed($0) }
                    }
                ) { [self] in
                    try await loadAndPublish(inquiry, nil, reason: .missing, load: load)
                }
                withExtendedLifetime(seen) {}
                if case .failed(let error) = outcome { throw error }
                return ColdStart(reading: reading, load: outcome, isLoadCoalesced: isLoadCoalesced)
            }
            withExtendedLifetime(seen) {}
            return (start, isCoalesced)
        } catch is WaitTimedOut {
            counters.withLock { $0.loadTimeouts += 1 }
            throw Self.timedOut
        }
    }

    /// The reason for a load that a caller waits for.
    func reason(_ policy: CachePolicy, _ candidate: Candidate?) -> LoadRequest<Key, Value>.Reason {
        policy.skipping.isSuperset(of: .reads) ? .requested : candidate == nil ? .missing : .stale
    }

    static var timedOut: CacheError {
        CacheError(.timedOut, "The load took longer than hardTimeout. It goes on, and its result will be kept.")
    }

    /// Waits for a load, and falls back on the candidate when it fails or takes too long.
    private func loadedAnswer(
        _ inquiry: Inquiry,
        _ candidate: Candidate?,
        _ skipped: [StoreSkip],
        hardEnd: Int64?,
        load: @escaping Loader
    ) async throws -> Answer<Value> {
        func fallback(_ reason: StaleReason, at tick: Int64) -> Answer<Value>? { standIn(inquiry, candidate, skipped, reason, at: tick) }
        let reason = reason(inquiry.policy, candidate)
        var seen: TieredEntry<Value>?
        var pending: Answer<Value>?
        let deadline = deadline(for: inquiry.policy, hardEnd: hardEnd) { inquiry.allowsStandIn(candidate, at: $0) }
        do {
            let (outcome, isCoalesced) = try await loads.run(
                inquiry.key,
                existing: {
                    if let found = existing(inquiry, seen: &seen) { return found }
                    // While this caller asked the stores, another caller's load may have failed.
                    let now = ticker.nanoseconds()
                    guard isThrottled(inquiry.key, now: now) else { return nil }
                    pending = fallback(.init(.retryPending), at: now)
                    if pending != nil { return .unknown }
                    return keptError(inquiry, now: now).map { .failed($0) }
                },
                deadline: deadline.map { ($0, deadlines) }
            ) { [self] in
                try await loadAndPublish(inquiry, candidate, reason: reason, load: load)
            }
            withExtendedLifetime(seen) {}
            if let pending { return pending }
            if case .failed(let error) = outcome { throw error }
            return answer(outcome, isCoalesced: isCoalesced, skipped)
        } catch is WaitTimedOut {
            return try timedOutAnswer(inquiry, candidate, skipped, deadline: deadline)
        } catch {
            if Task.isCancelled || (error as? CacheError)?.code == .recursiveLoad { throw error }
            if let answer = fallback(.init(.loadFailed, error: error), at: ticker.nanoseconds()) { return answer }
            throw error
        }
    }

    /// The stale value that may be returned because a new one cannot be loaded.
    private func standIn(
        _ inquiry: Inquiry,
        _ candidate: Candidate?,
        _ skipped: [StoreSkip],
        _ reason: StaleReason,
        at tick: Int64
    ) -> Answer<Value>? {
        guard let candidate, inquiry.allowsStandIn(candidate, at: tick) else { return nil }
        return stale(candidate, reason, skipped)
    }

    /// The answer for a caller that has waited until its deadline.
    ///
    /// - Throws: ``timedOut`` if there is no stale value for it.
    private func timedOutAnswer(_ inquiry: Inquiry, _ candidate: Candidate?, _ skipped: [StoreSkip], deadline: Int64?) throws -> Answer<Value> {
        counters.withLock { $0.loadTimeouts += 1 }
        // The caller may be woken late. It still gets the value that was usable at its deadline.
        let now = ticker.nanoseconds()
        guard let answer = standIn(inquiry, candidate, skipped, .init(.loadTimedOut), at: min(now, deadline ?? now)) else { throw Self.timedOut }
        return answer
    }

    func answer(_ outcome: TieredLoad<Value>, isCoalesced: Bool, _ skipped: [StoreSkip]) -> Answer<Value> {
        var lookup: Lookup<Value>
        switch outcome {
        case .absent, .unknown, .failed: return .absent(isKnown: false)
        case .loaded(let cached): lookup = self.lookup(cached, .loader)
        case .found(let entry, let tier):
            guard let cached = entry.cached else { return .absent(isKnown: true) }
            lookup = self.lookup(cached, tier)
        }
        lookup.isCoalesced = isCoalesced
        lookup.skippedStores = skipped
        return .value(lookup)
    }

    /// The tick at which a caller that begins to wait now stops waiting, whatever it waits for.
    func hardEnd(for policy: CachePolicy) -> Int64? { policy.hardTimeout.map { end(of: $0) } }

    private func end(of timeout: Duration) -> Int64 { ticker.nanoseconds().addingSaturated(max(0, timeout.saturatingNanoseconds)) }

    /// The tick at which a caller stops waiting for a load.
    ///
    /// - Parameter hasStandIn: Whether a stale value may be returned instead at a tick.
    func deadline(for policy: CachePolicy, hardEnd: Int64?, hasStandIn: (Int64) -> Bool) -> Int64? {
        // The soft timeout counts only if the stale value will still be usable when it ends.
        let soft = policy.softTimeout.map { end(of: $0) }.flatMap { hasStandIn($0) ? $0 : nil }
        return [hardEnd, soft].compactMap { $0 }.min()
    }

    /// Whether the source of a key is left alone because the last load has failed.
    func isThrottled(_ key: Key, now: Int64) -> Bool {
        throttle.withLock { $0.retryTime(of: key, now: now) != nil }
    }

    /// The error that a loader has asked to keep (``LoadResult/failure(_:expiresAfter:)``); `nil` for a caller that skips all reads.
    func keptError(_ inquiry: Inquiry, now: Int64) -> (any Error)? {
        if inquiry.policy.skipping.isSuperset(of: .reads) { return nil }
        return throttle.withLock { $0.keptError(of: inquiry.key, now: now) }
    }

    /// The fresh entry that has appeared in memory since the caller looked, which makes a load needless. Does not count as a use.
    ///
    /// - Parameter seen: Keeps the entry alive for a caller that holds a lock.
    func existing(_ inquiry: Inquiry, seen: inout TieredEntry<Value>?) -> TieredLoad<Value>? {
        guard !inquiry.policy.skipping.contains(.memoryReads) else { return nil }
        seen = memory.peek(inquiry.key)
        guard let seen, seen.value != nil || !inquiry.needsValue, isUntouched(seen), seen.isFresh(at: ticker.nanoseconds()) else { return nil }
        return .found(seen, .memory)
    }

    /// Whether no invalidation since the entry's last check concerns it.
    func isUntouched(_ entry: TieredEntry<Value>) -> Bool {
        let current = currentEra(hasTags: entry.hasTags)
        if entry.checkedEra.load(ordering: .relaxed) == current { return true }
        let labels = entry.terms.labels
        return marks.withLock { $0.verdict(onEntryBornIn: entry.bornEra, tags: labels) } == TagMarks.Verdict()
    }

    // MARK: Background

    /// Loads a usable value again, unless that is being done or has just failed.
    private func refreshInBackground(_ candidate: Candidate, _ inquiry: Inquiry, reason: LoadRequest<Key, Value>.Reason) {
        guard let load = inquiry.load, !loads.isLoading(inquiry.key) else { return }
        if let refreshes = inquiry.refreshes { return refreshes.add(inquiry.key, candidate, reason) }
        var seen: TieredEntry<Value>?
        loads.runInBackground(inquiry.key) {
            // Checked where no load can begin or end: since the refresh was found due, another caller's load may have ended.
            if isThrottled(inquiry.key, now: ticker.nanoseconds()) { return true }
            seen = memory.peek(inquiry.key)
            guard let seen, seen !== candidate.entry else { return false }
            return isUntouched(seen) && seen.isFresh(at: ticker.nanoseconds())
        } load: { [self] in
            // Another process may have brought the stores a fresh value.
            if reason == .stale, candidate.tier == .memory, !tiers.isEmpty, !inquiry.policy.skipping.contains(.storeReads) {
                let reading = try await storeReading(inquiry).reading
                if let entry = reading.entry, entry.isFresh(at: ticker.nanoseconds()) { return .found(entry, reading.tier) }
            }
            counters.withLock { $0.backgroundLoads += 1 }
            return try await loadAndPublish(inquiry, candidate, reason: reason, load: load)
        }
        withExtendedLifetime(seen) {}
    }
}

extension Answer {
    var skippedStores: [StoreSkip] {
        get { lookup?.skippedStores ?? [] }
        set {
            guard var lookup else { return }
            lookup.skippedStores = newValue
            self = .value(lookup)
        }
    }
}
