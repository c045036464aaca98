// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// Reads the stores for a key. Callers that ask for the same key meanwhile share the read.
    ///
    /// - Parameters:
    ///   - first: The first store to read. The stores above it have just answered that they have nothing.
    ///   - hardEnd: The tick at which the caller stops waiting. The read goes on then.
    /// - Throws: `CancellationError`; `recursiveLoad` for a store that asks the cache above it; ``WaitTimedOut``.
    func storeReading(_ inquiry: Inquiry, from first: Int = 0, hardEnd: Int64? = nil) async throws -> (reading: StoreReading, isCoalesced: Bool) {
        let skipsMemory = inquiry.policy.skipping.contains(.memoryWrites)
        let (reading, isCoalesced) = try await storeReads.run(inquiry.key, deadline: hardEnd.map { ($0, deadlines) }) { [self] in
            await readStores(inquiry.key, skipsMemory: skipsMemory, from: first, mayWait: true).reading
        }
        return (reading, isCoalesced)
    }

    /// Counts and reports a record that cannot be decoded, and removes it.
    @usableFromInline func reject(
        _ recordKey: RecordKey,
        in tier: StoreTier,
        fence: FenceTable<Key>.Fence?,
        _ underlyingError: (any Error)?
    ) async {
        counters.withLock { $0.rejectedRecords += 1 }
        report(
            TieredCacheEvent(
                kind: .recordRejected,
                store: tier.name,
                description: "A record in the \(tier.name) store has another schema or does not decode; it was removed.",
                underlyingError: underlyingError
            )
        )
        // If the key has been written since, the store has another record by now.
        await tier.remove([.init(key: recordKey) { [self] in fence.map { isIntact($0) } ?? false ? .wanted : .unwanted }])
    }

    /// A record of a store that is to be copied to the tiers above.
    @usableFromInline struct Promotion: Sendable {
        let key: Key
        let recordKey: RecordKey
        let record: Record
        let entry: TieredEntry<Value>
        let tierIndex: Int
        let fence: FenceTable<Key>.Fence

        @usableFromInline init(
            key: Key,
            recordKey: RecordKey,
            record: Record,
            entry: TieredEntry<Value>,
            tierIndex: Int,
            fence: FenceTable<Key>.Fence
        ) {
            self.key = key
            self.recordKey = recordKey
            self.record = record
            self.entry = entry
            self.tierIndex = tierIndex
            self.fence = fence
        }
    }

    /// Copies records to memory and, in the background, to the stores above their own. Closes the fences.
    @usableFromInline func promote(_ promotions: [Promotion], skipsMemory: Bool) async {
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
                    let guarded = storeGuard(of: promotion.fence, forKey: promotion.key, tier: index)
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
