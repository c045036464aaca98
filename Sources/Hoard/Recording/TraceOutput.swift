// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Hands the events that the collector has gathered to the file, if there is one, and to listeners.
final class TraceOutput: Sendable {
    private struct State: ~Copyable {
        var writer: TraceFileWriter?
        var listeners: [Int: TraceListener] = [:]
        var nextListener = 0
        /// The accesses that the collector has lost.
        var lost = 0
        var hasToldOfFailure = false
        var isClosed = false
    }

    private struct Drains {
        var next = 0
        var functions: [Int: @Sendable () -> Void] = [:]
    }

    private let collector: TraceCollector
    private let onFailure: @Sendable (CacheTraceError) -> Void
    /// Held while accesses are handed out, so that each is handed out once, and in order.
    private let state: Mutex<State>
    private let drains = Mutex(Drains())

    init(writer: consuming TraceFileWriter?, collector: TraceCollector, onFailure: @escaping @Sendable (CacheTraceError) -> Void) {
        self.collector = collector
        self.onFailure = onFailure
        state = Mutex(State(writer: writer))
    }

    @discardableResult
    func addDrain(_ drain: @escaping @Sendable () -> Void) -> Int {
        drains.withLock { drains in
            drains.next += 1
            drains.functions[drains.next] = drain
            return drains.next
        }
    }

    func removeDrain(_ number: Int) {
        // It is let go of outside the lock.
        _ = drains.withLock { $0.functions.removeValue(forKey: number) }
    }

    /// The number of functions that hand over accesses. For tests.
    var drainCount: Int { drains.withLock { $0.functions.count } }

    /// - Returns: The number of the listener.
    func add(_ listener: TraceListener) -> Int {
        state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = listener
            return state.nextListener
        }
    }

    /// Nothing is handed to the listener when this has returned.
    func removeListener(_ number: Int) {
        // It is let go of outside the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: number) }
    }

    var statistics: CacheTraceRecorder.Statistics {
        state.withLock { state in
            var statistics = state.writer?.statistics ?? CacheTraceRecorder.Statistics()
            statistics.lost += state.lost
            return statistics
        }
    }

    func throwFailure() throws(CacheTraceError) {
        if let failure = statistics.failure { throw CacheTraceError(.io, failure) }
    }

    /// Hands out the gathered accesses.
    func flush() { flush(isLast: false) }

    /// Hands out the gathered accesses, and closes the file.
    func close() {
        flush(isLast: true)
        drains.withLock { $0.functions.removeAll() }
    }

    private func flush(isLast: Bool) {
        for drain in drains.withLock({ Array($0.functions.values) }) { drain() }
        let failure = state.withLock { state -> String? in
            guard !state.isClosed else { return nil }
            if isLast { collector.close() }
            handOut(&state, isLast: isLast)
            if isLast {
                state.isClosed = true
                state.writer?.close()
            }
            guard !state.hasToldOfFailure, let failure = state.writer?.statistics.failure else { return nil }
            state.hasToldOfFailure = true
            // There is no listener left to gather accesses for.
            if state.listeners.isEmpty { collector.close() }
            return failure
        }
        if let failure { onFailure(CacheTraceError(.io, failure)) }
    }

    private func handOut(_ state: inout State, isLast: Bool) {
        let (order, lost) = collector.drain()
        state.lost += lost
        state.writer?.noteLosses(lost)
        var listeners = state.listeners.values.map { TraceDelivery(to: $0) }
        let now = collector.tick.value.load(ordering: .relaxed)
        collector.forEachEvent(in: order) { event, hash in
            state.writer?.append(event, hash: hash)
            for index in listeners.indices { listeners[index].append(event, hash: hash, now: now) }
        }
        collector.reuse(order)
        state.writer?.endBlock()
        for index in listeners.indices { listeners[index].end(now: now, lost: lost, isLast: isLast) }
    }
}
