// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A write that a store is asked for.
enum WriteOperation: Sendable {
    // A box of its own, because operations are copied from list to list.
    indirect case insert(StoredRecord)
    case remove(RecordKey)
    /// Remove a record that a reading found to be of no use. The nonce is that of a file that was damaged or missing.
    case removeUnusable(RecordKey, damagedFile: UInt64?)
    case removeTagged(String)
    case removePartition(String)
    case removeAll
    case markStale(RecordKey, at: Date)
    case markTagStale(String, at: Date)
    case markAllStale(at: Date)
    /// Several operations, one after the other, that are committed together or not at all. None is such a group itself, or is to be alone.
    case together([WriteOperation])
    /// Remove the records that lost writes were to replace, unless the keys have been written since.
    case removeLost([RecordKey], isLost: @Sendable (RecordKey) -> Bool)
    /// Delete some records that have gone with a tag.
    case sweep(tag: Int64)
    /// Write the uses that are in memory, which every transaction does.
    case flushUses
    /// Run a function in the transaction. For tools.
    case perform(@Sendable (WriteTransaction) throws -> Void)

    /// The bytes of memory that the operation takes while it waits.
    var byteCount: Int {
        switch self {
        case .insert(let record): 512 + record.stagedByteCount
        case .remove(let key), .removeUnusable(let key, _), .markStale(let key, _): 256 + key.bytes.count
        case .removeTagged(let tag), .markTagStale(let tag, _): 256 + tag.utf8.count
        case .together(let operations): operations.reduce(0) { $0 + $1.byteCount }
        default: 256
        }
    }

    /// Whether the operation must not share a transaction with others.
    var isAlone: Bool {
        switch self {
        case .perform, .removeLost: true
        default: false
        }
    }

    /// Whether readings have to know of the operation before it is committed.
    var stagesSomething: Bool { if case .flushUses = self { false } else { true } }

    /// Calls `body` with each operation of a group, or with this one.
    func forEachPart(_ body: (WriteOperation) throws -> Void) rethrows {
        if case .together(let operations) = self {
            for operation in operations { try body(operation) }
        } else {
            try body(self)
        }
    }

    func run(in transaction: WriteTransaction, prepare: (StoredRecord) throws(StoreError) -> StoredRecord) throws {
        switch self {
        case .insert(let record): try transaction.insert(prepare(record))
        case .remove(let key): try transaction.remove(key)
        case .removeUnusable(let key, let nonce): try transaction.removeUnusable(key, hasDamagedFile: nonce)
        case .removeTagged(let tag): try transaction.removeRecords(taggedWith: tag)
        case .removePartition(let name):
            let number = transaction.session.identify.number(ofPartition: name)
            try transaction.session.dropKey(ofPartition: number)
            try transaction.removePartition(number)
        case .removeAll: try transaction.removeAll()
        case .markStale(let key, let date): try transaction.markStale(key, at: date)
        case .markTagStale(let tag, let date): try transaction.markStale(taggedWith: tag, at: date)
        case .markAllStale(let date): try transaction.markAllStale(at: date)
        case .together(let operations): for operation in operations { try operation.run(in: transaction, prepare: prepare) }
        case .removeLost(let keys, let isLost): for key in keys where isLost(key) { try transaction.remove(key) }
        case .sweep(let tag): try transaction.sweep(tag)
        case .flushUses: break
        case .perform(let body): try body(transaction)
        }
    }
}

/// The state of a key whose operation has not been committed yet.
enum StagedState: Sendable {
    indirect case present(StoredRecord)
    case removed
}

/// The operations that are accepted but not yet committed, as readings must see them.
struct StagedWrites: Sendable {
    private var states: [RecordKey: (order: UInt64, state: StagedState)] = [:]
    private var tags: [String: UInt64] = [:]
    private var partitions: [String: UInt64] = [:]
    private var clearOrder: UInt64?

    var isEmpty: Bool { states.isEmpty && tags.isEmpty && partitions.isEmpty && clearOrder == nil }

    mutating func stage(_ operation: WriteOperation, order: UInt64) {
        switch operation {
        case .insert(let record):
            // A streamed payload is not here to be read. Its writer waits for the commit, so no reader may count on the record yet.
            if !record.isStreamed { states[record.key] = (order, .present(record)) }
        case .remove(let key): states[key] = (order, .removed)
        case .removeTagged(let tag): tags[tag] = order
        case .removePartition(let name): partitions[name] = order
        case .removeAll: clearOrder = order
        case .together(let operations): for operation in operations { stage(operation, order: order) }
        // A stale mark is seen when it is committed; the caller that sets it waits for that.
        case .removeUnusable, .markStale, .markTagStale, .markAllStale, .removeLost, .sweep, .flushUses, .perform: break
        }
    }

    /// The operation has been committed, or has failed.
    mutating func unstage(_ operation: WriteOperation, order: UInt64) {
        switch operation {
        case .insert(let record): if states[record.key]?.order == order { states[record.key] = nil }
        case .remove(let key): if states[key]?.order == order { states[key] = nil }
        case .removeTagged(let tag): if tags[tag] == order { tags[tag] = nil }
        case .removePartition(let name): if partitions[name] == order { partitions[name] = nil }
        case .removeAll: if clearOrder == order { clearOrder = nil }
        case .together(let operations): for operation in operations { unstage(operation, order: order) }
        case .removeUnusable, .markStale, .markTagStale, .markAllStale, .removeLost, .sweep, .flushUses, .perform: break
        }
    }

    /// Returns the state that a reader of the key must find; `nil`: the state in the database.
    func state(of key: RecordKey) -> StagedState? {
        guard let (order, state) = states[key] else { return clearOrder == nil ? nil : .removed }
        guard case .present(let record) = state else { return state }
        if let clearOrder, clearOrder > order { return .removed }
        return isRemoved(record.record, since: order) ? .removed : state
    }

    /// Whether a record in the database has gone with a tag or partition.
    func removes(_ record: Record) -> Bool {
        tags.isEmpty && partitions.isEmpty ? false : isRemoved(record, since: 0)
    }

    private func isRemoved(_ record: Record, since order: UInt64) -> Bool {
        if let partition = record.partition, let end = partitions[partition], end > order { return true }
        return !tags.isEmpty && record.tags.contains { (tags[$0] ?? 0) > order }
    }

    /// Whether an earlier operation's record is replaced or removed by a later one that is not after `limit`.
    func supersedes(_ key: RecordKey, order: UInt64, upTo limit: UInt64) -> Bool {
        guard let later = states[key]?.order else { return false }
        return later > order && later <= limit
    }
}
