// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore
internal import Synchronization

extension RedisStore {
    /// Writes a record, whatever the server has under its key. One round trip if the generations of its tags are known.
    public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try checkOpen()
        try check(key)
        guard fits(record) else { throw try await refused([key]) }
        try await write([(key, record)])
    }

    /// Writes several records. One round trip if the generations of their tags are known.
    public func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        try checkOpen()
        for key in records.keys { try check(key) }
        let fitting = records.filter { fits($0.value) }
        let tooLarge = records.keys.filter { fitting[$0] == nil }
        if !tooLarge.isEmpty { _ = try await refused(tooLarge) }
        for records in fitting.map({ ($0.key, $0.value) }).chunks(ofCount: Self.maximumCommandCount) { try await write(Array(records)) }
    }

    func fits(_ record: Record) -> Bool {
        record.tags.count <= Int(UInt16.max) && StoredRecord.byteCount(of: record) <= configuration.maximumRecordBytes
    }

    /// Removes older records in the place of some that are too large.
    ///
    /// - Returns: The error for one of them.
    func refused(_ keys: [RecordKey]) async throws(StoreError) -> StoreError {
        counters.withLock { $0.refusals += keys.count }
        try await removeValues(forKeys: keys)
        return StoreError(
            .recordTooLarge,
            "The record is longer than the \(configuration.maximumRecordBytes) bytes that the \(name) store accepts, payload, tags and texts together."
        )
    }

    /// Returns the scopes that records about to be written refer to, each with the milliseconds for which it is needed.
    func scopes(of records: [(key: RecordKey, record: Record)]) -> [RecordScope: Int64?] {
        let now = clock.now()
        var scopes: [RecordScope: Int64?] = [:]
        for (_, record) in records {
            let lifetime = KeyLifetime.milliseconds(of: record, now: now, slack: configuration.expirationSlack)
            for scope in RecordScope.all(of: record) {
                guard let known = scopes[scope] else {
                    scopes.updateValue(lifetime, forKey: scope)
                    continue
                }
                let longest: Int64? = if let known, let lifetime { max(known, lifetime) } else { nil }
                scopes.updateValue(longest, forKey: scope)
            }
        }
        return scopes
    }

    /// A record as it is written to the server, and for how many milliseconds.
    struct PreparedWrite {
        let key: RecordKey
        let number: UInt64
        let value: ByteBuffer
        let lifetime: Int64?
    }

    func prepare(_ key: RecordKey, _ record: Record, _ generations: [RecordScope: GenerationTable.Entry]) -> PreparedWrite {
        let (now, number) = (clock.now(), UInt64.random(in: .min ... .max))
        let value = StoredRecord.encode(record, key: key, number: number, now: now) { scope in
            // One that is not known is none that will ever be there: the record is a miss.
            generations[scope]?.generation?.reference ?? GenerationReference(number: number, markCount: 0)
        }
        return PreparedWrite(
            key: key,
            number: number,
            value: value,
            lifetime: KeyLifetime.milliseconds(of: record, now: now, slack: configuration.expirationSlack)
        )
    }

    private func write(_ records: [(key: RecordKey, record: Record)]) async throws(StoreError) {
        if records.isEmpty { return }
        let generations = try await generations(for: scopes(of: records))
        let writes = records.map { prepare($0.key, $0.record, generations) }
        try await set(writes.map { ($0.key, $0.number, $0.value, $0.lifetime) })
        counters.withLock { $0.insertions += writes.count }
    }

    /// Writes values in the place of present ones.
    func set(_ values: [(key: RecordKey, number: UInt64, value: ByteBuffer, lifetime: Int64?)]) async throws(StoreError) {
        let commands = values.map { key, _, value, lifetime in
            RedisCommand("SET", key: .bytes(keys.record(key)), [.buffer(value)] + Self.lifetimeArguments(lifetime))
        }
        coherence.withLock { $0.changes(values.map { KeyHash(record: $0.key) }) }
        let replies: [RESPValue]
        do throws(StoreError) {
            replies = try await send(commands)
        } catch {
            // It may have been written or not.
            coherence.withLock { state in for value in values { state.wrote(nil, of: KeyHash(record: value.key)) } }
            throw error
        }
        coherence.withLock { state in
            for (value, reply) in zip(values, replies) {
                let isWritten = if case .error = reply { false } else { true }
                state.wrote(isWritten ? .number(value.number) : nil, of: KeyHash(record: value.key))
            }
        }
        for reply in replies { _ = try success(reply) }
    }
}
