// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Logging
internal import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RedisStore {
    /// Reads a record. One round trip, or two if one of its generations is not known.
    ///
    /// The server is not told of the use: it notes by itself when a key was read last. ``Record/lastAccess`` is the time of this reading.
    public func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        var record = try await readRecord(forKey: key)
        counters.withLock { if record == nil { $0.misses += 1 } else { $0.hits += 1 } }
        record?.noteAccess(at: clock.now())
        return record
    }

    public func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try await readRecord(forKey: key)
    }

    private func readRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try checkOpen()
        try check(key)
        let value = try await value(RedisCommand("GET", key: .bytes(keys.record(key))))
        return try await judge([(key, StoredValue(value, key: key), RecordVersion(ofValue: value))])[key]?.record
    }

    /// The finding of a reply to `GET`, if it can be told without another round trip.
    private func judgeAtOnce(_ reply: Result<RESPValue, RedisError>, _ key: RecordKey) throws(StoreError) -> ImmediateReading {
        let bytes: ByteBuffer?
        switch reply {
        case .success(let value): bytes = try self.bytes(value)
        case .failure(let error): throw failure(error)
        }
        let value = StoredValue(bytes, key: key)
        let tick = ticker.nanoseconds()
        let verdict = coherence.withLock { state -> RecordVerdict? in
            state.renewGenerations(at: tick)
            state.saw(RecordVersion(ofValue: bytes), of: KeyHash(record: key))
            guard case .record(let stored) = value else { return nil }
            return stored.verdict { state.known($0) }
        }
        let now = clock.now()
        switch (value, verdict) {
        case (.absent, _), (.tombstone, _): break
        case (.record(let stored), .valid(let freshnessEnd)) where !stored.record.isExpired(at: now):
            var record = stored.record
            if let freshnessEnd { _ = record.endFreshness(at: freshnessEnd) }
            record.noteAccess(at: now)
            counters.withLock { $0.hits += 1 }
            return .record(record)
        case (.record, .valid): break
        case (.record(let stored), .removed) where !stays(stored.record): break
        // Something has to be read or removed besides.
        default: return .unavailable
        }
        counters.withLock { $0.misses += 1 }
        return .absent
    }

    /// Reads several records. One round trip, or two if one of their generations is not known.
    public func records(forKeys recordKeys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        try checkOpen()
        for key in recordKeys { try check(key) }
        let keys = Array(Set(recordKeys))
        var records: [RecordKey: Record] = [:]
        for keys in keys.chunks(ofCount: Self.maximumCommandCount) {
            let replies = try await send(keys.map { RedisCommand("GET", key: .bytes(self.keys.record($0))) })
            var values: [(RecordKey, StoredValue, RecordVersion)] = []
            values.reserveCapacity(keys.count)
            for (key, reply) in zip(keys, replies) {
                let value = try bytes(reply)
                values.append((key, StoredValue(value, key: key), RecordVersion(ofValue: value)))
            }
            records.merge(try await judge(values).mapValues(\.record)) { $1 }
        }
        for key in records.keys { records[key]?.noteAccess(at: clock.now()) }
        counters.withLock { counters in
            counters.hits += records.count
            counters.misses += keys.count - records.count
        }
        return records
    }

    /// Commands of one call go out in pieces of so many, and so do records whose values or versions would be kept until all have been sent.
    static var maximumCommandCount: Int { 512 }

    /// Returns the values that are records that are there now, with the ends that stale marks have put to their
    /// freshness. Notes the versions, and removes values that cannot be read and values that would stay for long
    /// without being of use.
    func judge(_ values: [(key: RecordKey, value: StoredValue, version: RecordVersion)]) async throws(StoreError) -> [RecordKey: StoredRecord] {
        // After the reply: the server has told by now of removals before the reading began.
        let tick = ticker.nanoseconds()
        let (verdicts, known) = coherence.withLock { state in
            state.renewGenerations(at: tick)
            // The generations of records that others decide. Those that are known now may be forgotten until those have been read.
            var known: [RecordScope: KnownGeneration] = [:]
            let verdicts = values.map { key, value, version -> RecordVerdict? in
                state.saw(version, of: KeyHash(record: key))
                guard case .record(let stored) = value else { return nil }
                let verdict = stored.verdict { state.known($0) }
                guard case .undecided = verdict else { return verdict }
                for (scope, _) in stored.allReferences { known[scope] = state.known(scope) }
                return verdict
            }
            return (verdicts, known)
        }
        let unknown = known.filter { $0.value == .unknown }.map(\.key)
        let read = unknown.isEmpty ? [:] : try await readGenerations(unknown)
        let now = clock.now()
        var records: [RecordKey: StoredRecord] = [:]
        var useless: [(RecordKey, RecordVersion)] = []
        for (index, (key, value, version)) in values.enumerated() {
            switch value {
            case .absent, .tombstone: continue
            case .newer, .unreadable:
                noteUnreadable()
                useless.append((key, version))
            case .record(let stored):
                guard var verdict = verdicts[index] else { continue }
                if case .undecided = verdict {
                    verdict = stored.verdict { scope in
                        if let generation = read[scope] { .known(generation) } else { known[scope] ?? .unknown }
                    }
                }
                switch verdict {
                case .valid(let freshnessEnd):
                    if stored.record.isExpired(at: now) { continue }
                    records[key] = stored
                    if let freshnessEnd { _ = records[key]?.record.endFreshness(at: freshnessEnd) }
                case .removed:
                    if stays(stored.record) { useless.append((key, version)) }
                case .undecided:
                    // All of its generations are known or have been read.
                    continue
                }
            }
        }
        await removeUseless(useless)
        return records
    }

    /// Whether a record that was removed would take up room for more than an hour. Others are left to expire, or to be written over.
    private func stays(_ record: Record) -> Bool {
        guard let staleUntil = record.staleUntil else { return true }
        return staleUntil.timeIntervalSince(clock.now()) > 3_600
    }

    private func noteUnreadable() {
        let count = counters.withLock { counters in
            counters.corruptions += 1
            return counters.corruptions
        }
        if count == 1 {
            logger?.warning("A value in Redis cannot be read and is removed. Further ones are only counted.", metadata: ["store": "\(name)"])
        }
    }

    /// Removes values unless they have been written over meanwhile. Failures do not matter: a value that cannot be read
    /// is a miss.
    ///
    /// They leave tombstones. A load whose writing is on the way, and which is made on the condition that there is
    /// nothing, has perhaps not heard yet of the writing of the value that is removed here.
    func removeUseless(_ values: [(key: RecordKey, version: RecordVersion)]) async {
        _ = try? await run(
            values.map { key, version in
                let number = UInt64.random(in: .min ... .max)
                let call = ScriptCall(
                    script: .replace,
                    key: keys.record(key),
                    arguments: [.bytes(version.bytes), .buffer(StoredRecord.tombstone(number: number)), .integer(tombstoneMilliseconds)]
                )
                return RecordScript(key: key, call: call, version: .number(number))
            }
        )
    }

    /// Reads generations, and remembers them if the server tells of their changes. One round trip.
    func readGenerations(_ scopes: some Collection<RecordScope>) async throws(StoreError) -> [RecordScope: Generation?] {
        let scopes = Array(scopes)
        let sent = coherence.withLock { $0.moment() }
        let replies = try await send(scopes.map { RedisCommand("GET", key: .bytes(keys.scope($0))) })
        var generations: [RecordScope: Generation?] = [:]
        for (scope, reply) in zip(scopes, replies) {
            // A generation that cannot be read counts as absent: records that refer to it are removed.
            let generation = try bytes(reply).flatMap { Generation(encoded: $0) }
            generations.updateValue(generation, forKey: scope)
            coherence.withLock { $0.saw(generation, nil, of: KeyHash(scope), sentAt: sent) }
        }
        return generations
    }
}

extension RedisStore: CallbackRecordStore {
    /// Without news, no generation is known, and each record needs another round trip.
    package var callsBack: Bool { client != nil && configuration.tracking != .off }

    package func beginReading(_ key: RecordKey, answered: @escaping @Sendable (CallbackReading) -> Void) {
        do throws(StoreError) {
            try checkOpen()
            try check(key)
        } catch {
            return answered(.init { () throws(StoreError) in throw error })
        }
        guard let client else { return answered(.init { .unavailable }) }
        client.send(RedisCommand("GET", key: .bytes(keys.record(key)))) { [self] reply in
            answered(.init { () throws(StoreError) in try self.judgeAtOnce(reply, key) })
        }
    }
}

extension Record {
    fileprivate mutating func noteAccess(at now: Date) { lastAccess = max(lastAccess, now) }
}

extension CoherenceState {
    mutating func known(_ scope: RecordScope) -> KnownGeneration {
        generation(of: KeyHash(scope)).map { .known($0.generation) } ?? .unknown
    }
}

extension Array {
    /// The array in pieces of at most `count` elements.
    func chunks(ofCount count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: Swift.max(1, count)).map { self[$0..<Swift.min($0 + Swift.max(1, count), self.count)] }
    }
}
