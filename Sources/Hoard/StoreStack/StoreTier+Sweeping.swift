// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A change of all records with certain tags, of all records of a partition, or of all records.
struct StoreSweep: Sendable {
    enum Extent: Sendable {
        case tags(Set<String>)
        case partition(String)
        case everything
    }

    let extent: Extent
    /// When the records' freshness ends; `nil`: they are removed.
    var staleAt: Date?

    fileprivate func make(in store: any RecordStore) async throws(StoreError) {
        switch (extent, staleAt) {
        case (.tags(let tags), nil): try await store.removeRecords(taggedWith: tags)
        case (.tags(let tags), let date?): try await store.markRecordsStale(taggedWith: tags, at: date)
        case (.partition(let partition), nil): try await store.removePartition(partition)
        // No caller asks for this. A record that is removed is not found to be fresh either.
        case (.partition(let partition), _?): try await store.removePartition(partition)
        case (.everything, nil): try await store.removeAll()
        case (.everything, let date?): try await store.markAllRecordsStale(at: date)
        }
    }
}

/// Changes by tag, by partition and of everything. They wait for no other change: an older write that is still under way
/// when one begins, and that may concern it, is undone as soon as the store has answered the write. Until then the key of the write is not read.
extension StoreTier {
    /// Removes all records that have at least one of the tags. Returns when the store has done that, or at the deadline.
    ///
    /// - Parameter onTurn: Called first: writes whose ``Insertion/verdict`` is asked later have not reached the store yet.
    func removeRecords(taggedWith tags: Set<String>, onTurn: @escaping @Sendable () -> Void) async {
        await sweep(StoreSweep(extent: .tags(tags)), onTurn: onTurn)
    }

    /// Removes all records of a partition.
    func removePartition(_ partition: String, onTurn: @escaping @Sendable () -> Void) async {
        await sweep(StoreSweep(extent: .partition(partition)), onTurn: onTurn)
    }

    /// Ends the freshness of all records that have at least one of the tags.
    func markStale(taggedWith tags: Set<String>, at date: Date, onTurn: @escaping @Sendable () -> Void) async {
        await sweep(StoreSweep(extent: .tags(tags), staleAt: date), onTurn: onTurn)
    }

    /// Removes all records.
    func removeAll(onTurn: @escaping @Sendable () -> Void) async {
        await sweep(StoreSweep(extent: .everything), onTurn: onTurn)
    }

    /// Ends the freshness of all records.
    func markAllStale(at date: Date, onTurn: @escaping @Sendable () -> Void) async {
        await sweep(StoreSweep(extent: .everything, staleAt: date), onTurn: onTurn)
    }

    private func sweep(_ sweep: StoreSweep, onTurn: @Sendable () -> Void) async {
        onTurn()
        if case .tags(let tags) = sweep.extent, tags.isEmpty { return }
        let now = ticker.nanoseconds()
        let admission = withState { state -> SweepAdmission in
            guard !state.isClosed else { return .closed }
            let number = state.nextNumber()
            state.invalidateWrites(sweep.extent, by: number)
            guard let permit = state.breaker.admit(at: now) else {
                state.missed(sweep.extent, by: number)
                return .refused
            }
            return .admitted(state.begin(sweepCall, permit: permit, change: number, isSweep: true, at: now), number)
        }
        switch admission {
        case .closed: return
        case .refused: tellSkipped(.remove, count: 1)
        case .admitted(let call, let number): _ = await complete(sweep, call: call, number: number)
        }
    }

    private enum SweepAdmission: Sendable {
        case closed
        case refused
        case admitted(UInt64, UInt64)
    }

    var sweepCall: CacheStoreCall { CacheStoreCall(store: name, operation: .remove) }

    /// Makes a change by tag, by partition or of everything in a task of its own, and waits for it until the deadline.
    ///
    /// - Returns: Whether it was made in time.
    func complete(_ sweep: StoreSweep, call: UInt64, number: UInt64, isReplay: Bool = false) async -> Bool {
        let end = FirstAnswer<Bool>()
        startTask { [self] in
            // That a busy process had no thread for the task yet says nothing of the store: its time begins now.
            let token = deadline(from: ticker.nanoseconds()).map { deadline in
                deadlines.schedule(at: deadline) { [self] in
                    giveUp(sweep, number: number, isReplay: isReplay)
                    end.answer(false)
                }
            }
            let result = await perform(sweepCall) { [store] () async throws(StoreError) in try await sweep.make(in: store) }
            if let token { deadlines.cancel(token) }
            end.answer(land(sweep, call: call, number: number, isReplay: isReplay, result))
        }
        return await end.value()
    }

    private func giveUp(_ sweep: StoreSweep, number: UInt64, isReplay: Bool) {
        let now = ticker.nanoseconds()
        let givenUp = withState { state in
            let givenUp = state.giveUpCalls(ofChange: number, at: now)
            if !givenUp.isEmpty, !isReplay { state.missed(sweep.extent, by: number) }
            return givenUp
        }
        tellGivenUp(givenUp, at: now)
    }

    private func land(_ sweep: StoreSweep, call id: UInt64, number: UInt64, isReplay: Bool, _ result: Result<Void, StoreError>) -> Bool {
        let now = ticker.nanoseconds()
        let error: StoreError? = if case .failure(let error) = result { error } else { nil }
        let ended = withState { state in
            if isReplay { state.recovery.isSweepUnderWay = false }
            if error != nil {
                if !isReplay { state.missed(sweep.extent, by: number) }
            } else if sweep.staleAt == nil {
                // A removal that was missed before is not made good by a mark.
                state.settle(sweep.extent, upTo: number)
            }
            return state.end(id, error: error, at: now)
        }
        if let ended { tell(ended.call, error == nil ? .done : .failed, error: error, since: ended.start, until: now) }
        return error == nil
    }
}

extension StoreTier.State {
    fileprivate mutating func settle(_ extent: StoreSweep.Extent, upTo number: UInt64) {
        switch extent {
        case .tags(let tags): journal.settle(tags: tags, upTo: number)
        case .partition(let partition): journal.settle(partition: partition, upTo: number)
        case .everything: journal.settleEverything(upTo: number)
        }
    }
}
