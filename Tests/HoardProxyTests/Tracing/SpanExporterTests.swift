// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import NIOCore
import Testing
import Tracing

@testable import HoardProxy

@Suite(.timeLimit(.minutes(2))) struct SpanExporterTests {
    private let ticker = ManualTicker()
    private let messages = KeptMessages()

    private func exporter(_ transport: FakeTransport, limits: SpanExporter.Limits = .init()) throws -> SpanExporter {
        SpanExporter(
            collector: try Origin("http://collector.test:4318/base"),
            resource: .init(serviceName: "edge", version: "1.2"),
            transport: transport,
            limits: limits,
            ticker: ticker,
            logger: messages.logger
        )
    }

    private func span(_ number: UInt64) -> FinishedSpan {
        FinishedSpan(
            name: "GET",
            kind: .server,
            context: TraceContext(traceID: (1, 2), spanID: number, isSampled: true, state: "a=b"),
            parentID: 9,
            start: 1_000,
            end: 2_000,
            attributes: ["text": "t", "number": 3, "share": 0.5, "flag": true],
            status: SpanStatus(code: .error),
            events: []
        )
    }

    /// Lets the time pass for which the first of some spans waits.
    private func passDelay() async throws {
        try await waitUntil { ticker.sleeperCount > 0 }
        ticker.advance(by: .milliseconds(200))
    }

    /// An exporter whose collector has been sent a span, and does not answer before it is released.
    private func exporterOfASlowCollector() async throws -> (SpanExporter, FakeTransport.Hold) {
        let transport = FakeTransport { _ in .text("{}") }
        let hold = transport.hold()
        let exporter = try exporter(transport)
        exporter.append(span(1))
        try await passDelay()
        await hold.arrivals(1)
        return (exporter, hold)
    }

    @Test func spansAreSentTogetherAsOTLPSays() async throws {
        let transport = FakeTransport { _ in .text("{}") }
        let exporter = try exporter(transport)
        exporter.append(span(7))
        try await passDelay()
        try await waitUntil { exporter.counts.sent == 1 }
        let request = try #require(transport.requests.first)
        #expect(request.head.method == .post && request.head.authority == "collector.test:4318" && request.head.path == "/base/v1/traces")
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(
            String(buffer: request.body) == """
                {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"edge"}},{"key":"service.version","value":\
                {"stringValue":"1.2"}}]},"scopeSpans":[{"scope":{"name":"hoard","version":"1.2"},"spans":[{"attributes":[\
                {"key":"flag","value":{"boolValue":true}},{"key":"number","value":{"intValue":"3"}},{"key":"share","value":{"doubleValue":0.5}},\
                {"key":"text","value":{"stringValue":"t"}}],"endTimeUnixNano":"2000","kind":2,"name":"GET","parentSpanId":"0000000000000009",\
                "spanId":"0000000000000007","startTimeUnixNano":"1000","status":{"code":2},"traceId":"00000000000000010000000000000002","traceState":"a=b"}]}]}]}
                """
        )
    }

    @Test func whatFindsNoRoomIsDroppedWhileTheCollectorIsSlow() async throws {
        let transport = FakeTransport { _ in .text("{}") }
        let hold = transport.hold()
        var limits = SpanExporter.Limits()
        (limits.spanCount, limits.batchCount) = (4, 2)
        let exporter = try exporter(transport, limits: limits)
        exporter.append(span(1))
        try await passDelay()
        // The first batch is on its way, and does not end.
        await hold.arrivals(1)
        for number in 2...8 { exporter.append(span(UInt64(number))) }
        #expect(exporter.counts == .init(sent: 0, dropped: 3, failed: 0))
        hold.release()
        try await waitUntil { exporter.counts.sent == 5 }
        #expect(transport.requests.count == 3)
    }

    @Test func failuresAreCountedAndToldOnce() async throws {
        let isWell = Shared(false)
        let transport = FakeTransport { _ in isWell.value ? .text("{}") : .text("no", status: .serviceUnavailable) }
        let exporter = try exporter(transport)
        for count in 1...3 {
            exporter.append(span(1))
            try await passDelay()
            // A span that comes before the exporter is idle goes with the next request, without a delay.
            try await waitUntil { exporter.counts.failed == count && exporter.isIdle }
        }
        isWell.update { $0 = true }
        exporter.append(span(1))
        try await passDelay()
        try await waitUntil { exporter.counts.sent == 1 && messages.all.count == 2 }
        #expect(messages.all[0].contains("it answers 503"))
        #expect(messages.all[1].contains("takes spans again"))
    }

    @Test func aCollectorThatIsNotThereLosesSpansAndNothingElse() async throws {
        let exporter = try exporter(FakeTransport(failingWith: .refused))
        exporter.append(span(1))
        try await passDelay()
        try await waitUntil { exporter.counts.failed == 1 && messages.all.count == 1 }
        #expect(messages.all[0].contains("refused"))
    }

    @Test func closingSendsWhatWaits() async throws {
        let transport = FakeTransport { _ in .text("{}") }
        let exporter = try exporter(transport)
        exporter.append(span(1))
        try await waitUntil { ticker.sleeperCount > 0 }
        async let closing: Void = exporter.close()
        // The wait for more spans, and the limit of closing.
        try await waitUntil { ticker.sleeperCount == 2 }
        ticker.advance(by: .milliseconds(200))
        await closing
        #expect(exporter.counts.sent == 1)
        exporter.append(span(2))
        #expect(exporter.counts.dropped == 1)
    }

    @Test func closingGivesASlowCollectorUp() async throws {
        let (exporter, hold) = try await exporterOfASlowCollector()
        exporter.append(span(2))
        async let closing: Void = exporter.close()
        try await waitUntil { ticker.sleeperCount == 1 }
        ticker.advance(by: .seconds(2))
        await closing
        try await waitUntil { exporter.counts.failed == 2 }
        #expect(exporter.counts.sent == 0)
        hold.release()
    }

    @Test func closingInACancelledTaskGivesASlowCollectorTheSameTime() async throws {
        let (exporter, hold) = try await exporterOfASlowCollector()
        let closing = Task { await exporter.close() }
        closing.cancel()
        try await waitUntil { ticker.sleeperCount == 1 }
        #expect(exporter.counts.failed == 0)
        ticker.advance(by: .seconds(2))
        await closing.value
        #expect(exporter.counts == .init(sent: 0, dropped: 0, failed: 1))
        hold.release()
    }
}
