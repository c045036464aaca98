// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// What the stores have of a key, read together with whoever else reads them for it.
    ///
    /// - Parameter first: The first store to be read: those above it have just answered that they have nothing.
    /// - Throws: `CancellationError`; `recursiveLoad` for a store that asks the cache above it.
    func storeReading(_ inquiry: Inquiry, from first: Int = 0) async throws -> (reading: StoreReading, isCoalesced: Bool) {
        let skipsMemory = inquiry.policy.skipping.contains(.memoryWrites)
        let (reading, isCoalesced) = try await storeReads.run(inquiry.key) { [self] in
            await readStores(inquiry.key, skipsMemory: skipsMemory, from: first, mayWait: true).reading
        }
        return (reading, isCoalesced)
    }

    /// What came of asking the stores that can answer at once.
    struct FirstPass: Sendable {
        /// What the stores have. `nil`: one that had to be asked cannot answer at once.
        var reading: StoreReading?
        /// The first store that is still to be read then.
        var next = 0
    }

    /// Asks the stores on the caller's thread, without a task, as far as they can answer at once.
    func firstPass(forKey key: Key, skipsMemory: Bool) async -> FirstPass {
        guard tiers.first?.immediateStore != nil else { return FirstPass() }
        let (reading, isWhole, next) = await readStores(key, skipsMemory: skipsMemory, from: 0, mayWait: false)
        return isWhole ? FirstPass(reading: reading) : FirstPass(next: reading.isEmpty ? next : 0)
    }

    /// The same for a call without a policy of its own that has found nothing in memory: the way of a hit in a disk store, which is kept short.
    ///
    /// - Returns: The value, if it is fresh and no load is due; otherwise what the stores have, to go on with.
    func firstPass(forKey key: Key) async -> (value: Value?, pass: FirstPass?) {
        let skipping = configuration.policy.skipping
        guard !skipping.contains(.storeReads) else { return (nil, nil) }
        let pass = await firstPass(forKey: key, skipsMemory: skipping.contains(.memoryWrites))
        guard let reading = pass.reading, let entry = reading.entry, reading.skipped.isEmpty, needsNoCloserLook(entry), let value = entry.value else {
            return (nil, pass)
        }
        counters.withLock { $0.storeHits += 1 }
        if isObserved { observer?.requestAnswered(.hit, tier: reading.tier, cache: label) }
        return (value, pass)
    }

    /// Asks the stores in order, and copies what it finds to the tiers above, as long as nobody writes or removes the key.
    ///
    /// - Parameter mayWait: Whether to go on at a store that cannot answer at once.
    /// - Returns: What was found; whether all stores have been read that had to be; and the one that has not.
    private func readStores(
        _ key: Key,
        skipsMemory: Bool,
        from first: Int,
        mayWait: Bool
    ) async -> (reading: StoreReading, isWhole: Bool, next: Int) {
        var reading = StoreReading()
        let positions = stack.positions
        interleavingPoint()
        let (fence, isBeingWritten) = fences.withLock { ($0.openForCopy(key, positions), $0.isBeingWritten(key)) }
        if isBeingWritten {
            // Some tiers have what is about to be replaced, others what replaces it. Whoever has seen the new must not see the old.
            reading.skipped = tiers.map { StoreSkip(store: $0.store.name, reason: .beingChanged) }
            return (reading, true, tiers.count)
        }
        guard let recordKey = naming.recordKey(for: key) else {
            if let fence { closeFence(fence) }
            return (reading, true, tiers.count)
        }
        var found: (record: Record, entry: TieredEntry<Value>, tierIndex: Int)?
        search: for index in first..<tiers.count {
            let tier = tiers[index]
            switch mayWait ? await tier.record(forKey: recordKey) : await tier.immediateRecord(forKey: recordKey) {
            case nil:
                if let fence { closeFence(fence) }
                reading.entry = found?.entry
                return (reading, false, index)
            case .nothing: continue
            case .skipped(let reason): reading.skipped.append(StoreSkip(store: tier.store.name, reason: reason))
            case .record(let record):
                guard let entry = await entry(from: record, recordKey: recordKey, tier: tier, fence: fence) else { continue }
                let isFresh = record.isFresh(at: clock.now())
                if isFresh || found.map({ $0.record.created < record.created }) ?? true { found = (record, entry, index) }
                if isFresh { break search }
            }
        }
        if let found {
            reading.entry = found.entry
            reading.tier = .store(tiers[found.tierIndex].store.name)
            if let fence {
                let (record, entry, tierIndex) = found
                if tierIndex == 0 {
                    _ = promoteToMemory(entry, forKey: key, fence: fence, skipsMemory: skipsMemory, closesFence: true)
                } else {
                    let promotion = Promotion(key: key, recordKey: recordKey, record: record, entry: entry, tierIndex: tierIndex, fence: fence)
                    await promote([promotion], skipsMemory: skipsMemory)
                }
            }
        } else if let fence {
            closeFence(fence)
        }
        return (reading, true, tiers.count)
    }

    /// The entry that a record makes; `nil` if it cannot be decoded. Such a record is removed.
    func entry(from record: Record, recordKey: RecordKey, tier: StoreTier, fence: FenceTable<Key>.Fence?) async -> TieredEntry<Value>? {
        let underlyingError: (any Error)?
        if record.schemaFingerprint == codec.schemaFingerprint {
            var terms = naming.terms(of: record)
            if codec.validator != nil { terms.validator = nil }
            if record.isNegative { return entry(nil, terms: terms) }
            do {
                return entry(try codec.decode(record.payload), terms: terms)
            } catch {
                underlyingError = error
            }
        } else {
            underlyingError = nil
        }
        counters.withLock { $0.rejectedRecords += 1 }
        let name = tier.store.name
        report(
            TieredCacheEvent(
                kind: .recordRejected,
                store: name,
                description: "A record in the \(name) store has another schema or does not decode; it was removed.",
                underlyingError: underlyingError
            )
        )
        // If the key has been written since, there is another record by now.
        await tier.remove([.init(key: recordKey) { [self] in fence.map { isIntact($0) } ?? false ? .wanted : .unwanted }])
        return nil
    }

    /// What a store has, on its way to the tiers above.
    struct Promotion: Sendable {
        let key: Key
        let recordKey: RecordKey
        let record: Record
        let entry: TieredEntry<Value>
        let tierIndex: Int
        let fence: FenceTable<Key>.Fence
    }

    /// Copies what stores have to memory and, in the background, to the stores above them. Closes the fences.
    func promote(_ promotions: [Promotion], skipsMemory: Bool) async {
        let rising = promotions.filter { promotion in
            let (rises, fence) = (promotion.tierIndex > 0, promotion.fence)
            let isIntact = promoteToMemory(promotion.entry, forKey: promotion.key, fence: fence, skipsMemory: skipsMemory, closesFence: !rises)
            if rises, !isIntact { closeFence(fence) }
            return rises && isIntact
        }
        if rising.isEmpty { return }
        await storeWrites.run { [self] in
            for (index, tier) in tiers.enumerated() {
                let insertions = rising.filter { $0.tierIndex > index }.map { promotion in
                    let guarded = promotion.fence.positions[index].map { position in
                        StoreTier.Guard(position: position) { [self] in refused(promotion.key, inTier: index) }
                    }
                    return StoreTier.Insertion(key: promotion.recordKey, record: promotion.record, guarded: guarded) { [self] in
                        isIntact(promotion.fence, tags: promotion.entry.terms.labels) ? .wanted : .unwanted
                    }
                }
                if !insertions.isEmpty { await tier.insert(insertions) }
            }
            for promotion in rising { closeFence(promotion.fence) }
        }
    }

    /// The record of a value; `nil` if it cannot be encoded.
    func record(_ value: Value?, terms: EntryTerms) -> Record? {
        do {
            var record = Record(
                payload: try value.map { try codec.encode($0) } ?? .init(),
                created: terms.created,
                freshUntil: terms.freshUntil,
                staleUntil: terms.staleUntil.map { .date($0) } ?? .forever,
                tags: naming.storeTags(for: terms.tags),
                partition: terms.partition.map { naming.storePartition(for: $0) },
                validator: codec.validator.flatMap { validator in value.flatMap(validator) } ?? terms.validator,
                contentType: value == nil ? nil : codec.contentType,
                schemaFingerprint: codec.schemaFingerprint
            )
            record.staleWhileRevalidate = terms.staleWhileRevalidate
            record.staleIfError = terms.staleIfError
            record.loadDuration = terms.loadDuration
            record.isNegative = value == nil
            return record
        } catch {
            report(
                TieredCacheEvent(
                    kind: .valueNotEncoded,
                    store: "all",
                    description: "\((error as? CacheError)?.message ?? "A value could not be encoded.") It is kept in memory only.",
                    underlyingError: error
                )
            )
            return nil
        }
    }
}
