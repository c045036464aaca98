// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension StoreTier {
    /// Some keys of a change whose turn has come.
    struct Turn: Sendable {
        /// The keys that the store is asked for.
        var keys: [RecordKey] = []
        /// The keys that are removed instead.
        var outdated: [RecordKey] = []
        /// The call of the store, unless there is nothing to ask for.
        var call: UInt64?
        /// A removal that is done makes good everything that was missed up to here.
        var number: UInt64 = 0
        var skippedCount = 0
    }

    enum ChangeAdmission: Sendable {
        case closed
        /// The store is left alone.
        case refused(StoreChange)
        /// In the queues; the turn of some keys has come already.
        case queued(StoreChange, ready: [RecordKey])
    }
}

/// Changes of keys, as the state machine sees them.
extension StoreTier.State {
    mutating func admit(
        _ kind: StoreChange.Kind,
        keys: [RecordKey],
        verdicts: [RecordKey: @Sendable () -> StoreTier.Verdict],
        guards: [RecordKey: StoreTier.Guard],
        deadline: Int64?,
        at now: Int64
    ) -> StoreTier.ChangeAdmission {
        if isClosed { return .closed }
        let change = StoreChange(kind, keys: keys, verdicts: verdicts, guards: guards, number: nextNumber(), deadline: deadline)
        if breaker.isRefusing(at: now) {
            beginSkipping(change.keys)
            return .refused(change)
        }
        return .queued(change, ready: queues.enter(change))
    }

    /// These keys are passed by, unless they are not wanted any more, which is about to be asked.
    mutating func beginSkipping(_ keys: [RecordKey]) {
        for key in keys { undecided[key, default: 0] += 1 }
    }

    mutating func endSkipping(_ keys: [RecordKey], wanted: Set<RecordKey>) {
        // A new number, not that of the change: another that was asked for later may have been found to be wanted earlier.
        let number = nextNumber()
        for key in keys {
            let rest = undecided[key, default: 1] - 1
            undecided[key] = rest == 0 ? nil : rest
            if wanted.contains(key) {
                missed(key, by: number)
            } else if let underWay = queues.numberUnderWay(for: key) {
                // A newer change has overtaken this one. Until it lands, the store has the record that both were to replace.
                remember(key, by: underWay)
            }
        }
    }

    /// Decides the call of the store, now that the keys that are still wanted are known.
    mutating func beginTurn(
        _ change: StoreChange,
        wanted: [RecordKey],
        outdated: [RecordKey],
        store: String,
        at now: Int64
    ) -> StoreTier.Turn {
        var turn = StoreTier.Turn()
        var wanted = wanted
        turn.outdated = outdated
        // A mark may read the record before the store removes it by tag, and write it again afterwards. Removed, it is not found to be fresh either.
        if case .markStale = change.kind, isSweepUnderWay {
            turn.outdated += wanted
            wanted = []
        }
        for key in turn.outdated { remember(key, by: change.number) }
        // A record that was invalidated before it was written need not be written first.
        let timely = change.mayWrite ? wanted.filter { queues.invalidation(ofTurnFor: $0) == nil } : wanted
        guard !timely.isEmpty else { return turn }
        let isTooLate = change.deadline.map { now >= $0 } ?? false
        guard !isTooLate, !isClosed, let permit = breaker.admit(at: now) else {
            for key in timely where !change.isReplay { missed(key, by: change.number) }
            turn.skippedCount = timely.count
            return turn
        }
        let call = CacheStoreCall(store: store, operation: change.operation, recordCount: timely.count)
        turn.keys = timely
        turn.call = begin(call, permit: permit, change: change.number, at: now)
        turn.number = nextNumber()
        return turn
    }

    /// The store has answered.
    ///
    /// - Parameter refused: The keys whose records the store has left as they were.
    mutating func landed(_ change: StoreChange, _ turn: StoreTier.Turn, isDone: Bool, refused: Set<RecordKey>) {
        for key in turn.keys where !refused.contains(key) {
            guard isDone else {
                if !change.isReplay { missed(key, by: change.number) }
                continue
            }
            switch change.kind {
            case .insert: journal.settle(key, upTo: change.number)
            case .remove: journal.settle(key, upTo: turn.number)
            // A removal that was missed before is not made good by a mark.
            case .markStale: break
            }
        }
    }

    /// The store writes nothing more for these keys.
    ///
    /// - Returns: The keys that have to be removed now.
    mutating func endWriting(_ change: StoreChange, keys: [RecordKey], wanted: [RecordKey]) -> [RecordKey] {
        guard change.mayWrite else { return [] }
        var leftovers = Set(wanted.filter { journal.keys[$0] != nil })
        for key in keys {
            if queues.invalidation(ofTurnFor: key) != nil {
                // A removal of everything that has been sent, but not answered, may have come before the record that
                // has just been written: with a new number, it does not settle this.
                remember(key, by: nextNumber())
                leftovers.insert(key)
            }
            queues.landed(key)
        }
        return keys.filter { leftovers.contains($0) }
    }
}
