// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// The keys whose last write was accepted, not waited for, and has failed. The writer believes that the new record is there, so the old one
/// must not be served: the key is a miss until the old record has been removed.
final class LostWrites: Sendable {
    private struct State {
        /// Whether the key's removal is under way.
        var keys: [RecordKey: Bool] = [:]
        /// Too many to know: every key is a miss until the database has been emptied.
        var isEverything = false
        var isClearing = false
    }

    static let maximumCount = 10_000

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    /// Notes a failed operation. Returns how many records were lost by it.
    func add(_ operation: WriteOperation) -> Int {
        var lostCount = 0
        operation.forEachPart { part in if addPart(part) { lostCount += 1 } }
        return lostCount
    }

    private func addPart(_ operation: WriteOperation) -> Bool {
        state.withLock { state in
            defer { count.store(state.isEverything ? .max : state.keys.count, ordering: .releasing) }
            switch operation {
            case .insert(let record):
                state.keys[record.key] = false
                if state.keys.count > Self.maximumCount {
                    state.isEverything = true
                    state.keys = [:]
                }
                return true
            case .remove(let key):
                if state.keys[key] != nil { state.keys[key] = false }
            case .removeAll:
                state.isClearing = false
            case .removeLost(let keys, _):
                for key in keys where state.keys[key] != nil { state.keys[key] = false }
            case .removeUnusable, .removeTagged, .removePartition, .markStale, .markTagStale, .markAllStale, .together, .sweep, .flushUses, .perform:
                break
            }
            return false
        }
    }

    /// An operation has been committed: the records that it wrote or removed are as they should be.
    func settle(_ operation: WriteOperation) {
        if count.load(ordering: .acquiring) == 0 { return }
        operation.forEachPart(settlePart)
    }

    private func settlePart(_ operation: WriteOperation) {
        state.withLock { state in
            switch operation {
            case .insert(let record): state.keys[record.key] = nil
            case .remove(let key): state.keys[key] = nil
            case .removeLost(let keys, _): for key in keys { state.keys[key] = nil }
            case .removeAll: state = State()
            case .removeUnusable, .removeTagged, .removePartition, .markStale, .markTagStale, .markAllStale, .together, .sweep, .flushUses, .perform:
                break
            }
            count.store(state.isEverything ? .max : state.keys.count, ordering: .releasing)
        }
    }

    /// Whether the database's record of a key must not be served.
    func contains(_ key: RecordKey) -> Bool {
        if count.load(ordering: .acquiring) == 0 { return false }
        return state.withLock { $0.isEverything || $0.keys[key] != nil }
    }

    /// An operation that removes records that must not be served, or some of them, if that is not yet under way.
    ///
    /// It shares no transaction with others. So records that were written before it are known to be there when it runs,
    /// and are left alone.
    func takeRetry() -> WriteOperation? {
        if count.load(ordering: .acquiring) == 0 { return nil }
        return state.withLock { state in
            if state.isEverything {
                defer { state.isClearing = true }
                return state.isClearing ? nil : .removeAll
            }
            let keys = Array(state.keys.filter { !$0.value }.keys.prefix(64))
            if keys.isEmpty { return nil }
            for key in keys { state.keys[key] = true }
            return .removeLost(keys) { [weak self] in self?.contains($0) ?? false }
        }
    }
}
