// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Changes of keys.
extension StoreTier {
    struct Insertion: Sendable {
        let key: RecordKey
        let record: Record
        /// `nil`: the record is written whatever others have changed.
        var guarded: Guard?
        /// Asked once, when the turn has come, just before the store is called; or when the store is passed by.
        let verdict: @Sendable () -> Verdict
    }

    /// The decision of a cache about a change whose turn has come.
    enum Verdict: Sendable {
        case wanted
        /// A newer change of the key has reached the store. Nothing is done.
        case unwanted
        /// The new record is out of date, and the record that it was to replace is, too: the key is removed instead.
        ///
        /// The tier does that in the same turn. The caller, which may have left at the deadline, could only ask for it
        /// later, behind others.
        case outdated
    }

    /// The condition of a write: the record is written only if no other instance has changed its key or one of its tags.
    struct Guard: Sendable {
        /// Since when.
        let position: StorePosition
        /// Called outside all locks if another instance has.
        let onRefusal: @Sendable () -> Void
    }

    struct Removal: Sendable {
        let key: RecordKey
        /// Asked once, when the turn has come, just before the store is called; or when the store is passed by.
        let verdict: @Sendable () -> Verdict
    }

    /// Writes records; those whose keys are free, in one call of the store. Of the same key twice, the last counts.
    ///
    /// Returns when the store has them, or at the deadline. A record that could not be written is not read until it has
    /// been removed.
    func insert(_ insertions: [Insertion]) async {
        let records = Dictionary(insertions.map { ($0.key, $0.record) }) { $1 }
        var guards: [RecordKey: Guard] = [:]
        if sharedStore != nil {
            // A write without a guard takes away that of an older record.
            for insertion in insertions { guards[insertion.key] = insertion.guarded }
        }
        await change(
            .insert(records),
            insertions.map { Removal(key: $0.key, verdict: $0.verdict) },
            guards: guards
        )
    }

    /// Removes records; those whose keys are free, in one call of the store.
    func remove(_ removals: [Removal]) async {
        await change(.remove, removals)
    }

    /// Ends the freshness of records, one after the other. Those for which that fails, or for which a sweep is under way, are removed.
    func markStale(_ removals: [Removal], at date: Date) async {
        await change(.markStale(at: date), removals)
    }

    private func change(_ kind: StoreChange.Kind, _ parts: [Removal], guards: [RecordKey: Guard] = [:]) async {
        var verdicts: [RecordKey: @Sendable () -> Verdict] = [:]
        let keys = parts.compactMap { part -> RecordKey? in
            guard part.key.bytes.count <= RecordKey.maximumByteCount else { return nil }
            return verdicts.updateValue(part.verdict, forKey: part.key) == nil ? part.key : nil
        }
        guard !keys.isEmpty else { return }
        let now = ticker.nanoseconds()
        let deadline = deadline(from: now)
        let admission = withState { $0.admit(kind, keys: keys, verdicts: verdicts, guards: guards, deadline: deadline, at: now) }
        switch admission {
        case .closed: return
        case .refused(let change): skip(change, change.keys)
        case .queued(let change, let ready): _ = await complete(change, ready: ready)
        }
    }

    /// Makes a change that has been queued, as far as the deadline allows.
    ///
    /// - Returns: Whether it was made in time.
    func complete(_ change: StoreChange, ready: [RecordKey]) async -> Bool {
        guard let deadline = change.deadline else {
            begin(ready, of: change)
            return await change.end.value()
        }
        let token: DeadlineQueue.Token?
        if ready.count == change.keys.count {
            token = nil
            startTask { [self] in
                // That a busy process had no thread for the task yet says nothing of the store: its time begins now.
                let token = watch(change, until: self.deadline(from: ticker.nanoseconds()) ?? deadline)
                await takeTurn(change, ready)
                deadlines.cancel(token)
            }
        } else {
            token = watch(change, until: deadline)
            begin(ready, of: change)
        }
        let isMade = await change.end.value()
        if let token { deadlines.cancel(token) }
        return isMade
    }

    private func watch(_ change: StoreChange, until deadline: Int64) -> DeadlineQueue.Token {
        change.postponeDeadline(to: deadline)
        return deadlines.schedule(at: deadline) { [self] in giveUp(change) }
    }

    private func begin(_ keys: [RecordKey], of change: StoreChange) {
        guard !keys.isEmpty else { return }
        startTask { [self] in await takeTurn(change, keys) }
    }

    /// Passes the store by. The keys are not read until the verdicts are known.
    private func skip(_ change: StoreChange, _ keys: [RecordKey]) {
        guard !keys.isEmpty else { return }
        let wanted = Set(keys.filter { change.verdict(on: $0) != .unwanted })
        withState { $0.endSkipping(keys, wanted: wanted) }
        tellSkipped(change.operation, count: wanted.count)
    }

    /// Ends the caller's wait at the deadline. The tier begins no further work for the change; work that has begun goes
    /// on by itself.
    private func giveUp(_ change: StoreChange) {
        let now = ticker.nanoseconds()
        let (waiting, givenUp) = withState { state in
            let places = state.queues.withdraw(change)
            // Whether they land, and when, is not known.
            for key in places.underWay { state.missed(key, by: change.number) }
            state.beginSkipping(places.waiting)
            return (places.waiting, state.giveUpCalls(ofChange: change.number, at: now))
        }
        tellGivenUp(givenUp, at: now)
        skip(change, waiting)
        change.end.answer(false)
    }

    /// Makes a change for keys whose turn has come, and passes the turn on.
    private func takeTurn(_ change: StoreChange, _ keys: [RecordKey]) async {
        let verdicts = keys.map { (key: $0, verdict: change.verdict(on: $0)) }
        let wanted = verdicts.filter { $0.verdict == .wanted }.map(\.key)
        let outdated = verdicts.filter { $0.verdict == .outdated }.map(\.key)
        // The time is read under the lock: no deadline would watch a call that begins after the caller has given up.
        let turn = withState { $0.beginTurn(change, wanted: wanted, outdated: outdated, store: name, at: ticker.nanoseconds()) }
        tellSkipped(change.operation, count: turn.skippedCount)
        var hasFailed = turn.skippedCount > 0
        if let id = turn.call {
            let call = CacheStoreCall(store: name, operation: change.operation, recordCount: turn.keys.count)
            let result = await perform(call) { [self] () async throws(StoreError) in try await change.make(for: turn.keys, in: self) }
            hasFailed = !land(change, turn, call: id, result)
        }
        let leftovers = withState { $0.endWriting(change, keys: keys, wanted: turn.keys + turn.outdated) }
        let removal: LeftoverRemoval = leftovers.isEmpty ? .done : await removeLeftovers(leftovers, of: change)
        if removal != .done { hasFailed = true }
        let next = withState { state in
            // The recovery removes no key whose turn is not over, so there is no hurry before.
            if removal == .leftToRecovery { state.recovery.isUrgent = true }
            return state.queues.leave(change, keys)
        }
        change.finished(keys.count, hasFailed: hasFailed)
        for (change, keys) in next { begin(keys, of: change) }
    }

    /// - Returns: Whether the store has done it.
    private func land(_ change: StoreChange, _ turn: Turn, call id: UInt64, _ result: Result<Set<RecordKey>, StoreError>) -> Bool {
        let now = ticker.nanoseconds()
        let error: StoreError? = if case .failure(let error) = result { error } else { nil }
        let refused = (try? result.get()) ?? []
        // This one says that the store holds nothing under the key, which is all that matters.
        let isRefusal = error?.code == .recordTooLarge
        let ended = withState { state in
            let ended = state.end(id, error: isRefusal ? nil : error, at: now)
            state.landed(change, turn, isDone: error == nil || (isRefusal && turn.keys.count == 1), refused: refused)
            return ended
        }
        if let ended { tell(ended.call, error == nil || isRefusal ? .done : .failed, error: error, since: ended.start, until: now) }
        for key in refused { change.guards[key]?.onRefusal() }
        return error == nil || isRefusal
    }

    private enum LeftoverRemoval {
        case done, failed
        /// The deadline has passed. The keys are in the journal.
        case leftToRecovery
    }

    /// Removes the remains of a failed write, records that were invalidated while they were written, and those that an outdated write was to
    /// replace. The turns of the keys are not over.
    private func removeLeftovers(_ keys: [RecordKey], of change: StoreChange) async -> LeftoverRemoval {
        let call = CacheStoreCall(store: name, operation: .remove, recordCount: keys.count)
        let (isLate, admission) = withState { state -> (Bool, (id: UInt64, number: UInt64)?) in
            let now = ticker.nanoseconds()
            // No deadline watches a call that begins after the deadline; the recovery has deadlines of its own.
            if change.deadline.map({ now >= $0 }) ?? false { return (true, nil) }
            guard let permit = state.breaker.admit(at: now) else { return (false, nil) }
            return (false, (state.begin(call, permit: permit, change: change.number, at: now), state.nextNumber()))
        }
        guard let admission else {
            tellSkipped(.remove, count: keys.count)
            return isLate ? .leftToRecovery : .failed
        }
        let result = await perform(call) { [store] () async throws(StoreError) in try await StoreChange.remove(keys, from: store) }
        let end = ticker.nanoseconds()
        let error: StoreError? = if case .failure(let error) = result { error } else { nil }
        let ended = withState { state in
            if error == nil {
                for key in keys { state.journal.settle(key, upTo: admission.number) }
            }
            return state.end(admission.id, error: error, at: end)
        }
        if let ended { tell(call, error == nil ? .done : .failed, error: error, since: ended.start, until: end) }
        return error == nil ? .done : .failed
    }
}

extension StoreChange {
    /// - Returns: The keys whose records the store has left as they were, because another process has changed them.
    fileprivate func make(for keys: [RecordKey], in tier: StoreTier) async throws(StoreError) -> Set<RecordKey> {
        let store = tier.store
        switch kind {
        case .insert(let records):
            if !guards.isEmpty, let shared = tier.sharedStore { return try await insert(records, for: keys, in: shared) }
            if keys.count == 1, let record = records[keys[0]] {
                try await store.insert(record, forKey: keys[0])
            } else {
                let keys = Set(keys)
                try await store.insert(records.count == keys.count ? records : records.filter { keys.contains($0.key) })
            }
        case .remove:
            try await Self.remove(keys, from: store)
        case .markStale(let date):
            for key in keys { try await store.markRecordStale(forKey: key, at: date) }
        }
        return []
    }

    private func insert(
        _ records: [RecordKey: Record],
        for keys: [RecordKey],
        in store: any SharedRecordStore
    ) async throws(StoreError) -> Set<RecordKey> {
        if keys.count == 1, let record = records[keys[0]], let guarded = guards[keys[0]] {
            return try await store.insert(record, forKey: keys[0], ifUnchangedSince: guarded.position) ? [] : [keys[0]]
        }
        let wanted = Set(keys)
        let plain = records.filter { wanted.contains($0.key) && guards[$0.key] == nil }
        if !plain.isEmpty { try await store.insert(plain) }
        let guarded = records.filter { wanted.contains($0.key) && guards[$0.key] != nil }
        // The oldest position is right for all of them, but too strict for those that are younger.
        guard let position = guarded.keys.compactMap({ guards[$0]?.position }).min() else { return [] }
        var refused = try await store.insert(guarded, ifUnchangedSince: position)
        for key in refused {
            guard let own = guards[key]?.position, own > position, let record = guarded[key] else { continue }
            if try await store.insert(record, forKey: key, ifUnchangedSince: own) { refused.remove(key) }
        }
        return refused
    }

    fileprivate static func remove(_ keys: [RecordKey], from store: any RecordStore) async throws(StoreError) {
        if keys.count == 1 {
            try await store.removeRecord(forKey: keys[0])
        } else {
            try await store.removeRecords(forKeys: keys)
        }
    }
}
