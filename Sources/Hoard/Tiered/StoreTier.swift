// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A store as a ``TieredCache`` uses it: its failures are reported and counted, and never reach a caller.
///
/// Changes to one key are made in the order in which they were asked for. They run to their end even if
/// the caller is cancelled, because half an invalidation is none.
final class StoreTier: Sendable {
    let store: any RecordStore

    let order = StripedAsyncLock()
    private let health = Mutex(Health())
    private let report: @Sendable (TieredCacheEvent) -> Void

    private struct Health: Sendable {
        var journal = InvalidationJournal()
        /// The hardest operation that has failed, until one as hard has succeeded. While there is one, the store is failing.
        var failingOperation: Operation?
        var failures = 0
    }

    /// What a store does, by how much it needs for that: one whose disk is full can still read and remove, one that can write can do all.
    private enum Operation: Int, Comparable, CustomStringConvertible {
        case read, remove, write

        static func < (left: Operation, right: Operation) -> Bool { left.rawValue < right.rawValue }

        var description: String {
            switch self {
            case .read: "read"
            case .remove: "remove"
            case .write: "write"
            }
        }
    }

    init(store: any RecordStore, report: @escaping @Sendable (TieredCacheEvent) -> Void) {
        self.store = store
        self.report = report
    }

    /// Operations the store has failed to do.
    var failureCount: Int { health.withLock { $0.failures } }

    func record(forKey key: RecordKey) async -> Record? {
        // No store can have a record of such a key.
        guard key.bytes.count <= RecordKey.maximumByteCount else { return nil }
        if health.withLock({ $0.journal.contains(key) }) {
            guard await makeGood(key) else { return nil }
        }
        do {
            let record = try await store.record(forKey: key)
            succeeded(.read)
            return record
        } catch {
            failed(error, doing: .read)
            return nil
        }
    }

    /// Writes a record, if that is `stillWanted` when its turn has come.
    func insert(_ record: Record, forKey key: RecordKey, ifStillWanted isStillWanted: @escaping @Sendable () -> Bool) async {
        guard key.bytes.count <= RecordKey.maximumByteCount else { return }
        await uncancelled { [self] in
            await order.withLock(key) {
                guard isStillWanted() else { return }
                do throws(StoreError) {
                    try await store.insert(record, forKey: key)
                    health.withLock { $0.journal.settle(key) }
                    succeeded(.write)
                } catch {
                    // This one says that the store holds nothing under the key, which is all that matters.
                    guard error.code != .recordTooLarge else { return health.withLock { $0.journal.settle(key) } }
                    failed(error, doing: .write)
                    // The record that was to be replaced may still be there.
                    health.withLock { $0.journal.add(key) }
                    await removeInTurn(key)
                }
            }
        }
    }

    /// Removes a record, if that is `stillWanted` when its turn has come.
    func removeRecord(forKey key: RecordKey, ifStillWanted isStillWanted: @escaping @Sendable () -> Bool = { true }) async {
        guard key.bytes.count <= RecordKey.maximumByteCount else { return }
        await uncancelled { [self] in
            await order.withLock(key) {
                guard isStillWanted() else { return }
                health.withLock { $0.journal.add(key) }
                await removeInTurn(key)
            }
        }
    }

    /// Removes all records, and calls `onTurn` when the turn to do that has come.
    func removeAll(onTurn: @escaping @Sendable () -> Void = {}) async {
        await uncancelled { [self] in
            await order.withAllLocked {
                onTurn()
                health.withLock { $0.journal.addEverything() }
                await removeAllInTurn()
            }
        }
    }

    /// Does the removals that the store has missed, as far as `key` needs them.
    ///
    /// - Returns: Whether the key may be read.
    private func makeGood(_ key: RecordKey) async -> Bool {
        // Somebody else may have done it when the turn has come; what has been written since must stay.
        await uncancelled { [self] in
            if health.withLock({ $0.journal.coversEverything }) {
                await order.withAllLocked {
                    if health.withLock({ $0.journal.coversEverything }) { await removeAllInTurn() }
                }
            } else {
                await order.withLock(key) {
                    if health.withLock({ $0.journal.contains(key) }) { await removeInTurn(key) }
                }
            }
        }
        return health.withLock { !$0.journal.contains(key) }
    }

    private func removeInTurn(_ key: RecordKey) async {
        do {
            try await store.removeRecord(forKey: key)
            health.withLock { $0.journal.settle(key) }
            succeeded(.remove)
        } catch {
            failed(error, doing: .remove)
        }
    }

    private func removeAllInTurn() async {
        do {
            try await store.removeAll()
            health.withLock { $0.journal.settleEverything() }
            succeeded(.remove)
        } catch {
            failed(error, doing: .remove)
        }
    }

    private func uncancelled(_ work: @escaping @Sendable () async -> Void) async {
        await Task { await work() }.value
    }

    private func succeeded(_ operation: Operation) {
        let hasRecovered = health.withLock { health in
            guard let failing = health.failingOperation, operation >= failing else { return false }
            health.failingOperation = nil
            return true
        }
        if hasRecovered {
            report(
                TieredCacheEvent(kind: .storeRecovered, store: store.name, description: "The \(store.name) store works again.", underlyingError: nil)
            )
        }
    }

    private func failed(_ error: StoreError, doing operation: Operation) {
        let isNew = health.withLock { health in
            health.failures += 1
            defer { health.failingOperation = max(operation, health.failingOperation ?? operation) }
            return health.failingOperation == nil
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
