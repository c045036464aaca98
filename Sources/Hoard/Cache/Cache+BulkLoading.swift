// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Returns the values of several keys, and loads the missing ones in one call. Keys that another call is loading already are not loaded again.
    ///
    /// ```swift
    /// let team = try await users.values(forKeys: memberIDs) { missing in try await database.users(missing) }
    /// ```
    ///
    /// Counts one use, and one hit or miss, for each different key. Suspends only if a key is missing. Callers of
    /// ``value(forKey:load:)`` that ask meanwhile for a key of this load wait for it, and this call waits for their loads; every key is
    /// loaded once. Cancellation, fences and errors are as there: if one of the loads fails, the call throws its error.
    ///
    /// - Parameter load: Gets the missing keys, in the order in which they were asked for. Keys that its result does not mention are not
    ///   in the result of this call, and the cache remembers nothing of them. Other keys in its result are ignored.
    /// - Returns: The values found. Keys with a negative entry are not among them.
    /// - Throws: The error of a load; `CancellationError`; ``CacheError/Code/recursiveLoad``; the error that a negative entry keeps.
    public func values(
        forKeys keys: some Sequence<Key>,
        load: @escaping @Sendable (_ missing: [Key]) async throws -> [Key: Value]
    ) async throws -> [Key: Value] {
        var values: [Key: Value] = [:]
        var seen: Set<Key> = []
        var missing: [Key] = []
        for key in keys where seen.insert(key).inserted {
            if let value = value(forKey: key) {
                values[key] = value
            } else if try !isKnownToBeAbsent(key) {
                missing.append(key)
            }
        }
        // Another call's bulk load may not mention a key that this call waited for; then this call's own load is asked.
        while !missing.isEmpty {
            let (outcomes, ledKeys) = try await flights.runAll(missing, existing: { existing($0, acceptsAbsence: true) }) { [self] keys in
                try await loadAndPublish(keys, load: load)
            }
            let led = Set(ledKeys)
            missing.removeAll { led.contains($0) || !(outcomes[$0]?.isUnknown ?? false) }
            for (key, outcome) in outcomes {
                switch outcome {
                case .value(let value): values[key] = value
                case .failure(let error): throw error
                case .absent, .unknown: break
                }
            }
        }
        return values
    }

    private func loadAndPublish(_ keys: [Key], load: @Sendable ([Key]) async throws -> [Key: Value]) async throws -> [LoadOutcome<Value>] {
        var fences: [(key: Key, hash: UInt64, fence: FenceTable<Key>.Fence)] = []
        var outcomes: [Key: LoadOutcome<Value>] = [:]
        for key in keys {
            let hash = hasher(key)
            let fence = cells.withShard(for: hash) { $0.openFence(forKey: key) }
            // As for a single key, a write before this moment makes the load needless.
            if let outcome = existing(key, acceptsAbsence: true) {
                cells.withShard(for: hash) { $0.closeFence(fence) }
                outcomes[key] = outcome
            } else {
                fences.append((key, hash, fence))
            }
        }
        let loaded: [Key: Value]
        do {
            loaded = fences.isEmpty ? [:] : try await load(fences.map(\.key))
        } catch {
            for (_, hash, fence) in fences { noteFailedLoad(hash: hash, fence: fence) }
            throw error
        }
        for (key, hash, fence) in fences {
            if let value = loaded[key] {
                publish(.value(value), forKey: key, hash: hash, fence: fence)
                outcomes[key] = .value(value)
            } else {
                cells.withShard(for: hash) { $0.closeFence(fence) }
            }
        }
        return keys.map { outcomes[$0] ?? .unknown }
    }
}
