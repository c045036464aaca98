// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import Synchronization

/// Sends every listener the same text once a second, and makes it only while there are listeners.
///
/// A listener that is slower gets the newest one and misses the others: at most one waits for each.
final class AdminEvents: Sendable {
    private struct State {
        var listeners: [UInt64: Listener] = [:]
        var lastID: UInt64 = 0
        var timer: DeadlineQueue.Token?
        /// When the next event is due.
        var nextTick: Int64 = 0
        var isClosed = false
    }

    private struct Listener {
        var waiting: ByteBuffer?
        var continuation: CheckedContinuation<ByteBuffer?, Never>?
    }

    private let maximumCount: Int
    private let interval: Int64
    private let ticker: any Ticker
    private let deadlines: DeadlineQueue
    private let makeEvent: @Sendable () async -> ByteBuffer
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maximumCount: The most listeners at a time.
    ///   - makeEvent: Makes the event to send. Called in a task of its own, and not again before it has returned.
    init(
        maximumCount: Int,
        interval: Duration = .seconds(1),
        ticker: any Ticker,
        makeEvent: @escaping @Sendable () async -> ByteBuffer
    ) {
        self.maximumCount = maximumCount
        self.interval = interval.saturatingNanoseconds
        self.ticker = ticker
        self.makeEvent = makeEvent
        deadlines = DeadlineQueue(ticker: ticker)
    }

    /// The number of listeners.
    var count: Int { state.withLock { $0.listeners.count } }

    /// Adds a listener, whose first event is made at once.
    ///
    /// - Returns: `nil` if there are as many as there may be, or if everything ends.
    func listen() async -> Subscription? {
        let id = state.withLock { state -> UInt64? in
            guard !state.isClosed, state.listeners.count < maximumCount else { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = Listener()
            return state.lastID
        }
        guard let id else { return nil }
        let subscription = Subscription(events: self, id: id)
        send(await makeEvent(), to: id)
        schedule()
        return subscription
    }

    /// Ends all listeners' streams at once, and admits no new listeners.
    func close() {
        let (waiting, timer) = state.withLock { state in
            state.isClosed = true
            defer {
                state.listeners = [:]
                state.timer = nil
            }
            return (state.listeners.values.compactMap(\.continuation), state.timer)
        }
        if let timer { deadlines.cancel(timer) }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    /// A listener, as long as it is kept.
    final class Subscription: Sendable {
        private let events: AdminEvents
        private let id: UInt64

        fileprivate init(events: AdminEvents, id: UInt64) {
            self.events = events
            self.id = id
        }

        deinit {
            events.leave(id)
        }

        /// The next event; `nil` when the stream has ended or the task is cancelled. One reader at a time.
        func next() async -> ByteBuffer? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let (event, isOver) = events.take(id, continuation)
                    if isOver || event != nil { continuation.resume(returning: event) }
                }
            } onCancel: {
                events.leave(id)
            }
        }
    }

    // MARK: Listeners

    /// Takes the event that waits for a listener; if none does, the listener waits for the next one.
    private func take(_ id: UInt64, _ continuation: CheckedContinuation<ByteBuffer?, Never>) -> (event: ByteBuffer?, isOver: Bool) {
        state.withLock { state in
            guard let listener = state.listeners[id], listener.continuation == nil else { return (nil, true) }
            state.listeners[id] = listener.waiting == nil ? Listener(continuation: continuation) : Listener()
            return (listener.waiting, false)
        }
    }

    private func leave(_ id: UInt64) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: id) }
        listener?.continuation?.resume(returning: nil)
    }

    private func send(_ event: ByteBuffer, to id: UInt64) {
        let continuation = state.withLock { state -> CheckedContinuation<ByteBuffer?, Never>? in
            guard let listener = state.listeners[id] else { return nil }
            state.listeners[id] = listener.continuation == nil ? Listener(waiting: event) : Listener()
            return listener.continuation
        }
        continuation?.resume(returning: event)
    }

    // MARK: Time

    /// Schedules the next event, unless one is scheduled already or there are no listeners.
    private func schedule() {
        let now = ticker.nanoseconds()
        state.withLock { state in
            guard !state.isClosed, state.timer == nil, !state.listeners.isEmpty else { return }
            // In step, as long as it does not take longer than the interval.
            let due = state.nextTick.addingSaturated(interval)
            state.nextTick = due > now && due <= now.addingSaturated(interval) ? due : now.addingSaturated(interval)
            state.timer = deadlines.schedule(at: state.nextTick) { [weak self] in self?.tick() }
        }
    }

    private func tick() {
        startTask { [self] in
            // A listener that joins while the event is made has a newer one of its own.
            let listeners = state.withLock { Array($0.listeners.keys) }
            let event = await makeEvent()
            state.withLock { $0.timer = nil }
            for id in listeners { send(event, to: id) }
            schedule()
        }
    }
}

/// A listener's events as the content of a response.
struct AdminEventStream: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let subscription: AdminEvents.Subscription

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: AdminEvents.Subscription

        func next() async -> ByteBuffer? { await subscription.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}
