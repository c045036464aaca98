// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// Returns the value of a key from memory, a store or the loader. All callers that ask meanwhile share one load.
    ///
    /// The load runs in a task of its own. A cancelled caller gets `CancellationError` at once, and the load is cancelled when its last
    /// caller has left. Callers get the value when memory has it and, unless it is written behind, the stores have it too. The value may be
    /// stale where the policy allows that.
    ///
    /// - Parameters:
    ///   - policy: The policy for this call. By default the cache's policy.
    ///   - tags: Labels that a loaded value gets.
    /// - Throws: The error that `load` throws; `CancellationError`; ``CacheError/Code/timedOut``; ``CacheError/Code/recursiveLoad``; an error
    ///   that a loader has asked to keep (``LoadResult/failure(_:expiresAfter:)``). Never an error of a store.
    @inlinable public nonisolated(nonsending) func value(
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        var found: TieredEntry<Value>?
        if policy == nil, readsMemory {
            found = memory.value(forKey: key)
            if let found, needsNoCloserLook(found), let value = found.value {
                if isObserved { noteMemoryHit(key) }
                return value
            }
        }
        return try await valueBeyondMemory(forKey: key, policy: policy, tags: tags, found: found, load: load)
    }

    /// Returns the value like ``value(forKey:policy:tags:load:)``, with its provenance.
    public func lookup(
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Lookup<Value> {
        let found = policy == nil && readsMemory ? memory.value(forKey: key) : nil
        return try await loadedLookup(forKey: key, policy: policy, tags: tags, found: found, load: load)
    }

    /// Returns the value of a key, or asks a loader that may also answer that there is none, or that the stale value is still right. The
    /// loader decides how the cache keeps its answer.
    ///
    /// ```swift
    /// let user = try await users.valueIfExists(forKey: id) { request in
    ///     let response = try await database.user(request.key, unlessVersion: request.staleValue?.validator)
    ///     guard let user = response.user else { return response.isUnchanged ? .notModified() : .absent() }
    ///     return .value(user, tags: ["team-\(user.team)"], validator: response.version)
    /// }
    /// ```
    ///
    /// It works like ``value(forKey:policy:tags:load:)``, except that negative entries answer without a load.
    ///
    /// - Returns: `nil` if the loader says, or has said lately, that there is no value.
    @inlinable public nonisolated(nonsending) func valueIfExists(
        forKey key: Key,
        policy: CachePolicy? = nil,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> Value? {
        var found: TieredEntry<Value>?
        if policy == nil, readsMemory {
            found = memory.value(forKey: key)
            if let found, needsNoCloserLook(found), let value = found.value {
                if isObserved { noteMemoryHit(key) }
                return value
            }
        }
        return try await valueIfExistsBeyondMemory(forKey: key, policy: policy, found: found, load: load)
    }

    /// Returns the value like ``valueIfExists(forKey:policy:load:)``, with its provenance.
    public func lookupIfExists(
        forKey key: Key,
        policy: CachePolicy? = nil,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> Lookup<Value>? {
        let found = policy == nil && readsMemory ? memory.value(forKey: key) : nil
        return try await lookupIfExists(forKey: key, policy: policy, found: found, load: load)
    }

    @usableFromInline func lookupIfExists(
        forKey key: Key,
        policy: CachePolicy?,
        found: TieredEntry<Value>?,
        pass: FirstPass? = nil,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> Lookup<Value>? {
        let found = lookedUp(key, policy, found)
        return try await countedAnswer(inquiry(forKey: key, policy: policy, load: load), found: found, pass: pass).lookup
    }

    /// The entry in memory. A call with a policy of its own has not looked yet.
    private func lookedUp(_ key: Key, _ policy: CachePolicy?, _ found: TieredEntry<Value>?) -> TieredEntry<Value>? {
        var found = found
        if let policy, !policy.skipping.contains(.memoryReads) { found = memory.value(forKey: key) }
        noteCloserLook(found)
        return found
    }

    @usableFromInline func loadedLookup(
        forKey key: Key,
        policy: CachePolicy?,
        tags: Set<String>,
        keptBy keptPolicy: CachePolicy? = nil,
        found: TieredEntry<Value>?,
        pass: FirstPass? = nil,
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Lookup<Value> {
        let found = lookedUp(key, policy, found)
        let inquiry = inquiry(forKey: key, policy: policy, tags: tags, keptBy: keptPolicy, load: load)
        return try await countedLookup(inquiry, found: found, pass: pass)
    }

    /// Answers a request that needs a value. Counts the answer.
    private func countedLookup(_ inquiry: Inquiry, found: TieredEntry<Value>?, pass: FirstPass? = nil) async throws -> Lookup<Value> {
        do {
            let hardEnd = hardEnd(for: inquiry.policy)
            var answer = try await answer(inquiry, found: found, pass: pass, hardEnd: hardEnd)
            while true {
                if case .value(let lookup) = answer {
                    count(answer, inquiry.key)
                    return lookup
                }
                // This caller has waited for another caller's loader, which has found nothing.
                answer = try await self.answer(inquiry.skippingStoreReads, found: nil, hardEnd: hardEnd)
            }
        } catch {
            countFailure(inquiry.key)
            throw error
        }
    }

    private func countedAnswer(_ inquiry: Inquiry, found: TieredEntry<Value>?, pass: FirstPass? = nil) async throws -> Answer<Value> {
        do {
            let answer = try await answer(inquiry, found: found, pass: pass, hardEnd: hardEnd(for: inquiry.policy))
            count(answer, inquiry.key)
            return answer
        } catch {
            countFailure(inquiry.key)
            throw error
        }
    }

    private func countFailure(_ key: Key) {
        counters.withLock { $0.misses += 1 }
        if isObserved { noteFailure(key) }
    }

    /// Looks up the value that an observer waits for, and loads a new one if it can. Counts as a request, not as a use of the memory tier.
    func observedLookup(_ request: Inquiry) async throws -> Lookup<Value>? {
        var request = request
        request.isObservation = true
        request.policy.softTimeout = nil
        let found = request.policy.skipping.contains(.memoryReads) ? nil : memory.peek(request.key)
        if request.needsValue { return try await countedLookup(request, found: found) }
        return try await countedAnswer(request, found: found).lookup
    }

    // MARK: The load itself

    /// Loads a value and writes it to the tiers. Runs in a task of its own, once for all its callers.
    func loadAndPublish(
        _ inquiry: Inquiry,
        _ candidate: Candidate?,
        reason: LoadRequest<Key, Value>.Reason,
        load: @escaping Loader
    ) async throws -> TieredLoad<Value> {
        let lease: HeldLease?
        switch try await turnToLoad(inquiry) {
        case .found(let found): return found
        case .load(let held): lease = held
        }
        let fence = openFence(forKey: inquiry.key)
        let start = ticker.nanoseconds()
        let request = LoadRequest(key: inquiry.key, staleValue: candidate?.confirmable, reason: reason)
        var publication: Publication
        do {
            // The last caller may have left before the load began.
            try Task.checkCancellation()
            let result = try await observedLoad {
                let result = try await load(request)
                if case .failure(let error) = result.content { throw KeptFailure(error: error, duration: result.expiresAfter ?? .zero) }
                return result
            }
            publication = try self.publication(of: result, inquiry, candidate, fence: fence, start: start)
            noteLoad(result, inquiry.key, start: start)
        } catch {
            let kept = error as? KeptFailure
            noteFailedLoad(CollectionOfOne(inquiry.key), inquiry.policy, start: start, kept: kept, fence: fence)
            lease?.release()
            throw kept?.error ?? error
        }
        publication.lease = lease
        await publish(publication)
        return publication.cached.map { .loaded($0) } ?? .absent
    }

    func observedLoad<Result: Sendable>(_ load: @escaping @Sendable () async throws -> Result) async throws -> Result {
        guard let observer else { return try await load() }
        return try await observer.withLoad(cache: label, load)
    }

    /// Turns a loader's result into a publication, with its terms.
    func publication(
        of result: LoadResult<Value>,
        _ inquiry: Inquiry,
        _ candidate: Candidate?,
        fence: FenceTable<Key>.Fence,
        start: Int64
    ) throws -> Publication {
        var policy = result.policy ?? inquiry.policy
        if let duration = result.expiresAfter { (policy.freshFor, policy.jitter, policy.negativeFor) = (duration, .zero, duration) }
        let value: Value?
        var terms = newTerms(policy)
        switch result.content {
        case .absent, .failure:
            value = nil
            terms = newTerms(CachePolicy(freshFor: policy.negativeFor))
            terms.tags = result.tags ?? []
            terms.partition = result.partition
            // An absence that is not remembered still removes the old value.
            if policy.negativeFor <= .zero { policy.skipping.formUnion([.memoryWrites, .storeWrites]) }
        case .value(let new):
            value = new
            terms.tags = result.tags ?? []
            terms.partition = result.partition
            terms.validator = result.validator
        case .notModified:
            guard let old = candidate?.confirmable else {
                throw CacheError.unaskedNotModified
            }
            value = old.value
            terms.tags = result.tags ?? old.tags
            terms.partition = result.partition ?? old.partition
            terms.validator = result.validator ?? old.validator
        }
        terms.loadDuration = .nanoseconds(max(0, ticker.nanoseconds() &- start))
        var publication = Publication(key: inquiry.key, fence: fence, value: value, terms: terms, policy: policy)
        publication.weight = result.weight
        return publication
    }

    func newTerms(_ policy: CachePolicy) -> EntryTerms {
        EntryTerms(policy: policy, now: clock.now(), random: policy.jitter > .zero ? random() : 0)
    }

    func noteLoad(_ result: LoadResult<Value>, _ key: Key, start: Int64) {
        let isUnmodified = if case .notModified = result.content { true } else { false }
        counters.withLock { counters in
            counters.loads += 1
            if isUnmodified { counters.unmodifiedLoads += 1 }
        }
        throttle.withLock { $0.forget(key) }
        guard isObserved else { return }
        let outcome: CacheLoadOutcome =
            switch result.content {
            case .value: .value
            case .notModified: .notModified
            case .absent: .absent
            case .failure: .failed
            }
        observer?.loadEnded(outcome, duration: .nanoseconds(ticker.nanoseconds() &- start), cache: label)
    }

    /// - Parameters:
    ///   - kept: The failure that the key's callers get instead of loading again.
    ///   - fence: The fence of the load, which is closed here.
    func noteFailedLoad(
        _ keys: some Collection<Key>,
        _ policy: CachePolicy,
        start: Int64,
        kept: KeptFailure? = nil,
        fence: FenceTable<Key>.Fence? = nil
    ) {
        counters.withLock { $0.loadFailures += keys.count }
        let now = ticker.nanoseconds()
        let isCancelled = Task.isCancelled
        // A cancelled load says nothing about the source.
        if !isCancelled {
            let retry = now.addingSaturated(max(0, (kept?.duration ?? policy.retryAfterFailure).saturatingNanoseconds))
            throttle.withLock { throttle in
                for key in keys { throttle.loadFailed(key, retryAt: retry, error: kept?.error, now: now) }
            }
        }
        if let fence {
            // A change breaks the fence first and forgets the failure second. Here the failure is noted first and the fence checked second. So
            // whichever comes later sees the other.
            if kept != nil, !isIntact(fence) { for key in keys { forgetFailure(of: key) } }
            closeFence(fence)
        }
        if isObserved { observer?.loadEnded(isCancelled ? .cancelled : .failed, duration: .nanoseconds(now &- start), cache: label) }
    }

    /// Forgets a failed load, so that the source of a changed key may be asked again.
    @usableFromInline func forgetFailure(of key: Key) { throttle.withLock { $0.forget(key) } }
}

/// An error that a loader wants to be kept.
struct KeptFailure: Error, CustomStringConvertible {
    let error: any Error
    let duration: Duration

    var description: String { "\(error)" }
}

extension TieredCache.Inquiry {
    /// The same request without reads of stores, which have answered already.
    var skippingStoreReads: Self {
        var copy = self
        copy.policy.skipping.formUnion(.storeReads)
        return copy
    }
}
