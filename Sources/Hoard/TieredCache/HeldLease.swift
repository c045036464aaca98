// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A lease that is renewed while it is held, and given back when it is released.
@usableFromInline package final class HeldLease: Sendable {
    fileprivate struct State: Sendable {
        var timer: DeadlineQueue.Token?
        var isReleased = false
        /// The store has refused to renew it, so another owner may have it by now.
        var isLost = false
    }

    private let lease: RecordLease
    private let duration: Duration
    private let tier: StoreTier
    private let store: any LeasingRecordStore
    private let state = Mutex(State())

    init(_ lease: RecordLease, for duration: Duration, in store: any LeasingRecordStore, of tier: StoreTier) {
        self.lease = lease
        self.duration = duration
        self.store = store
        self.tier = tier
        scheduleRenewal()
    }

    deinit {
        Self.giveBack(lease, in: store, of: tier, state.withLock { $0.end() })
    }

    /// Whether the lease is neither released nor known to be lost.
    var isHeld: Bool { state.withLock { !$0.isReleased && !$0.isLost } }

    /// Gives the lease back, in the background. Releasing it again does nothing.
    @usableFromInline package func release() {
        Self.giveBack(lease, in: store, of: tier, state.withLock { $0.end() })
    }

    private static func giveBack(_ lease: RecordLease, in store: any LeasingRecordStore, of tier: StoreTier, _ end: State.End) {
        guard case .first(let timer, let mustRelease) = end else { return }
        if let timer { tier.deadlines.cancel(timer) }
        guard mustRelease else { return }
        startTask { await tier.giveBack(lease, to: store) }
    }

    /// Renews after a third of the duration, which leaves room for one attempt that fails.
    private func scheduleRenewal() {
        let tick = tier.ticker.nanoseconds().addingSaturated(duration.saturatingNanoseconds / 3)
        state.withLock { state in
            guard !state.isReleased else { return }
            state.timer = tier.deadlines.schedule(at: tick) { [weak self] in
                guard let self else { return }
                startTask { [self] in await renew() }
            }
        }
    }

    private func renew() async {
        guard isHeld else { return }
        let call = CacheStoreCall(store: store.name, operation: .lease)
        let answer = await tier.performInTimeAndTell(call, outcome: { $0 ? .done : .notFound }) {
            [store, lease, duration] () async throws(StoreError) in try await store.renew(lease, for: duration)
        }
        if case .success(false) = answer {
            state.withLock { $0.isLost = true }
        } else {
            // A renewal that failed is tried again while the lease is held.
            scheduleRenewal()
        }
    }
}

extension HeldLease.State {
    enum End: Sendable {
        case first(DeadlineQueue.Token?, mustRelease: Bool)
        case again
    }

    mutating func end() -> End {
        if isReleased { return .again }
        isReleased = true
        defer { timer = nil }
        return .first(timer, mustRelease: !isLost)
    }
}
