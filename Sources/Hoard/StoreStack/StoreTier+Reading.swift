// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension StoreTier {
    /// Reads a record, and never returns an invalidated one.
    ///
    /// A store that can answer at once is asked on the caller's thread, and one that calls back in the caller's task. Any is waited for no longer than the
    /// deadline, but for one that answers at once.
    func record(forKey key: RecordKey) async -> Reading { await reading(forKey: key, mayWait: true) ?? .nothing }

    /// The same, unless the store has to be waited for and the caller may not: then `nil`. A store that has lately taken long is waited for too.
    @usableFromInline func reading(forKey key: RecordKey, mayWait: Bool) async -> Reading? {
        guard mayWait || immediateStore != nil else { return nil }
        // No store can have a record of such a key.
        guard key.bytes.count <= RecordKey.maximumByteCount else { return .nothing }
        let start = ticker.nanoseconds()
        let admission: ReadAdmission
        switch withState({ $0.admitReading(key, at: start) }) {
        case .closed:
            return .nothing
        case .skipped(let reason):
            tellSkipped(.read, count: 1)
            return .skipped(reason)
        case .admitted(let admitted):
            admission = admitted
        }
        let call = CacheStoreCall(store: name, operation: .read)
        var answer = admission.isImmediate ? await readAtOnce(key, call) : nil
        let isImmediate = answer != nil
        var spent: Int64 = 0
        if answer == nil, mayWait, let callbackStore { (answer, spent) = await askForCallback(key, callbackStore, call) }
        if answer == nil, mayWait {
            answer = await performInTime(call, spent: spent) { [store] () async throws(StoreError) in try await store.record(forKey: key) }
        }
        guard let answer else {
            withState { $0.breaker.abandoned(admission.permit) }
            return nil
        }
        let ending = ended(call, answer, isImmediate: isImmediate, admission, since: start) { state, record in
            record.map { (state.reading(of: $0, forKey: key, admission), true) } ?? (.nothing, false)
        }
        return switch ending {
        case .judged(let reading): reading
        case .passedBy(let reason): .skipped(reason)
        }
    }

    /// Whether the store knows without reading that it has no record of a key. Then it need not be asked, however it is doing.
    @usableFromInline func isKnownAbsent(_ key: RecordKey) -> Bool { immediateStore?.isKnownAbsent(key) ?? false }

    /// Whether a removal that concerns a record of the store is pending, so that no read would find the record.
    func hasInvalidated(_ key: RecordKey, tags: Set<String>, partition: String?) -> Bool {
        withState { $0.isPending(key) || $0.journal.containsAny(of: tags) || $0.journal.contains(partition: partition) }
    }

    /// Asks the store on the caller's thread. `nil`: it cannot answer at once.
    private func readAtOnce(_ key: RecordKey, _ call: CacheStoreCall) async -> Answer<Record?>? {
        guard let immediateStore else { return nil }
        return await observed(call) { Answer { () throws(StoreError) in try immediateStore.immediateRecord(forKey: key) } }
    }

    /// Has the store call back, enclosed in the observer's scope for calls. Without one, no closure is made.
    private func askForCallback(
        _ key: RecordKey,
        _ store: any CallbackRecordStore,
        _ call: CacheStoreCall
    ) async -> (answer: Answer<Record?>?, spent: Int64) {
        if observer == nil { return await readByCallback(key, from: store) }
        return await observed(call) { [self] in await readByCallback(key, from: store) }
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
        let (decision, pending) = withState { $0.admitReading(possible, at: start) }
        switch decision {
        case .closed:
            return ([:], [:])
        case .skipped(let reason):
            tellSkipped(.read, count: possible.count)
            return ([:], Dictionary(possible.map { ($0, reason) }) { first, _ in first })
        case .admitted(let admitted):
            admission = admitted
            for key in pending { skipped[key] = .invalidationPending }
            tellSkipped(.read, count: pending.count)
        }
        let readable = pending.isEmpty ? possible : possible.filter { skipped[$0] == nil }
        let call = CacheStoreCall(store: name, operation: .read, recordCount: readable.count)
        let answer = await performInTime(call) { [store] () async throws(StoreError) in
            if readable.count == 1 { return try await store.record(forKey: readable[0]).map { [readable[0]: $0] } ?? [:] }
            return try await store.records(forKeys: readable)
        }
        let ending = ended(call, answer, isImmediate: false, admission, since: start) { state, found in
            (found.map { key, record in (key, state.reading(of: record, forKey: key, admission)) }, !found.isEmpty)
        }
        var records: [RecordKey: Record] = [:]
        switch ending {
        case .judged(let readings):
            for (key, reading) in readings {
                switch reading {
                case .record(let record): records[key] = record
                case .nothing: break
                case .skipped(let reason): skipped[key] = reason
                }
            }
        case .passedBy(let reason):
            for key in readable { skipped[key] = reason }
        }
        return (records, skipped)
    }

    /// The end of a read: a finding, judged by all that had become known meanwhile, or the reason why the store counts as passed by.
    private enum Ending<Judged: Sendable>: Sendable {
        case judged(Judged)
        case passedBy(StoreSkip.Reason)
    }

    /// Counts a read that has ended, and tells the observer.
    ///
    /// - Parameter judge: Says how much of the store's answer may be given, and whether the store has anything.
    private func ended<Success: Sendable, Judged: Sendable>(
        _ call: CacheStoreCall,
        _ answer: Answer<Success>,
        isImmediate: Bool,
        _ admission: ReadAdmission,
        since start: Int64,
        judge: (State, Success) -> (Judged, hasFound: Bool)
    ) -> Ending<Judged> {
        let now = ticker.nanoseconds()
        let permit = admission.permit
        switch answer {
        case .success(let success):
            let (judged, hasFound) = withState { state in
                state.succeeded(.read, permit: permit)
                state.noteDuration(now &- start, ofImmediateRead: isImmediate)
                return judge(state, success)
            }
            tell(call, hasFound ? .found : .notFound, since: start, until: now)
            return .judged(judged)
        case .failure(let error):
            // A caller that breaks off a read says nothing about the store.
            let isBrokenOff = Task.isCancelled
            withState { state in
                if isBrokenOff { state.breaker.abandoned(permit) } else { state.failed(.read, error, permit: permit, at: now) }
            }
            tell(call, .failed, error: error, since: start, until: now)
            return .passedBy(.failed)
        case .timedOut:
            withState { state in
                state.timedOut(.read, permit: permit, at: now)
                state.answersSlowly = true
            }
            tell(call, .timedOut, since: start, until: now)
            return .passedBy(.timedOut)
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
        /// Tags whose removal was pending when the read began. It may be made good while the read is under way, and after that has seen a record.
        let pendingTags: [String: UInt64]
        /// Partitions, likewise.
        let pendingPartitions: [ExactText: UInt64]
        /// Whether the store may be asked on the caller's thread.
        let isImmediate: Bool
    }
}

extension StoreTier.State {
    fileprivate mutating func admitReading(_ key: RecordKey, at now: Int64) -> StoreTier.ReadDecision {
        if isClosed { return .closed }
        if breaker.isRefusing(at: now) { return .skipped(.circuitOpen) }
        return isPending(key) ? .skipped(.invalidationPending) : admitReading(at: now)
    }

    /// - Returns: Also the keys that may not be read, because an invalidation is pending.
    fileprivate mutating func admitReading(_ keys: [RecordKey], at now: Int64) -> (decision: StoreTier.ReadDecision, pending: [RecordKey]) {
        if isClosed { return (.closed, []) }
        if breaker.isRefusing(at: now) { return (.skipped(.circuitOpen), []) }
        let pending = keys.filter { isPending($0) }
        return (pending.count == keys.count ? .skipped(.invalidationPending) : admitReading(at: now), pending)
    }

    private mutating func admitReading(at now: Int64) -> StoreTier.ReadDecision {
        guard let permit = breaker.admit(at: now) else { return .skipped(.circuitOpen) }
        return .admitted(
            StoreTier.ReadAdmission(
                permit: permit,
                pendingTags: journal.tags,
                pendingPartitions: journal.partitions,
                isImmediate: !answersSlowly && breaker.isClosed
            )
        )
    }

    /// Notes how long a read has taken, in nanoseconds. After a slow one, no caller reads on its own thread until a read is quick again.
    fileprivate mutating func noteDuration(_ duration: Int64, ofImmediateRead isImmediate: Bool) {
        if isImmediate != answersSlowly { answersSlowly = duration > longestImmediateRead }
    }

    /// The reading to give for a record that the store has: invalidations may have been missed while it was read.
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

    fileprivate func isPending(_ key: RecordKey) -> Bool {
        journal.contains(key) || queues.isInvalidated(key) || undecided[key] != nil
    }
}
