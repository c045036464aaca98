// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reads of stores on a miss in memory. All of it can be inlined, because generic code that is not specialised looks up types at every
/// step.
extension TieredCache {
    /// The outcome of asking the stores that can answer at once or call back.
    @usableFromInline struct FirstPass: Sendable {
        /// The findings of the stores. `nil`: the wait for one of them needs a task of its own.
        @usableFromInline var reading: StoreReading?
        /// The first store still to read, if `reading` is `nil`.
        @usableFromInline var next: Int
        /// Whether the caller has waited for a store. Others may have begun to load meanwhile.
        @usableFromInline var hasWaited: Bool

        @inlinable init(reading: StoreReading? = nil, next: Int = 0, hasWaited: Bool = false) {
            self.reading = reading
            self.next = next
            self.hasWaited = hasWaited
        }

        /// Whether every store has been asked and has nothing.
        @inlinable var findsNothing: Bool { reading?.isEmpty ?? false }
    }

    /// Asks the stores in the caller's task after a miss in memory. Stops at the first store that can neither answer at once nor call back.
    ///
    /// - Returns: `nil` if the stores are to be skipped.
    @inlinable func firstPass(forKey key: Key, under policy: CachePolicy) async -> FirstPass? {
        if policy.skipping.contains(.storeReads) { return nil }
        var next = 0
        if stack.answersAtOnce {
            let skipsMemory = policy.skipping.contains(.memoryWrites)
            let (reading, isWhole, first) = await readStores(key, skipsMemory: skipsMemory, from: 0, mayWait: false)
            if isWhole { return FirstPass(reading: reading) }
            if reading.isEmpty { next = first }
        } else if stack.tiers.isEmpty {
            return FirstPass(reading: StoreReading())
        }
        // A caller with a timeout must be able to leave. The timeout covers stores and loader together.
        guard next >= stack.firstCallback, policy.hardTimeout == nil, !Task.isCancelled, beginReading(key) else { return FirstPass(next: next) }
        let reading = await readStores(key, skipsMemory: policy.skipping.contains(.memoryWrites), from: next, mayWait: true).reading
        endReading(key)
        // A caller that was cancelled meanwhile gets the answer of a cancelled caller.
        return Task.isCancelled ? FirstPass(next: next) : FirstPass(reading: reading, hasWaited: true)
    }

    /// Returns whether the caller may read a key from the stores in its own task. Callers that come meanwhile share one read in another task. So
    /// the stores are asked at most twice, however many callers there are.
    @inlinable func beginReading(_ key: Key) -> Bool { ownReads.withLock { key == key && $0.insert(key).inserted } }

    @inlinable func endReading(_ key: Key) { ownReads.withLock { _ = $0.remove(key) } }

    // Specialised for its users, but not inlined. A hit in memory needs none of it, so its code stays small.

    /// Returns the fresh value of a key after memory had nothing that can be used without a closer look.
    @inlinable @inline(never) func valueBeyondMemory(forKey key: Key, policy: CachePolicy?, found: TieredEntry<Value>?) async -> Value? {
        var pass: FirstPass?
        if policy == nil, found == nil {
            pass = await firstPass(forKey: key, under: configuration.policy)
            if let value = freshValue(pass, key) { return value }
            if pass?.findsNothing == true {
                noteMiss(key)
                return nil
            }
        }
        return await freshValue(forKey: key, policy: policy, found: found, pass: pass)
    }

    /// Does the same, and loads the value if the stores do not have it.
    @inlinable @inline(never) func valueBeyondMemory(
        forKey key: Key,
        policy: CachePolicy?,
        tags: Set<String>,
        found: TieredEntry<Value>?,
        load: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        var pass: FirstPass?
        if policy == nil, found == nil {
            pass = await firstPass(forKey: key, under: configuration.policy)
            if let value = freshValue(pass, key) { return value }
        }
        return try await loadedLookup(forKey: key, policy: policy, tags: tags, found: found, pass: pass, load: load).value
    }

    /// Does the same with a loader that may find nothing.
    @inlinable @inline(never) func valueIfExistsBeyondMemory(
        forKey key: Key,
        policy: CachePolicy?,
        found: TieredEntry<Value>?,
        load: @escaping @Sendable (LoadRequest<Key, Value>) async throws -> LoadResult<Value>
    ) async throws -> Value? {
        var pass: FirstPass?
        if policy == nil, found == nil {
            pass = await firstPass(forKey: key, under: configuration.policy)
            if let value = freshValue(pass, key) { return value }
        }
        return try await lookupIfExists(forKey: key, policy: policy, found: found, pass: pass, load: load)?.value
    }

    /// Returns the value that a first pass has found, if it is fresh and no load is due. Counts as a hit.
    @inlinable func freshValue(_ pass: FirstPass?, _ key: Key) -> Value? {
        guard let reading = pass?.reading, let entry = reading.entry, reading.skipped.isEmpty, needsNoCloserLook(entry),
            let value = entry.value
        else { return nil }
        counters.withLock { $0.storeHits += 1 }
        if isObserved { noteStoreHit(key, reading.tier) }
        return value
    }

    /// Asks the stores in order, and copies the record it finds to the tiers above, unless the key is written or removed meanwhile.
    ///
    /// - Parameter mayWait: Whether to go on at a store that cannot answer at once.
    /// - Returns: The findings; whether every store that had to be read was read; and the first store that was not.
    @inlinable func readStores(
        _ key: Key,
        skipsMemory: Bool,
        from first: Int,
        mayWait: Bool
    ) async -> (reading: StoreReading, isWhole: Bool, next: Int) {
        var reading = StoreReading()
        let tiers = tiers
        let positions = stack.positions
        interleavingPoint()
        let (fence, isBeingWritten) = fences.withLock { ($0.openForCopy(key, positions), $0.isBeingWritten(key)) }
        if isBeingWritten {
            // Some tiers have the old value and some the new one. A caller that has seen the new value must not see the old one.
            reading.skipped = stack.skips(.beingChanged)
            return (reading, true, tiers.count)
        }
        guard let recordKey = naming.recordKey(for: key) else {
            if let fence { closeFence(fence) }
            return (reading, true, tiers.count)
        }
        var found: (record: Record, entry: TieredEntry<Value>, tierIndex: Int)?
        search: for index in first..<tiers.count {
            let tier = tiers[index]
            switch await tier.reading(forKey: recordKey, mayWait: mayWait) {
            case nil:
                if let fence { closeFence(fence) }
                reading.entry = found?.entry
                return (reading, false, index)
            case .nothing: continue
            case .skipped(let reason): reading.skipped.append(StoreSkip(store: tier.name, reason: reason))
            case .record(let record):
                guard let entry = await entry(from: record, recordKey: recordKey, tier: tier, fence: fence) else { continue }
                let isFresh = record.isFresh(at: clock.now())
                if isFresh || found.map({ $0.record.created < record.created }) ?? true { found = (record, entry, index) }
                if isFresh { break search }
            }
        }
        guard let (record, entry, tierIndex) = found else {
            if let fence { closeFence(fence) }
            return (reading, true, tiers.count)
        }
        reading.entry = entry
        reading.tier = .store(tiers[tierIndex].name)
        if let fence {
            if tierIndex == 0 {
                _ = promoteToMemory(entry, forKey: key, fence: fence, skipsMemory: skipsMemory, closesFence: true)
            } else {
                let promotion = Promotion(key: key, recordKey: recordKey, record: record, entry: entry, tierIndex: tierIndex, fence: fence)
                await promote([promotion], skipsMemory: skipsMemory)
            }
        }
        return (reading, true, tiers.count)
    }

    /// Decodes a record into an entry; `nil` if that fails. Such a record is removed.
    @inlinable func entry(from record: Record, recordKey: RecordKey, tier: StoreTier, fence: FenceTable<Key>.Fence?) async -> TieredEntry<Value>? {
        var underlyingError: (any Error)?
        if record.schemaFingerprint == codec.schemaFingerprint {
            let terms = naming.terms(of: record, hasValidator: codec.validator == nil)
            if record.isNegative { return entry(nil, terms: terms) }
            do {
                return entry(try codec.decode(record.payload), terms: terms)
            } catch {
                underlyingError = error
            }
        }
        await reject(recordKey, in: tier, fence: fence, underlyingError)
        return nil
    }

    /// Promotes a store's value to memory if its fence is intact. A promotion replaces nothing newer and breaks no other fence.
    ///
    /// - Parameter closesFence: Whether to close the fence, which is not needed any more.
    /// - Returns: Whether the copy may go on to other tiers.
    @inlinable func promoteToMemory(
        _ entry: TieredEntry<Value>,
        forKey key: Key,
        fence: FenceTable<Key>.Fence,
        skipsMemory: Bool,
        closesFence: Bool
    ) -> Bool {
        let new = skipsMemory ? nil : memoryEntry(entry, forKey: key)
        interleavingPoint()
        let outcome = fences.withLock { fences -> PromotionOutcome in
            let isIntact = fences.isIntact(fence, tags: entry.terms.labels)
            if closesFence { fences.close(fence) }
            guard isIntact else { return .fenced }
            guard let new else { return .skipped }
            if let current = memory.peek(key), current.terms.created >= entry.terms.created, current.isProvisional || current.isAsGood(as: entry) {
                return .superseded(by: current)
            }
            guard observers.isInUse else { return .published(left: memory.insert(new, forKey: key)) }
            let old = memory.peek(key)
            let left = memory.insert(new, forKey: key)
            let isNews = memory.peek(key) === entry && old.map { $0.terms.created < entry.terms.created } ?? true
            return .published(left: left, isNews: isNews)
        }
        switch outcome {
        case .fenced:
            counters.withLock { $0.fencedPublications += 1 }
            return false
        case .published(let left, let isNews):
            memory.report(left)
            if isNews { noteLook(at: key) }
        case .skipped, .superseded: break
        }
        return true
    }

    /// The outcome of a promotion to memory. Keeps entries that left memory alive until the lock has been released.
    @usableFromInline enum PromotionOutcome {
        /// Memory has the entry. It is news for observers if memory keeps it and had nothing as new.
        case published(left: Departures<Key, TieredEntry<Value>>, isNews: Bool = false)
        case superseded(by: TieredEntry<Value>)
        case skipped
        case fenced
    }
}
