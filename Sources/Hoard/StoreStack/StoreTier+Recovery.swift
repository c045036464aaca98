// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The recovery, which makes good the changes that the store has missed, without waiting for a caller.
extension StoreTier {
    /// When the journal is replayed next.
    struct Recovery: Sendable {
        struct Plan: Sendable {
            let number: UInt64
            let time: Int64
        }

        enum Phase: Sendable {
            case idle
            case planned
            case underWay
        }

        /// The nanoseconds after which missed changes are tried again, when the circuit is closed.
        var retryAfter: Int64 = 0
        var phase = Phase.idle
        /// The number of the last plan; older ones are void.
        var planNumber: UInt64 = 0
        /// The time of the last plan.
        var planTime: Int64 = 0
        /// The circuit has just been closed.
        var isUrgent = false
        /// A removal by tag, by partition or of everything has been sent again and not been answered yet.
        var isSweepUnderWay = false
        /// Answered when the recovery under way has ended, for the end of the tier, which waits for it.
        var end: FirstAnswer<Void>?
    }

    /// Others have changed a key in a store below: this store's record is not read any more, and removed as soon as possible.
    func outdate(_ key: RecordKey) {
        guard key.bytes.count <= RecordKey.maximumByteCount else { return }
        withState { state in
            guard !state.isClosed else { return }
            let number = state.nextNumber()
            state.missed(key, by: number)
            state.recovery.isUrgent = true
        }
    }

    /// Others have removed tags, a partition or everything in a store below.
    func outdate(_ extent: StoreSweep.Extent) {
        withState { state in
            guard !state.isClosed else { return }
            let number = state.nextNumber()
            state.invalidateWrites(extent, by: number)
            state.missed(extent, by: number)
            state.recovery.isUrgent = true
        }
    }

    /// There is reason to think that the store works again: it is asked again, and missed changes are made good, before the time is up.
    func endPause() {
        withState { state in
            state.breaker.endPause()
            if case .open = state.breaker.state { state.recovery.isUrgent = !state.journal.isEmpty }
        }
    }

    /// How many keys or tags are removed by one call.
    private static var batchCount: Int { 256 }

    /// Wakes up at the planned time, unless the tier has been released by then.
    func schedule(_ plan: Recovery.Plan) {
        _ = deadlines.schedule(at: plan.time) { [weak self] in
            guard let self, withState({ $0.beginRecovery(plan.number) }) else { return }
            startTask { [self] in await replay() }
        }
    }

    private func replay() async {
        while await replayNext() {}
        // A change that has become urgent since the last batch stays so.
        let end = withState { state in
            state.recovery.phase = .idle
            return state.recovery.end
        }
        end?.answer(())
    }

    /// Replays the rest of the journal once, without regard to the circuit, because it cannot be replayed later.
    func replayBeforeClosing() async {
        while await replayNext(isLast: true) {}
    }

    /// Replays one batch of the journal.
    ///
    /// - Returns: Whether the store has done it and there may be more.
    private func replayNext(isLast: Bool = false) async -> Bool {
        let now = ticker.nanoseconds()
        let deadline = deadline(from: now)
        let step = withState { state -> Step in
            guard isLast || !state.isClosing, !state.journal.isEmpty, !state.breaker.isRefusing(at: now) else { return .nothing }
            if !state.recovery.isSweepUnderWay, let extent = state.missedExtent(limit: Self.batchCount) {
                guard let permit = state.breaker.admit(at: now) else { return .nothing }
                let number = state.nextNumber()
                state.recovery.isSweepUnderWay = true
                // A write that was given up may still land, after the sweep.
                state.invalidateWrites(extent, by: number)
                return .sweep(extent, call: state.begin(sweepCall, permit: permit, change: number, isSweep: true, at: now), number)
            }
            // Removing keys from a store that is to be emptied is in vain.
            guard !state.journal.coversEverything else { return .nothing }
            let keys = state.missedFreeKeys(limit: Self.batchCount)
            guard !keys.isEmpty else { return .nothing }
            let change = StoreChange(.remove, keys: keys, number: state.nextNumber(), deadline: deadline, isReplay: true)
            return .change(change, ready: state.queues.enter(change))
        }
        switch step {
        case .nothing:
            return false
        case .sweep(let extent, let call, let number):
            return await complete(StoreSweep(extent: extent), call: call, number: number, isReplay: true)
        case .change(let change, let ready):
            return await complete(change, ready: ready)
        }
    }

    private enum Step: Sendable {
        case nothing
        case sweep(StoreSweep.Extent, call: UInt64, UInt64)
        case change(StoreChange, ready: [RecordKey])
    }
}

extension StoreTier.State {
    /// Whether something was missed and no recovery is about to make it good.
    var needsRecovery: Bool {
        guard !isClosing, !journal.isEmpty else { return false }
        return switch recovery.phase {
        case .idle: true
        case .planned: recovery.isUrgent
        case .underWay: false
        }
    }

    /// - Returns: `nil` if the last plan stands, and is for no later time.
    mutating func planRecovery(at now: Int64) -> StoreTier.Recovery.Plan? {
        let retry = now.addingSaturated(recovery.retryAfter)
        let time: Int64 =
            switch breaker.state {
            case .closed: recovery.isUrgent ? now : retry
            // When the time is up and nothing has come of it, the missed changes cannot be made good yet.
            case .open(let until): until > now ? until : recovery.isUrgent ? now : retry
            // A call is trying the store; if that closes the circuit, there will be another plan.
            case .halfOpen: retry
            }
        recovery.isUrgent = false
        if case .planned = recovery.phase, recovery.planTime <= time { return nil }
        recovery.phase = .planned
        recovery.planNumber += 1
        recovery.planTime = time
        return StoreTier.Recovery.Plan(number: recovery.planNumber, time: time)
    }

    /// - Returns: Whether the plan is still good.
    fileprivate mutating func beginRecovery(_ number: UInt64) -> Bool {
        guard recovery.planNumber == number, case .planned = recovery.phase, !isClosing else { return false }
        recovery.phase = .underWay
        recovery.isUrgent = false
        return true
    }

    fileprivate func missedExtent(limit: Int) -> StoreSweep.Extent? {
        if journal.coversEverything { return .everything }
        if let partition = journal.partitions.keys.first { return .partition(partition.text) }
        return journal.tags.isEmpty ? nil : .tags(Set(journal.tags.keys.prefix(limit)))
    }

    /// Keys in the journal that no change is under way for; a change that is may make its key good, or land after the removal.
    fileprivate func missedFreeKeys(limit: Int) -> [RecordKey] {
        Array(journal.keys.keys.lazy.filter { queues.isFree($0) }.prefix(limit))
    }
}
