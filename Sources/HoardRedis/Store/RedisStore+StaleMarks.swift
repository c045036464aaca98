// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RedisStore {
    /// The number of times that a change is tried again when another writer was faster.
    private static var maximumAttemptCount: Int { 16 }

    /// Marks a record stale, by writing the end of its freshness into it. Two round trips, more if another writer changes it at the same time.
    ///
    /// If there is no record, leaves a tombstone as a removal does, so that no load that began before publishes a fresh record.
    public func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        try checkOpen()
        try check(key)
        for _ in 0..<Self.maximumAttemptCount {
            let (value, version) = try await readHeader(forKey: key)
            if case .record(var stored) = value, !stored.record.isExpired(at: clock.now()), try await isValid(stored) {
                _ = stored.record.endFreshness(at: date)
                stored.number = .random(in: .min ... .max)
                let call = ScriptCall(
                    script: .overwriteBeginning,
                    key: keys.record(key),
                    arguments: [.bytes(version.bytes), .buffer(stored.encodedHeader(key: key))]
                )
                if try await runOne(RecordScript(key: key, call: call, version: .number(stored.number))) { return }
            } else {
                let number = UInt64.random(in: .min ... .max)
                let call = ScriptCall(
                    script: .replace,
                    key: keys.record(key),
                    arguments: [.bytes(version.bytes), .buffer(StoredRecord.tombstone(number: number)), .integer(tombstoneMilliseconds)]
                )
                if try await runOne(RecordScript(key: key, call: call, version: .number(number))) { return }
            }
        }
        // Nothing that should be stale is found to be fresh.
        try await removeValues(forKeys: [key])
    }

    private func runOne(_ script: RecordScript) async throws(StoreError) -> Bool {
        guard let result = try await run([script]).first else { return false }
        return try result.get()
    }

    /// Whether a record was not removed by a tag, its partition or with everything.
    private func isValid(_ stored: StoredRecord) async throws(StoreError) -> Bool {
        let verdict = coherence.withLock { state in stored.verdict { state.known($0) } }
        guard case .undecided(let scopes) = verdict else { return verdict != .removed }
        let generations = try await readGenerations(Set(stored.allReferences.map(\.scope)).union(scopes))
        return stored.verdict { .known(generations[$0] ?? nil) } != .removed
    }

    /// Reads the value under a key, without the payload. One round trip as a rule.
    func readHeader(forKey key: RecordKey) async throws(StoreError) -> (StoredValue, RecordVersion) {
        var byteCount = StoredRecord.usualHeaderByteCount
        while true {
            let value = try await value(RedisCommand("GETRANGE", key: .bytes(keys.record(key)), [.integer(0), .integer(Int64(byteCount) - 1)]))
            guard let value, value.readableBytes > 0 else { return (.absent, .absent) }
            if let needed = StoredRecord.headerByteCount(in: value), needed > byteCount, value.readableBytes == byteCount {
                byteCount = needed
                continue
            }
            return (StoredValue(header: value, key: key), RecordVersion(ofValue: value))
        }
    }

    /// Marks the records with the tags stale, by a mark in the generation of each tag. Two round trips, more if another writer changes one at the
    /// same time.
    public func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try checkOpen()
        try await mark(tags.map { .tag($0) }, at: date)
    }

    /// Marks all records stale, by a mark in the generation of everything. Two round trips, more if another writer changes it at the same time.
    public func markAllRecordsStale(at date: Date) async throws(StoreError) {
        try checkOpen()
        try await mark([.everything], at: date)
    }

    private func mark(_ scopes: [RecordScope], at date: Date) async throws(StoreError) {
        var left = scopes
        for _ in 0..<Self.maximumAttemptCount where !left.isEmpty {
            let replies = try await send(left.map { RedisCommand("GET", key: .bytes(keys.scope($0))) })
            var absent: [RecordScope] = []
            var calls: [(RecordScope, ScriptCall)] = []
            for (scope, reply) in zip(left, replies) {
                guard let value = try bytes(reply), var generation = Generation(encoded: value) else {
                    absent.append(scope)
                    continue
                }
                generation.mark(at: date)
                calls.append(
                    (scope, ScriptCall(script: .exchange, key: keys.scope(scope), arguments: [.buffer(value), .buffer(generation.encoded)]))
                )
            }
            // There is nothing to mark where there is no generation. A new one tells all processes, so that no load
            // that began before publishes a fresh record.
            try await setGenerations(absent.map { ($0, .next(), $0 == .everything ? nil : 0) })
            changed(calls.map(\.0))
            let results: [RESPValue]
            do throws(StoreError) {
                results = try await run(calls.map(\.1))
            } catch {
                changed(calls.map(\.0))
                throw error
            }
            changed(calls.map(\.0))
            left = []
            for ((scope, _), result) in zip(calls, results) where try integer(result) == 0 { left.append(scope) }
        }
        // Nothing that should be stale is found to be fresh.
        try await setGenerations(left.map { ($0, .next(), $0 == .everything ? nil : 0) })
    }

    private func changed(_ scopes: [RecordScope]) {
        coherence.withLock { state in for scope in scopes { state.changed(KeyHash(scope)) } }
    }
}
