// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

extension SharedMemoryStore.Connection: LeasingRecordStore {
    public func lease(forKey key: RecordKey, for duration: Duration) async throws(StoreError) -> RecordLease? {
        try use()
        let now = server.ticker.nanoseconds()
        return server.state.withLock { state in
            if let other = state.leases[key], other.end > now { return nil }
            state.lastToken += 1
            state.grantedLeaseCount += 1
            state.leases[key] = .init(token: state.lastToken, end: now.addingSaturated(duration.saturatingNanoseconds))
            return RecordLease(key: key, token: state.lastToken)
        }
    }

    public func renew(_ lease: RecordLease, for duration: Duration) async throws(StoreError) -> Bool {
        try use()
        let now = server.ticker.nanoseconds()
        return server.state.withLock { state in
            guard let held = state.leases[lease.key], held.token == lease.token, held.end > now else { return false }
            state.renewalCount += 1
            state.leases[lease.key]?.end = now.addingSaturated(duration.saturatingNanoseconds)
            return true
        }
    }

    public func release(_ lease: RecordLease) async throws(StoreError) {
        try use()
        let woken = server.state.withLock { state -> [SharedMemoryStore.Waiter] in
            guard state.leases[lease.key]?.token == lease.token else { return [] }
            state.leases[lease.key] = nil
            state.changes.add(.init(key: SharedMemoryStore.leaseKey(lease.key)), by: id)
            return state.takeWaiters([.init(key: lease.key)], by: id)
        }
        server.wake(woken)
    }

    public func waitForChange(ofKey key: RecordKey, since position: StorePosition, atMost duration: Duration) async {
        let end = server.ticker.nanoseconds().addingSaturated(max(0, duration.saturatingNanoseconds))
        let server = server
        let waiterID = server.state.withLock { state in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = server.state.withLock { state in
                    if state.changes.hasChanged(key, since: position, unlessBy: id) { return false }
                    if state.changes.hasChanged(SharedMemoryStore.leaseKey(key), since: position, unlessBy: id) { return false }
                    state.waiters[waiterID] = .init(key: key, connection: id, continuation: continuation)
                    return true
                }
                guard isWaiting else { return continuation.resume() }
                let timer = server.deadlines.schedule(at: end) { server.stopWaiting(waiterID) }
                // A waiter that has been woken meanwhile did not know of its timer.
                if !server.state.withLock({ $0.noteTimer(timer, ofWaiter: waiterID) }) { server.deadlines.cancel(timer) }
                // A cancellation that came before the waiter was registered found no waiter to wake.
                if Task.isCancelled { server.stopWaiting(waiterID) }
            }
        } onCancel: {
            server.stopWaiting(waiterID)
        }
    }
}

extension SharedMemoryStore {
    /// A caller that waits for a change of a key.
    struct Waiter: Sendable {
        let key: RecordKey
        let connection: UInt64
        let continuation: CheckedContinuation<Void, Never>
        var timer: DeadlineQueue.Token?
    }

    /// Under which the end of a key's lease is noted. No record has a key that is so long.
    static func leaseKey(_ key: RecordKey) -> RecordKey {
        RecordKey(bytes: [UInt8](repeating: 0x6C, count: RecordKey.maximumByteCount + 1) + key.bytes)
    }

    func stopWaiting(_ waiterID: UInt64) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: waiterID) }
        if let waiter { wake([waiter]) }
    }

    /// Lets waiters go on that are no longer among those that wait, and cancels their timers.
    func wake(_ woken: [Waiter]) {
        for waiter in woken {
            if let timer = waiter.timer { deadlines.cancel(timer) }
            waiter.continuation.resume()
        }
    }
}

extension SharedMemoryStore.State {
    /// Returns whether the waiter still waits.
    mutating func noteTimer(_ timer: DeadlineQueue.Token, ofWaiter waiterID: UInt64) -> Bool {
        guard waiters[waiterID] != nil else { return false }
        waiters[waiterID]?.timer = timer
        return true
    }

    /// The waiters that a change by `id` concerns. They are to be woken outside the lock.
    mutating func takeWaiters(_ invalidations: [StoreInvalidation], by id: UInt64) -> [SharedMemoryStore.Waiter] {
        guard !waiters.isEmpty else { return [] }
        let keys = Set(invalidations.compactMap(\.key))
        let isOfAll = invalidations.contains { $0.key == nil }
        let woken = waiters.filter { $0.value.connection != id && (isOfAll || keys.contains($0.value.key)) }
        for number in woken.keys { waiters[number] = nil }
        return woken.sorted { $0.key < $1.key }.map(\.value)
    }
}
