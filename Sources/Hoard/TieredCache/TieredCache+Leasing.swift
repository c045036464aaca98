// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The outcome of waiting for the turn to load a key that several processes may load.
package enum LoadTurn<Found: Sendable>: Sendable {
    /// Another process has brought the value.
    case found(Found)
    /// This process loads. Release the lease when the stores have the value, or there is none. `nil`: it loads without a lease, because the
    /// policy wants none, no store could grant one, or the wait has taken too long.
    case load(HeldLease?)
}

/// Best effort: one process loads a key at a time. See ``CachePolicy/loadLease``.
extension TieredCache {
    /// Waits until this process may load a key, or another process brings the value.
    func turnToLoad(_ inquiry: Inquiry) async throws -> LoadTurn<TieredLoad<Value>> {
        guard let lease = inquiry.policy.loadLease, inquiry.policy.skipping.isDisjoint(with: .stores) else { return .load(nil) }
        return try await turn(toLoad: inquiry.key, lease) { [self] in
            // Reads that began before the lease was asked for may have missed the value.
            storeReads.detach(inquiry.key)
            let reading = try await storeReading(inquiry).reading
            if let entry = reading.entry, entry.isFresh(at: ticker.nanoseconds()), entry.value != nil || !inquiry.needsValue {
                return .found(entry, reading.tier)
            }
            var seen: TieredEntry<Value>?
            let existing = existing(inquiry, seen: &seen)
            withExtendedLifetime(seen) {}
            return existing
        }
    }

    /// Waits until this process may load a key, or `lookAgain` finds the value.
    ///
    /// - Parameter lookAgain: Looks for a value that another process may have brought. Must not rely on reads that began before it was called.
    /// - Throws: `CancellationError`; the error that `lookAgain` throws. Never the error of a store: without its lease, the process loads.
    package func turn<Found: Sendable>(
        toLoad key: Key,
        _ lease: CachePolicy.LoadLease,
        lookAgain: () async throws -> Found?
    ) async throws -> LoadTurn<Found> {
        guard let (tier, store) = stack.leasingStore, let recordKey = naming.recordKey(for: key) else { return .load(nil) }
        let end = ticker.nanoseconds().addingSaturated(max(0, lease.maximumWait.saturatingNanoseconds))
        // The policies of calls are not validated. A lease that runs out at once would be renewed without a pause.
        let duration = max(CachePolicy.LoadLease.minimumDuration, lease.duration)
        while true {
            try Task.checkCancellation()
            // Changes from here on end the wait below.
            let position = store.position
            switch await tier.lease(forKey: recordKey, for: duration, in: store) {
            case .failed:
                return .load(nil)
            case .granted(let granted):
                let held = HeldLease(granted, for: duration, in: store, of: tier)
                // The last holder of the lease may have brought the value since this process looked.
                do {
                    guard let found = try await lookAgain() else { return .load(held) }
                    held.release()
                    counters.withLock { $0.loadsByOthers += 1 }
                    return .found(found)
                } catch {
                    held.release()
                    throw error
                }
            case .taken:
                let left = end.subtractingSaturated(ticker.nanoseconds())
                guard left > 0 else { return .load(nil) }
                // No change is reported when a lease runs out, so this looks again from time to time.
                let period = max(10_000_000, duration.saturatingNanoseconds / 4)
                await store.waitForChange(ofKey: recordKey, since: position, atMost: .nanoseconds(min(left, period)))
                try Task.checkCancellation()
                if let found = try await lookAgain() {
                    counters.withLock { $0.loadsByOthers += 1 }
                    return .found(found)
                }
            }
        }
    }
}

extension StoreStack {
    /// The first store that grants leases.
    var leasingStore: (tier: StoreTier, store: any LeasingRecordStore)? {
        guard hasSharedStores else { return nil }
        for tier in tiers {
            if let store = tier.sharedStore as? any LeasingRecordStore { return (tier, store) }
        }
        return nil
    }
}

extension StoreTier {
    enum LeaseAnswer: Sendable {
        case granted(RecordLease)
        case taken
        /// The store is left alone at present, or has failed or answered too late.
        case failed
    }

    /// Asks a healthy store for a lease. Never waits longer than the store's deadline.
    func lease(forKey key: RecordKey, for duration: Duration, in store: any LeasingRecordStore) async -> LeaseAnswer {
        guard key.bytes.count <= RecordKey.maximumByteCount else { return .failed }
        let health = health
        // A store that still owes an answer would keep this call waiting as well.
        guard health.circuit == .closed, health.overdueCalls == 0 else { return .failed }
        let call = CacheStoreCall(store: store.name, operation: .lease)
        let onLateSuccess: @Sendable (RecordLease?) async -> Void = { [self] lease in
            // This process loads without it, and others need not wait until it runs out.
            if let lease { await giveBack(lease, to: store) }
        }
        let answer = await performInTimeAndTell(call, outcome: { $0 == nil ? .notFound : .done }, onLateSuccess: onLateSuccess) {
            () async throws(StoreError) in try await store.lease(forKey: key, for: duration)
        }
        guard case .success(let lease) = answer else { return .failed }
        return lease.map { .granted($0) } ?? .taken
    }

    /// Gives a lease back. If that fails, it runs out soon.
    func giveBack(_ lease: RecordLease, to store: any LeasingRecordStore) async {
        let call = CacheStoreCall(store: store.name, operation: .lease)
        _ = await performInTimeAndTell(call, outcome: { _ in .done }) { () async throws(StoreError) in try await store.release(lease) }
    }
}
