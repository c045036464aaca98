// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing
import Tracing

@testable import HoardProxy

@Suite struct OTLPTracerTests {
    private let ended = Shared<[FinishedSpan]>([])

    private func tracer(_ share: Double) -> OTLPTracer { OTLPTracer(sampledShare: share) { [ended] span in ended.update { $0.append(span) } } }

    @Test func aSpanIsGivenAwayOnceAtItsEnd() throws {
        let tracer = tracer(1)
        let span = tracer.startSpan("one", context: .topLevel, ofKind: .server)
        span.operationName = "other"
        span.attributes["a"] = 1
        span.addEvent("event")
        span.setStatus(SpanStatus(code: .error, message: "failed"))
        #expect(span.isRecording && ended.value.isEmpty)
        span.end()
        span.end()
        span.attributes["b"] = 2
        #expect(!span.isRecording)
        let finished = try #require(ended.value.first)
        #expect(ended.value.count == 1)
        #expect(finished.name == "other" && finished.kind == .server && finished.parentID == nil)
        #expect(finished.attributes == ["a": 1])
        #expect(finished.events.map(\.name) == ["event"])
        #expect(finished.status == SpanStatus(code: .error, message: "failed"))
        #expect(finished.end >= finished.start)
    }

    @Test func childrenAreInTheTraceOfTheirParentAndSampledAsThatIs() throws {
        let tracer = tracer(0)
        var context = ServiceContext.topLevel
        context.traceContext = TraceContext(traceID: (1, 2), spanID: 3, isSampled: true, state: "a=b")
        let span = tracer.startSpan("parent", context: context, ofKind: .server)
        let child = tracer.startSpan("child", context: span.context, ofKind: .client)
        child.end()
        span.end()
        #expect(ended.value.map(\.name) == ["child", "parent"])
        let (inner, outer) = (ended.value[0], ended.value[1])
        #expect(outer.parentID == 3 && inner.parentID == outer.context.spanID)
        for span in [inner, outer] { #expect(span.context.traceID == (1, 2) && span.context.state == "a=b") }
        context.traceContext?.isSampled = false
        self.tracer(1).startSpan("unsampled", context: context, ofKind: .server).end()
        #expect(ended.value.count == 2)
    }

    @Test(arguments: [0.0, 0.01, 0.25, 1]) func soManyNewTracesAreSampled(share: Double) {
        let tracer = tracer(share)
        let count = (0..<20_000).count { _ in tracer.drawsSample() }
        // Six times the standard deviation of 20,000 draws.
        let tolerance = 6 * (20_000 * share * (1 - share)).squareRoot()
        #expect(abs(Double(count) - 20_000 * share) <= tolerance, "\(count)")
    }

    @Test func whatIsNotSampledKeepsNothingButHasAContext() throws {
        let span = tracer(0).startSpan("none", context: .topLevel, ofKind: .server)
        span.attributes["a"] = 1
        span.recordError(CancellationError())
        #expect(!span.isRecording && span.attributes.isEmpty)
        #expect(span.context.traceContext?.isSampled == false)
        span.end()
        #expect(ended.value.isEmpty)
    }

    @Test func errorsAreEventsAndEventsAreFew() {
        let span = tracer(1).startSpan("errors", context: .topLevel, ofKind: .internal)
        for _ in 0..<100 { span.recordError(CancellationError()) }
        span.end()
        #expect(ended.value[0].events.count == 32)
        #expect(ended.value[0].events.allSatisfy { $0.name == "exception" && $0.attributes == ["exception.type": "CancellationError"] })
    }
}
