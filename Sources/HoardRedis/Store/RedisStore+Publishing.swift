// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import NIOCore
internal import Synchronization

extension RedisStore: SharedRecordStore {
    public var position: StorePosition { StorePosition(number: coherence.withLock { $0.moment() }) }

    public func watch(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch { coherence.watchers.watch(onChange) }

    public func insert(_ record: Record, forKey key: RecordKey, ifUnchangedSince position: StorePosition) async throws(StoreError) -> Bool {
        try checkOpen()
        try check(key)
        guard fits(record) else { throw try await refused([key]) }
        return try await publish([(key, record)], since: position.number).isEmpty
    }

    /// Writes several records, except those that others have changed since `position`.
    ///
    /// One round trip if the versions of the keys and the generations of the tags were known before `position`. Otherwise up to three, and one or two
    /// more for keys that had a record.
    public func insert(_ records: [RecordKey: Record], ifUnchangedSince position: StorePosition) async throws(StoreError) -> Set<RecordKey> {
        try checkOpen()
        for key in records.keys { try check(key) }
        let fitting = records.filter { fits($0.value) }
        let tooLarge = records.keys.filter { fitting[$0] == nil }
        if !tooLarge.isEmpty { _ = try await self.refused(tooLarge) }
        var refused: Set<RecordKey> = []
        for records in fitting.map({ ($0.key, $0.value) }).chunks(ofCount: Self.maximumCommandCount) {
            refused.formUnion(try await publish(Array(records), since: position.number))
        }
        return refused
    }

    /// Writes the records of loads that began at `position`.
    ///
    /// A record is written if its key has the version that it had at `position`; the server itself compares the two. That version is known if it was
    /// read before; no other record can have it. Otherwise it is read now, and the log must say that no writer has changed the key since `position`.
    /// A reply can overtake the notification of a change made just before it, but the next reply cannot. So another command is sent, and the log is
    /// asked after *its* reply. The same goes for generations. A removal by tag after all this leaves a record that refers to an older
    /// generation, which is a miss.
    ///
    /// - Returns: The keys of the records that were not written.
    private func publish(_ records: [(key: RecordKey, record: Record)], since position: UInt64) async throws(StoreError) -> Set<RecordKey> {
        var refused: Set<RecordKey> = []
        var records = records
        func drop(_ isChanged: (RecordKey, Record) -> Bool) {
            records.removeAll { key, record in
                guard isChanged(key, record) else { return false }
                refused.insert(key)
                return true
            }
        }
        drop { key, record in hasChanged(key, record, nil, since: position) }
        if records.isEmpty { return refused }

        // Generations and versions that are not known are read.
        var generations = try await generations(for: scopes(of: records))
        var sightings = coherence.withLock { state in records.map { state.sighting(of: KeyHash(record: $0.key)) } }
        let unseen = sightings.indices.filter { sightings[$0] == nil }
        if !unseen.isEmpty {
            let versions = try await versions(ofKeys: unseen.map { records[$0].key })
            let moment = coherence.withLock { state in
                for (index, version) in zip(unseen, versions) { state.saw(version, of: KeyHash(record: records[index].key)) }
                return state.moment()
            }
            for (index, version) in zip(unseen, versions) { sightings[index] = .init(version: version, moment: moment) }
        }

        // A key that was read after the load began may have been changed before that, and the notification may not have arrived yet.
        if configuration.tracking != .off {
            let late = sightings.indices.filter { (sightings[$0]?.moment ?? .max) > position }.map { keys.record(records[$0].key) }
            let lateScopes = generations.filter { $0.value.moment > position }.map { keys.scope($0.key) }
            if !late.isEmpty || !lateScopes.isEmpty {
                for reply in try await send((late + lateScopes).map { RedisCommand("EXISTS", key: .bytes($0)) }) { _ = try success(reply) }
            }
        }
        try await readAgain(&generations)
        let expected = Dictionary(uniqueKeysWithValues: zip(records.map(\.key), sightings))
        drop { key, record in hasChanged(key, record, generations, since: position) }
        if records.isEmpty { return refused }

        refused.formUnion(try await writePublished(records, generations, expected))
        // The server has told by now of each removal by tag that was acknowledged before. The records that were written refer to the generation
        // before the removal, so that no reader finds them.
        drop { key, record in !refused.contains(key) && hasChanged(RecordScope.all(of: record), generations, since: position) }
        return refused
    }

    /// Reads those generations again that look untouched, though a change was heard of since they were asked for: it may be the one that has made
    /// them.
    private func readAgain(_ generations: inout [RecordScope: GenerationTable.Entry]) async throws(StoreError) {
        let known = generations
        let doubtful = coherence.withLock { state in
            known.filter { scope, entry in
                entry.generation?.isUntouched == true && (state.log.latestChange(of: KeyHash(scope)).map { $0 > entry.sent } ?? false)
            }
        }
        if doubtful.isEmpty || configuration.tracking == .off { return }
        let sent = coherence.withLock { $0.moment() }
        let read = try await readGenerations(doubtful.keys)
        for (scope, entry) in doubtful where read[scope] == .some(entry.generation) {
            generations[scope] = .init(generation: entry.generation, sent: sent, moment: entry.moment, expiration: entry.expiration)
        }
    }

    /// Whether the key or one of its groups may have been changed. `false` if the server is not asked to tell of changes.
    ///
    /// - Parameter generations: Those that were read; `nil` if they are still to be read.
    private func hasChanged(_ key: RecordKey, _ record: Record, _ generations: [RecordScope: GenerationTable.Entry]?, since position: UInt64) -> Bool
    {
        guard configuration.tracking != .off else { return false }
        return coherence.withLock { $0.log.hasChanged(KeyHash(record: key), since: position) }
            || hasChanged(RecordScope.all(of: record), generations, since: position)
    }

    /// Whether one of the groups may have been removed or marked. The first generation of a group is a change that others are told of too, but it
    /// means only that a record has needed it. If that generation was read, and only one change was heard of, nothing was removed.
    private func hasChanged(_ scopes: [RecordScope], _ generations: [RecordScope: GenerationTable.Entry]?, since position: UInt64) -> Bool {
        guard configuration.tracking != .off else { return false }
        return coherence.withLock { state in
            scopes.contains { scope in
                let hash = KeyHash(scope)
                guard state.log.hasChanged(hash, since: position) else { return false }
                if state.log.hasChangedAgain(hash, since: position) { return true }
                guard let generations else { return false }
                guard let entry = generations[scope], entry.generation?.isUntouched == true else { return true }
                // It must have been read after the change was heard of.
                return state.log.latestChange(of: hash).map { $0 > entry.sent } ?? true
            }
        }
    }

    /// Writes records where the keys have the expected versions.
    ///
    /// - Returns: The keys of those that were not written.
    private func writePublished(
        _ records: [(key: RecordKey, record: Record)],
        _ generations: [RecordScope: GenerationTable.Entry],
        _ expected: [RecordKey: VersionTable.Sighting?]
    ) async throws(StoreError) -> Set<RecordKey> {
        var (fresh, replaced): ([PreparedWrite], [PreparedWrite]) = ([], [])
        var scripts: [RecordScript] = []
        for (key, record) in records {
            let write = prepare(key, record, generations)
            guard case .number(let number)? = expected[key]??.version else {
                fresh.append(write)
                continue
            }
            replaced.append(write)
            let call = ScriptCall(
                script: .replace,
                key: keys.record(key),
                arguments: [.bytes(RecordVersion.number(number).bytes), .buffer(write.value), .integer(write.lifetime ?? 0)]
            )
            scripts.append(RecordScript(key: key, call: call, version: .number(write.number)))
        }
        var refused = try await setWhereAbsent(fresh)
        var (written, failure): (Int, StoreError?) = (fresh.count - refused.count, nil)
        for (write, result) in zip(replaced, try await run(scripts)) {
            switch result {
            case .success(true): written += 1
            case .success(false): refused.insert(write.key)
            case .failure(let error): failure = error
            }
        }
        let insertions = written
        counters.withLock { $0.insertions += insertions }
        if let failure { throw failure }
        return refused
    }

    /// Writes records where there is nothing: by a command and not a script, because of that the server does not tell us.
    private func setWhereAbsent(_ writes: [PreparedWrite]) async throws(StoreError) -> Set<RecordKey> {
        if writes.isEmpty { return [] }
        let commands = writes.map {
            RedisCommand("SET", key: .bytes(keys.record($0.key)), [.buffer($0.value), .string("NX")] + Self.lifetimeArguments($0.lifetime))
        }
        coherence.withLock { $0.changes(writes.map { KeyHash(record: $0.key) }) }
        let replies: [RESPValue]
        do throws(StoreError) {
            replies = try await send(commands)
        } catch {
            coherence.withLock { state in for write in writes { state.wrote(nil, of: KeyHash(record: write.key)) } }
            throw error
        }
        var refused: Set<RecordKey> = []
        var failure: StoreError?
        for (write, reply) in zip(writes, replies) {
            let hash = KeyHash(record: write.key)
            do throws(StoreError) {
                if case .null = try success(reply) {
                    // Another writer was faster, or the key holds something that is no record.
                    refused.insert(write.key)
                    coherence.withLock { $0.forgetVersion(of: hash) }
                } else {
                    coherence.withLock { $0.wrote(.number(write.number), of: hash) }
                }
            } catch {
                coherence.withLock { $0.wrote(nil, of: hash) }
                failure = error
            }
        }
        if let failure { throw failure }
        return refused
    }
}
