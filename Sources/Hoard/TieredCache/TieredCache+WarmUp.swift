// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TieredCache {
    /// Brings the values of many keys into the cache, some at a time. Suspends until every key is done.
    ///
    /// ```swift
    /// let result = try await users.warmUp(popularIDs, maximumConcurrency: 16) { id in try await database.user(id) }
    /// print("\(result.loaded) loaded, \(result.failed) failed")
    /// ```
    ///
    /// Keys with a fresh value are left as they are. Keys with a stale value are loaded, and the warm-up waits for them. A load that fails is
    /// counted and does not end the others. One that takes longer than ``CachePolicy/hardTimeout`` counts as failed, and goes on. Loads are
    /// shared with other callers, as always.
    ///
    /// - Parameters:
    ///   - maximumConcurrency: The most loads at a time; less than 1 counts as 1.
    ///   - onProgress: Called after each key, one call at a time.
    /// - Returns: The number of keys found, loaded, absent and failed.
    /// - Throws: `CancellationError`. No further loads begin then.
    @discardableResult
    public func warmUp(
        _ keys: some Collection<Key>,
        maximumConcurrency: Int = 8,
        policy: CachePolicy? = nil,
        onProgress: (WarmUpProgress) -> Void = { _ in },
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> WarmUpProgress {
        let kept = policy ?? configuration.policy
        let own = policyForWarmingUp(kept)
        return try await warmUp(withoutRepetitions(keys).map { [$0] }, maximumConcurrency: maximumConcurrency, onProgress: onProgress) {
            [self] keys in
            let lookup = try await loadedLookup(forKey: keys[0], policy: own, tags: [], keptBy: kept, found: nil, load: load)
            return lookup.tier == .loader ? (0, 1, 0) : (1, 0, 0)
        }
    }

    /// Brings the values of many keys into the cache in batches: each batch is one call of each store and of the loader.
    ///
    /// - Parameters:
    ///   - batchCount: The most keys in one call; less than 1 counts as 1.
    ///   - maximumConcurrency: The most calls at a time; less than 1 counts as 1.
    ///   - load: As for ``values(forKeys:policy:tags:load:)``. When it throws, all its keys count as failed.
    @discardableResult
    public func warmUp(
        _ keys: some Collection<Key>,
        batchCount: Int,
        maximumConcurrency: Int = 4,
        policy: CachePolicy? = nil,
        onProgress: (WarmUpProgress) -> Void = { _ in },
        load: @escaping @Sendable (_ missing: [Key]) async throws -> [Key: Value]
    ) async throws -> WarmUpProgress {
        let all = withoutRepetitions(keys)
        let batches = stride(from: 0, to: all.count, by: max(1, batchCount)).map { Array(all[$0..<min(all.count - $0, max(1, batchCount)) + $0]) }
        let kept = policy ?? configuration.policy
        let own = policyForWarmingUp(kept)
        return try await warmUp(batches, maximumConcurrency: maximumConcurrency, onProgress: onProgress) { [self] keys in
            let lookups = try await lookups(forKeys: keys, policy: own) { requests in
                try await load(requests.map(\.key)).mapValues { .value($0, policy: kept) }
            }
            let loaded = lookups.values.count { $0.tier == .loader }
            return (lookups.count - loaded, loaded, keys.count - lookups.count)
        }
    }

    /// The policy without stale values and early refreshes. A load in the background would not be counted, and a stale value would hide a failed
    /// load.
    private func policyForWarmingUp(_ policy: CachePolicy) -> CachePolicy {
        policy.with { policy in
            policy.staleWhileRevalidate = .zero
            policy.staleIfError = .zero
            policy.softTimeout = nil
            policy.earlyRefresh = .never
        }
    }

    private func warmUp(
        _ batches: [[Key]],
        maximumConcurrency: Int,
        onProgress: (WarmUpProgress) -> Void,
        bring: @escaping @Sendable ([Key]) async throws -> (found: Int, loaded: Int, absent: Int)
    ) async throws -> WarmUpProgress {
        typealias Brought = Result<(found: Int, loaded: Int, absent: Int), any Error>
        var progress = WarmUpProgress(total: batches.reduce(0) { $0 + $1.count })
        var waiting = batches.makeIterator()
        try await withThrowingTaskGroup(of: (keyCount: Int, result: Brought).self) { group in
            func startNext() {
                guard let keys = waiting.next() else { return }
                group.addTask {
                    // Not in one expression with the count: docs/compiler-defects.md.
                    let result: Brought
                    do { result = .success(try await bring(keys)) } catch { result = .failure(error) }
                    return (keys.count, result)
                }
            }
            for _ in 0..<min(batches.count, max(1, maximumConcurrency)) { startNext() }
            while let outcome = try await group.next() {
                try Task.checkCancellation()
                switch outcome.result {
                case .success(let counts):
                    progress.found += counts.found
                    progress.loaded += counts.loaded
                    progress.absent += counts.absent
                case .failure(let error):
                    progress.failed += outcome.keyCount
                    progress.lastError = error
                }
                onProgress(progress)
                startNext()
            }
        }
        return progress
    }

    private func withoutRepetitions(_ keys: some Collection<Key>) -> [Key] {
        var seen: Set<Key> = []
        return keys.filter { seen.insert($0).inserted }
    }
}
