// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Tracing

/// Makes spans for a collector of OpenTelemetry, with contexts as W3C Trace Context writes them.
final class OTLPTracer: Tracer {
    private let sampledShare: Double
    private let sink: @Sendable (FinishedSpan) -> Void
    private let drawCount: Atomic<UInt64>

    /// - Parameters:
    ///   - sampledShare: The share of new traces that are sampled. Spans of other traces are sampled as those say.
    ///   - sink: Gets each sampled span at its end.
    init(sampledShare: Double, sink: @escaping @Sendable (FinishedSpan) -> Void) {
        self.sampledShare = sampledShare
        self.sink = sink
        drawCount = Atomic(TraceContext.randomID())
    }

    /// Decides whether a new trace is sampled. O(1): no random numbers are asked of the system.
    func drawsSample() -> Bool {
        if sampledShare <= 0 { return false }
        if sampledShare >= 1 { return true }
        // SplitMix64: Steele, Lea, Flood, “Fast splittable pseudorandom number generators” (OOPSLA 2014).
        var number = drawCount.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return Double(number >> 11) * 0x1p-53 < sampledShare
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.traceContext
        var own = TraceContext.random(isSampled: parent?.isSampled ?? drawsSample())
        if let parent, !parent.isRoot { (own.traceID, own.state) = (parent.traceID, parent.state) }
        context.traceContext = own
        let parentID = parent.flatMap { $0.isRoot ? nil : $0.spanID }
        return OTLPSpan(operationName, kind, context, own, parentID: parentID, start: instant().nanosecondsSinceEpoch, sink: sink)
    }

    func extract<Carrier, Extract: Extractor>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract.Carrier == Carrier {
        guard let traceparent = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.traceContext = TraceContext(traceparent: traceparent, state: extractor.extract(key: "tracestate", from: carrier))
    }

    func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier {
        guard let trace = context.traceContext else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
        if let state = trace.state { injector.inject(state, forKey: "tracestate", into: &carrier) }
    }

    /// Does nothing: spans leave on their own.
    func forceFlush() {}
}

extension TraceContext {
    /// The parent of the first span of a new trace that is sampled. It is in no field.
    static let root = TraceContext(traceID: (0, 0), spanID: 0, isSampled: true)

    var isRoot: Bool { spanID == 0 }
}

/// A sampled span after its end.
struct FinishedSpan: Sendable {
    var name: String
    var kind: SpanKind
    var context: TraceContext
    /// `nil`: the trace begins here.
    var parentID: UInt64?
    /// Nanoseconds since 1970.
    var start: UInt64
    var end: UInt64
    var attributes: SpanAttributes
    var status: SpanStatus?
    var events: [SpanEvent]
}

/// A span of ``OTLPTracer``. If it is not sampled, it keeps nothing.
final class OTLPSpan: Span {
    private struct State {
        var name: String
        var attributes = SpanAttributes([:])
        var status: SpanStatus?
        var events: [SpanEvent] = []
        var isEnded = false
    }

    /// So many events are kept.
    private static let maximumEventCount = 32

    let context: ServiceContext
    private let trace: TraceContext
    private let parentID: UInt64?
    private let kind: SpanKind
    private let start: UInt64
    private let sink: @Sendable (FinishedSpan) -> Void
    private let state: Mutex<State>

    fileprivate init(
        _ name: String,
        _ kind: SpanKind,
        _ context: ServiceContext,
        _ trace: TraceContext,
        parentID: UInt64?,
        start: UInt64,
        sink: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        (self.kind, self.context, self.trace, self.parentID, self.start, self.sink) = (kind, context, trace, parentID, start, sink)
        state = Mutex(State(name: name))
    }

    var isRecording: Bool { trace.isSampled && state.withLock { !$0.isEnded } }

    private func change(_ body: (inout State) -> Void) {
        guard trace.isSampled else { return }
        state.withLock { if !$0.isEnded { body(&$0) } }
    }

    var operationName: String {
        get { state.withLock { $0.name } }
        set { change { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { change { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { change { $0.status = status } }

    func addEvent(_ event: SpanEvent) { change { if $0.events.count < Self.maximumEventCount { $0.events.append(event) } } }

    func recordError<Instant: TracerInstant>(_ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant) {
        guard isRecording else { return }
        var attributes = attributes
        if attributes["exception.type"] == nil { attributes["exception.type"] = "\(type(of: error))" }
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// Links are not kept.
    func addLink(_ link: SpanLink) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard trace.isSampled else { return }
        let ended = state.withLock { state -> State? in
            if state.isEnded { return nil }
            state.isEnded = true
            return state
        }
        guard let ended else { return }
        sink(
            FinishedSpan(
                name: ended.name,
                kind: kind,
                context: trace,
                parentID: parentID,
                start: start,
                end: max(start, instant().nanosecondsSinceEpoch),
                attributes: ended.attributes,
                status: ended.status,
                events: ended.events
            )
        )
    }
}
