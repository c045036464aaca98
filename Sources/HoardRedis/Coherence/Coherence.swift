// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Keeps a process's knowledge of the server's keys true, and tells watchers of the changes that other processes have
/// made.
final class Coherence: Sendable {
    private let state: Mutex<CoherenceState>
    let watchers = InvalidationWatchers()
    let waiters = ChangeWaiters()
    private let isTracked: Bool
    private let stalenessWindow: Duration
    private let ticker: any Ticker

    private struct Outage {
        /// Tells again and again that everything may have changed, while there is no connection.
        var task: Task<Void, Never>?
        /// The end of a connection that its owner closes begins no outage.
        var isClosed = false
    }

    private let outage = Mutex(Outage())

    init(_ state: CoherenceState, stalenessWindow: Duration, ticker: any Ticker) {
        isTracked = state.isTracked
        self.state = Mutex(state)
        self.stalenessWindow = stalenessWindow
        self.ticker = ticker
    }

    func withLock<Result: Sendable>(_ body: (inout CoherenceState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Takes over an event of the connection. Called on its thread, in order.
    func handle(_ event: RedisEvent) {
        switch event {
        case .connected:
            state.withLock { $0.connected() }
            guard isTracked else { return }
            endOutage()
            watchers.tell([.everything])
            waiters.wakeAll()
        case .disconnected:
            state.withLock { $0.disconnected() }
            guard isTracked else { return }
            watchers.tell([.everything])
            waiters.wakeAll()
            beginOutage()
        case .push(let values):
            let tidings = state.withLock { $0.handle(push: values) }
            if tidings.keys.isEmpty, !tidings.isOfEverything { return }
            watchers.tell(tidings.invalidations)
            if tidings.isOfEverything, tidings.keys.isEmpty { waiters.wakeAll() } else { waiters.wake(tidings.keys) }
        }
    }

    /// Lets memory use the results of its loaders for no longer than the window while there is no connection, because
    /// the server tells of no changes.
    func beginOutage() {
        guard isTracked else { return }
        let (ticker, window) = (ticker, stalenessWindow)
        let task = startTask { [weak self] in
            while !Task.isCancelled {
                let (end, overflowed) = ticker.nanoseconds().addingReportingOverflow(max(1_000_000, window.saturatingNanoseconds))
                do { try await ticker.sleep(until: overflowed ? .max : end) } catch { return }
                guard let self, !self.withLock({ $0.isConnected }) else { return }
                self.watchers.tell([.everything])
            }
        }
        outage.withLock { $0.isClosed ? task : exchange(&$0.task, with: task) }?.cancel()
    }

    private func endOutage() {
        outage.withLock { $0.task.take() }?.cancel()
    }

    func close() {
        outage.withLock { $0.isClosed = true }
        endOutage()
        watchers.finish()
        waiters.finish()
    }
}
