// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import Hoard
internal import Synchronization

/// The metrics of one store name.
final class StoreHandlers: Sendable {
    private struct Call: Equatable, Sendable {
        let operation: CacheStoreCall.Operation
        let outcome: CacheStoreOutcome
    }

    let name: String
    private let factory: any MetricsFactory
    private let calls = HandlerList<Call, Counter>(maximumCount: 64)
    private let durations = HandlerList<CacheStoreCall.Operation, Timer>(maximumCount: 16)
    private let circuit = AtomicLazyReference<Gauge>()

    init(name: String, factory: any MetricsFactory) {
        self.name = name
        self.factory = factory
    }

    /// Counts a call. Calls that were not made have no duration: they would hide how slow the others are.
    func countCall(_ operation: CacheStoreCall.Operation, outcome: CacheStoreOutcome, duration: Duration) {
        let call = Call(operation: operation, outcome: outcome)
        let counter = calls.handlers(for: call) { callCounter(call) } ?? callCounter(call)
        counter.increment()
        // From its first call on, a store has a circuit, which is closed until it is reported to be open.
        if circuit.load() == nil {
            let gauge = circuitGauge()
            // One that has been reported meanwhile stays as it was reported.
            if circuit.storeIfNil(gauge) === gauge { gauge.record(0) }
        }
        guard outcome != .skipped else { return }
        let timer = durations.handlers(for: operation) { durationTimer(operation) } ?? durationTimer(operation)
        timer.recordNanoseconds(duration.saturatingNanoseconds)
    }

    func setCircuit(isOpen: Bool) {
        let gauge = circuit.load() ?? circuit.storeIfNil(circuitGauge())
        gauge.record(isOpen ? 1 : 0)
    }

    private func circuitGauge() -> Gauge {
        Gauge(label: "cache.circuit", dimensions: [("store", name)], factory: factory)
    }

    private func callCounter(_ call: Call) -> Counter {
        Counter(
            label: "cache.store.calls",
            dimensions: [("store", name), ("operation", call.operation.description), ("outcome", call.outcome.description)],
            factory: factory
        )
    }

    private func durationTimer(_ operation: CacheStoreCall.Operation) -> Timer {
        Timer(label: "cache.store.duration", dimensions: [("store", name), ("operation", operation.description)], factory: factory)
    }
}
