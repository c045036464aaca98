// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A store as a ``TieredCache`` uses it: its failures are reported and counted, and never reach a caller; nor do its delays, beyond the deadline.
///
/// Changes of one key are made in the order in which they were asked for. They run to their end in tasks of their own, even if the caller
/// is cancelled or has waited long enough, because half an invalidation is none. While one may still land, no other of its key is sent.
///
/// Changes that the store has missed are in a journal. The records that they concern are not read from the store, and the changes are made
/// good in the background. A store that fails too often is left alone for a while. One lock guards all the state; the store, the observer and
/// the functions of callers are called outside of it.
@usableFromInline final class StoreTier: Sendable {
    /// The outcome of a read.
    @usableFromInline enum Reading: Sendable {
        case record(Record)
        case nothing
        case skipped(StoreSkip.Reason)
    }

    let store: any RecordStore
    @usableFromInline let name: String
    /// The store, if other processes change it and it can tell.
    let sharedStore: (any SharedRecordStore)?
    /// The store, if it can answer at once.
    let immediateStore: (any ImmediateRecordStore)?
    /// The store, if it can be asked without a task.
    let callbackStore: (any CallbackRecordStore)?
    let configuration: StoreStack.Configuration
    let ticker: any Ticker
    let observer: (any CacheObserver)?
    let deadlines: DeadlineQueue

    private let report: @Sendable (TieredCacheEvent) -> Void
    private let state: Mutex<State>

    /// - Parameter report: Receives events worth logging. The observer is not told of it here.
    init(
        store: any RecordStore,
        configuration: StoreStack.Configuration,
        ticker: any Ticker,
        observer: (any CacheObserver)?,
        report: @escaping @Sendable (TieredCacheEvent) -> Void
    ) {
        self.store = store
        name = store.name
        sharedStore = store as? any SharedRecordStore
        immediateStore = (store as? any ImmediateRecordStore).flatMap { $0.answersAtOnce ? $0 : nil }
        callbackStore = (store as? any CallbackRecordStore).flatMap { $0.callsBack ? $0 : nil }
        self.configuration = configuration
        self.ticker = ticker
        self.observer = observer
        self.report = report
        deadlines = DeadlineQueue(ticker: ticker)
        state = Mutex(State(storeName: name, configuration: configuration))
    }

    /// Works on the state; then, outside the lock, reports the events and makes sure that missed changes will be made good.
    func withState<Result: Sendable>(_ body: (inout sending State) -> Result) -> Result {
        interleavingPoint()
        let (result, events, recovery) = state.withLock { state -> (Result, [TieredCacheEvent], Recovery.Plan?) in
            let result = body(&state)
            // Nearly always there is nothing to plan, and no time has to be read for it.
            let recovery = state.needsRecovery ? state.planRecovery(at: ticker.nanoseconds()) : nil
            return (result, state.takeEvents(), recovery)
        }
        for event in events { report(event) }
        if let recovery { schedule(recovery) }
        return result
    }

    /// Operations that the store has failed to do, or has not done in time.
    var failureCount: Int { state.withLock { $0.failures } }

    var health: StoreHealth { state.withLock { $0.health } }

    /// The number of changes of a key that wait for their turn. For tests that hold the door.
    func waiterCount(for key: RecordKey) -> Int {
        state.withLock { $0.queues.waiterCount(for: key) }
    }

    /// The number of keys that are being changed. For tests.
    var changeCount: Int { state.withLock { $0.queues.count } }

    /// Tries once more to make good the changes that the store has missed, and closes it. Everything afterwards finds
    /// nothing and does nothing.
    func close() async {
        let recoveryEnd = FirstAnswer<Void>()
        let wasOpen = withState { state in
            guard !state.isClosing else { return false }
            state.isClosing = true
            if state.recovery.phase == .underWay { state.recovery.end = recoveryEnd } else { recoveryEnd.answer(()) }
            return true
        }
        guard wasOpen else { return }
        // It ends with the batch that the store has been asked for, which may be the only call that the circuit lets through.
        await recoveryEnd.value()
        // The journal cannot be replayed later.
        withState { $0.breaker.endPause() }
        await replayBeforeClosing()
        withState { $0.isClosed = true }
        await store.close()
    }
}
