// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SharedMemoryStore {
    /// One of the connections that share the records, as a store. Closing it leaves the records and the other
    /// connections as they are.
    public final class Connection: SharedRecordStore {
        struct State: Sendable {
            var isConnected = true
            var isClosed = false
            /// Positions before this one are from before the connection was lost.
            var floor: UInt64 = 0
            /// For tests of tests: whether it writes whatever others have changed.
            var ignoresChanges = false
        }

        public let name: String
        let server: SharedMemoryStore
        let id: UInt64
        let mailbox: Mailbox
        let state = Mutex(State())

        init(to server: SharedMemoryStore, id: UInt64, mailbox: Mailbox, name: String) {
            self.server = server
            self.id = id
            self.mailbox = mailbox
            self.name = name
        }

        deinit {
            server.state.withLock { _ = $0.mailboxes.removeValue(forKey: id) }
        }

        /// Lets some news come, and makes sure that the connection works.
        func use() throws(StoreError) {
            let (isConnected, isClosed) = state.withLock { ($0.isConnected, $0.isClosed) }
            if isClosed { throw StoreError(.closed, "The \(name) store has been closed.") }
            guard isConnected else { throw StoreError(.unavailable, "The \(name) store is not connected.") }
            mailbox.deliverAtRandom()
        }

        private func change(_ invalidations: [StoreInvalidation], _ body: (MemoryStore) async throws(StoreError) -> Void) async throws(StoreError) {
            try use()
            let records = server.records
            try await server.change(invalidations, by: id) { () async throws(StoreError) in try await body(records) }
        }

        // MARK: RecordStore

        public func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
            try use()
            return try await server.records.record(forKey: key)
        }

        public func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
            try use()
            return try await server.records.records(forKeys: keys)
        }

        public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
            try await change([.init(key: key)]) { records async throws(StoreError) in try await records.insert(record, forKey: key) }
        }

        public func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
            try await change(records.keys.map { .init(key: $0) }) { store async throws(StoreError) in try await store.insert(records) }
        }

        public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
            try await change([.init(key: key)]) { records async throws(StoreError) in try await records.removeRecord(forKey: key) }
        }

        public func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
            try await change(keys.map { .init(key: $0) }) { records async throws(StoreError) in try await records.removeRecords(forKeys: keys) }
        }

        public func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
            if tags.isEmpty { return try use() }
            try await change([.init(tags: tags)]) { records async throws(StoreError) in try await records.removeRecords(taggedWith: tags) }
        }

        public func removePartition(_ partition: String) async throws(StoreError) {
            try await change([.init(partition: partition)]) { records async throws(StoreError) in
                try await records.removePartition(partition)
            }
        }

        public func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
            try await change([.init(key: key)]) { records async throws(StoreError) in try await records.markRecordStale(forKey: key, at: date) }
        }

        public func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
            if tags.isEmpty { return try use() }
            try await change([.init(tags: tags)]) { records async throws(StoreError) in
                try await records.markRecordsStale(taggedWith: tags, at: date)
            }
        }

        public func markAllRecordsStale(at date: Date) async throws(StoreError) {
            try await change([.everything]) { records async throws(StoreError) in try await records.markAllRecordsStale(at: date) }
        }

        public func removeAll() async throws(StoreError) {
            try await change([.everything]) { records async throws(StoreError) in try await records.removeAll() }
        }

        public func statistics() async throws(StoreError) -> StoreStatistics {
            try use()
            return try await server.records.statistics()
        }

        public func close() async {
            state.withLock { $0.isClosed = true }
            server.state.withLock { _ = $0.mailboxes.removeValue(forKey: id) }
            mailbox.watchers.finish()
        }

        // MARK: SharedRecordStore

        public var position: StorePosition { StorePosition(number: server.state.withLock { $0.changes.sequence }) }

        public func insert(_ record: Record, forKey key: RecordKey, ifUnchangedSince position: StorePosition) async throws(StoreError) -> Bool {
            try use()
            let (server, id) = (server, id)
            let (isTooOld, ignoresChanges) = state.withLock { (position.number < $0.floor && !$0.ignoresChanges, $0.ignoresChanges) }
            let isInserted: Bool
            do throws(StoreError) {
                isInserted = try server.records.insert(record, forKey: key) {
                    // Noted at the same moment: of two that have begun to load, only one writes.
                    !isTooOld
                        && server.state.withLock { state in
                            if !ignoresChanges, state.changes.hasChanged(record, forKey: key, since: position, unlessBy: id) { return false }
                            state.changes.add(.init(key: key), by: id)
                            return true
                        }
                }
            } catch {
                // The older record of the key has gone.
                if error.code == .recordTooLarge { server.tell([.init(key: key)], by: id) }
                throw error
            }
            if isInserted { server.tell([.init(key: key)], by: id) }
            return isInserted
        }

        public func watch(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch { mailbox.watchers.add(onChange) }

        public func invalidations() -> AsyncStream<StoreInvalidation>? { mailbox.watchers.makeStream() }
    }
}
