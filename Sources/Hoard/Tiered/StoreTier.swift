// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A store as a ``TieredCache`` uses it: its failures are reported and counted, and never reach a caller.
///
/// Changes to one key are made in the order in which they were asked for. They run to their end even if
/// the caller is cancelled, because half an invalidation is none.
final class StoreTier: Sendable {
    let store: any RecordStore

    private let order = StripedAsyncLock()
    private let health = Mutex(Health())
    private let report: @Sendable (TieredCacheEvent) -> Void

    private struct Health: Sendable {
        var journal = InvalidationJournal()
        var isFailing = false
        var failures = 0
    }

    init(store: any RecordStore, report: @escaping @Sendable (TieredCacheEvent) -> Void) {
        self.store = store
        self.report = report
    }

    /// Operations the store has failed to do.
    var failureCount: Int { health.withLock { $0.failures } }

    func record(forKey key: RecordKey) async -> Record? {
        if health.withLock({ $0.journal.contains(key) }) {
            guard await makeGood(key) else { return nil }
        }
        do {
            let record = try await store.record(forKey: key)
            succeeded()
            return record
        } catch {
            failed(error, doing: "read")
            return nil
        }
    }

    /// Writes a record, if that is `stillWanted` when its turn has come.
    func insert(_ record: Record, forKey key: RecordKey, ifStillWanted isStillWanted: @escaping @Sendable () -> Bool) async {
        await uncancelled { [self] in
            await order.withLock(key) {
                guard isStillWanted() else { return }
                do throws(StoreError) {
                    try await store.insert(record, forKey: key)
                    health.withLock { $0.journal.settle(key) }
                    succeeded()
                } catch {
                    // These two say that the store holds nothing under the key, which is all that matters.
                    guard error.code != .recordTooLarge, error.code != .keyTooLong else { return }
                    failed(error, doing: "write")
                    // The record that was to be replaced may still be there.
                    health.withLock { $0.journal.add(key) }
                    await removeInTurn(key)
                }
            }
        }
    }

    func removeRecord(forKey key: RecordKey) async {
        guard key.bytes.count <= RecordKey.maximumByteCount else { return }
        await uncancelled { [self] in
            await order.withLock(key) {
                health.withLock { $0.journal.add(key) }
                await removeInTurn(key)
            }
        }
    }

    func removeAll() async {
        await uncancelled { [self] in
            await order.withAllLocked {
                health.withLock { $0.journal.addEverything() }
                do throws(StoreError) {
                    try await store.removeAll()
                    health.withLock { $0.journal.settleEverything() }
                    succeeded()
                } catch {
                    failed(error, doing: "remove all")
                }
            }
        }
    }

    /// Does the removals that the store has missed, as far as `key` needs them.
    ///
    /// - Returns: Whether the key may be read.
    private func makeGood(_ key: RecordKey) async -> Bool {
        if health.withLock({ $0.journal.coversEverything }) {
            await removeAll()
        } else {
            await removeRecord(forKey: key)
        }
        return health.withLock { !$0.journal.contains(key) }
    }

    private func removeInTurn(_ key: RecordKey) async {
        do {
            try await store.removeRecord(forKey: key)
            health.withLock { $0.journal.settle(key) }
            succeeded()
        } catch {
            failed(error, doing: "remove")
        }
    }

    private func uncancelled(_ work: @escaping @Sendable () async -> Void) async {
        await Task { await work() }.value
    }

    private func succeeded() {
        let hasRecovered = health.withLock { health in
            defer { health.isFailing = false }
            return health.isFailing
        }
        if hasRecovered {
            report(
                TieredCacheEvent(kind: .storeRecovered, store: store.name, description: "The \(store.name) store works again.", underlyingError: nil)
            )
        }
    }

    private func failed(_ error: StoreError, doing operation: String) {
        let isNew = health.withLock { health in
            health.failures += 1
            defer { health.isFailing = true }
            return !health.isFailing
        }
        if isNew {
            report(
                TieredCacheEvent(
                    kind: .storeFailed,
                    store: store.name,
                    description: "The \(store.name) store failed to \(operation) and is passed by: \(error.message)",
                    underlyingError: error
                )
            )
        }
    }
}
