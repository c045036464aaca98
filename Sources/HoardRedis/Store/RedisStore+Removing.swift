// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore
internal import Synchronization

extension RedisStore {
    /// Removes a record, and leaves a tombstone for ``Configuration/tombstoneLifetime``. One round trip.
    public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try checkOpen()
        try check(key)
        try await removeValues(forKeys: [key])
    }

    /// Removes several records. One round trip.
    public func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        try checkOpen()
        for key in keys { try check(key) }
        try await removeValues(forKeys: Array(Set(keys)))
    }

    /// Removes the records with the tags, by giving each tag another generation. One round trip.
    public func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        try checkOpen()
        try await setGenerations(tags.map { (.tag($0), .next(), 0) })
    }

    /// Removes the records of a partition, by giving it another generation. One round trip.
    public func removePartition(_ partition: String) async throws(StoreError) {
        try checkOpen()
        try await setGenerations([(.partition(partition), .next(), 0)])
    }

    /// Removes all records, by giving everything another generation. One round trip.
    public func removeAll() async throws(StoreError) {
        try checkOpen()
        try await setGenerations([(.everything, .next(), nil)])
    }

    /// Writes tombstones: so that a removal is told even if there was nothing, and no load that began before it publishes.
    func removeValues(forKeys recordKeys: [RecordKey]) async throws(StoreError) {
        if recordKeys.isEmpty { return }
        let lifetime = tombstoneMilliseconds
        let numbers = recordKeys.map { _ in UInt64.random(in: .min ... .max) }
        var commands: [RedisCommand] = []
        for (key, number) in zip(recordKeys, numbers) {
            let name = RedisCommand.Argument.bytes(keys.record(key))
            // Whether there is a record, for the statistics.
            commands.append(RedisCommand("GETRANGE", key: name, [.integer(0), .integer(4)]))
            commands.append(RedisCommand("SET", key: name, [.buffer(StoredRecord.tombstone(number: number))] + Self.lifetimeArguments(lifetime)))
        }
        coherence.withLock { $0.changes(recordKeys.map { KeyHash(record: $0) }) }
        let replies: [RESPValue]
        do throws(StoreError) {
            replies = try await send(commands)
        } catch {
            coherence.withLock { state in for key in recordKeys { state.wrote(nil, of: KeyHash(record: key)) } }
            throw error
        }
        coherence.withLock { state in
            for (index, key) in recordKeys.enumerated() {
                let isWritten = if case .error = replies[2 * index + 1] { false } else { true }
                state.wrote(isWritten ? .number(numbers[index]) : nil, of: KeyHash(record: key))
            }
        }
        // A server without memory refuses to write, but not to take away. The failure is reported all the same: no load that began before knows of
        // this removal.
        let refused = recordKeys.indices.filter { isOutOfMemory(replies[2 * $0 + 1]) }.map { keys.record(recordKeys[$0]) }
        if !refused.isEmpty { _ = try await send(refused.map { RedisCommand("DEL", key: .bytes($0)) }) }
        var count = 0
        for index in recordKeys.indices {
            _ = try success(replies[2 * index + 1])
            // Another kind of value than a text has no beginning. It has been written over.
            if case .bulkString(let beginning) = replies[2 * index], beginning.readableBytesView.last == StoredRecord.recordKind { count += 1 }
        }
        let removed = count
        counters.withLock { $0.removals += removed }
    }

    var tombstoneMilliseconds: Int64 { max(1, KeyLifetime.milliseconds(configuration.tombstoneLifetime)) }
}
