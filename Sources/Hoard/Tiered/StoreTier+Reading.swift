// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension StoreTier {
    /// Reads a record, and never gives what has been invalidated.
    ///
    /// A store that can answer at once is asked on the caller's thread. Any other is waited for no longer than the deadline.
    func record(forKey key: RecordKey) async -> Reading { await reading(forKey: key, mayWait: true) ?? .nothing }

    /// The same, if the store can answer at once. `nil`: it cannot, or has lately taken long to, and ``record(forKey:)`` has to ask it.
    func immediateRecord(forKey key: RecordKey) async -> Reading? { immediateStore == nil ? nil : await reading(forKey: key, mayWait: false) }

    private func reading(forKey key: RecordKey, mayWait: Bool) async -> Reading? {
        // No store can have a record of such a key.
        guard key.bytes.count <= RecordKey.maximumByteCount else { return .nothing }
        let start = ticker.nanoseconds()
        let admission: ReadAdmission
        switch withState({ $0.admitReading([key], at: start) }) {
        case .closed:
            return .nothing
        case .skipped(let reason):
            tellSkipped(.read, count: 1)
            return .skipped(reason)
        case .admitted(let admitted):
            admission = admitted
        }
        let call = CacheStoreCall(store: store.name, operation: .read)
        var answer = admission.isImmediate ? await readAtOnce(key, call) : nil
        let isImmediate = answer != nil
        if answer == nil, mayWait {
            answer = await performInTime(call) { [store] () async throws(StoreError) in try await store.record(forKey: key) }
        }
        guard let answer else {
            withState { $0.breaker.abandoned(admission.permit) }
            return nil
        }
        if let reason = ended(call, answer, found: { $0 != nil }, isImmediate: isImmediate, permit: admission.permit, since: start) {
            return .skipped(reason)
        }
        guard case .success(let record?) = answer else { return .nothing }
        return withState { $0.reading(of: record, forKey: key, admission) }
    }

    /// Asks the store on the caller's thread. `nil`: it cannot answer at once.
    private func readAtOnce(_ key: RecordKey, _ call: CacheStoreCall) async -> Answer<Record?>? {
        guard let immediateStore else { return nil }
        let read: @Sendable () -> Answer<Record?>? = {
            do throws(StoreError) {
                return switch try immediateStore.immediateRecord(forKey: key) {
                case .record(let record): .success(record)
                case .absent: .success(nil)
                case .unavailable: nil
                }
            } catch {
                return .failure(error)
            }
        }
        guard let observer else { return read() }
        return await observer.withStoreCall(call, read)
    }

    /// Reads several records in one call of the store.
    ///
    /// - Returns: The records found, and the keys that may not be read or could not be.
    func records(forKeys keys: [RecordKey]) async -> (records: [RecordKey: Record], skipped: [RecordKey: StoreSkip.Reason]) {
        let possible = keys.filter { $0.bytes.count <= RecordKey.maximumByteCount }
        guard !possible.isEmpty else { return ([:], [:]) }
        let start = ticker.nanoseconds()
        let admission: ReadAdmission
        var skipped: [RecordKey: StoreSkip.Reason] = [:]
        switch withState({ $0.admitReading(possible, at: start) }) {
        case .closed:
            return ([:], [:])
        case .skipped(let reason):
            tellSkipped(.read, count: possible.count)
            return ([:], Dictionary(possible.map { ($0, reason) }) { first, _ in first })
        case .admitted(let admitted):
            admission = admitted
            for key in admitted.pending { skipped[key] = .invalidationPending }
            tellSkipped(.read, count: admitted.pending.count)
        }
        let readable = admission.keys
        let call = CacheStoreCall(store: store.name, operation: .read, recordCount: readable.count)
        let answer = await performInTime(call) { [store] () async throws(StoreError) in
            if readable.count == 1 { return try await store.record(forKey: readable[0]).map { [readable[0]: $0] } ?? [:] }
            return try await store.records(forKeys: readable)
        }
        if let reason = ended(call, answer, found: { !$0.isEmpty }, isImmediate: false, permit: admission.permit, since: start) {
            for key in readable { skipped[key] = reason }
            return ([:], skipped)
        }
        guard case .success(let found) = answer, !found.isEmpty else { return ([:], skipped) }
        return withState { [skipped] state in
            var skipped = skipped
            let records = found.filter { key, record in
                switch state.reading(of: record, forKey: key, admission) {
                case .record: return true
                case .nothing: return false
                case .skipped(let reason):
                    skipped[key] = reason
                    return false
                }
            }
            return (records, skipped)
        }
    }

    /// Counts a read that has ended, and tells the observer.
    ///
    /// - Returns: Why the store counts as passed by, if it does.
    private func ended<Success: Sendable>(
        _ call: CacheStoreCall,
        _ answer: Answer<Success>,
        found: (Success) -> Bool,
        isImmediate: Bool,
        permit: CircuitBreaker.Permit,
        since start: Int64
    ) -> StoreSkip.Reason? {
        let now = ticker.nanoseconds()
        switch answer {
        case .success(let success):
            withState { state in
                state.succeeded(.read, permit: permit)
                state.noteDuration(now &- start, ofImmediateRead: isImmediate)
            }
            tell(call, found(success) ? .found : .notFound, since: start, until: now)
            return nil
        case .failure(let error):
            // A caller that breaks off a read says nothing about the store.
            let isBrokenOff = Task.isCancelled
            withState { state in
                if isBrokenOff { state.breaker.abandoned(permit) } else { state.failed(.read, error, permit: permit, at: now) }
            }
            tell(call, .failed, error: error, since: start, until: now)
            return .failed
        case .timedOut:
            withState { state in
                state.timedOut(.read, permit: permit, at: now)
                state.answersSlowly = true
            }
            tell(call, .timedOut, since: start, until: now)
            return .timedOut
        }
    }
}

extension StoreTier {
    fileprivate enum ReadDecision: Sendable {
        case closed
        case skipped(StoreSkip.Reason)
        case admitted(ReadAdmission)
    }

    fileprivate struct ReadAdmission: Sendable {
        let permit: CircuitBreaker.Permit
        let keys: [RecordKey]
        /// The keys that may not be read, because an invalidation is pending.
        let pending: [RecordKey]
        /// Tags whose removal was pending when the read began. It may be made good while the read is under way, and after that has seen a record.
        let pendingTags: [String: UInt64]
        /// Partitions, likewise.
        let pendingPartitions: [ExactText: UInt64]
        /// Whether the store may be asked on the caller's thread.
        let isImmediate: Bool
    }
}

extension StoreTier.State {
    fileprivate mutating func admitReading(_ keys: [RecordKey], at now: Int64) -> StoreTier.ReadDecision {
        if isClosed { return .closed }
        if breaker.isRefusing(at: now) { return .skipped(.circuitOpen) }
        let pending = keys.filter { isPending($0) }
        if pending.count == keys.count { return .skipped(.invalidationPending) }
        guard let permit = breaker.admit(at: now) else { return .skipped(.circuitOpen) }
        let readable = pending.isEmpty ? keys : keys.filter { !isPending($0) }
        let admission = StoreTier.ReadAdmission(
            permit: permit,
            keys: readable,
            pending: pending,
            pendingTags: journal.tags,
            pendingPartitions: journal.partitions,
            isImmediate: !answersSlowly && breaker.isClosed
        )
        return .admitted(admission)
    }

    /// Notes how long a read has taken, in nanoseconds. After a slow one, nobody reads on their own thread until a read is quick again.
    fileprivate mutating func noteDuration(_ duration: Int64, ofImmediateRead isImmediate: Bool) {
        if isImmediate != answersSlowly { answersSlowly = duration > longestImmediateRead }
    }

    /// What may be given of a record that the store has: invalidations may have been missed while it was read.
    fileprivate func reading(of record: Record, forKey key: RecordKey, _ admission: StoreTier.ReadAdmission) -> StoreTier.Reading {
        // A record that is not given may still be newer than the removal that is pending: the store has one, and goes on having it.
        isPending(key) || isHidden(record, admission) ? .skipped(.invalidationPending) : .record(record)
    }

    /// Whether a removal of one of the record's tags or of its partition is pending, or was when the read began.
    private func isHidden(_ record: Record, _ admission: StoreTier.ReadAdmission) -> Bool {
        if !admission.pendingTags.isEmpty, record.tags.contains(where: { admission.pendingTags[$0] != nil }) { return true }
        if let partition = record.partition, admission.pendingPartitions[ExactText(partition)] != nil { return true }
        return journal.containsAny(of: record.tags) || journal.contains(partition: record.partition)
    }

    private func isPending(_ key: RecordKey) -> Bool {
        journal.contains(key) || queues.isInvalidated(key) || undecided[key] != nil
    }
}
