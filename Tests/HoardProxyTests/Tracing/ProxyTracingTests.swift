// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import InMemoryTracing
import Logging
import NIOCore
import Testing
import Tracing

@testable import HoardProxy

/// Spans of a real proxy, as a collector gets them.
@Suite(.timeLimit(.minutes(2))) struct ProxyTracingTests {
    /// A span as the collector reads it.
    private struct Span: Decodable {
        struct Attribute: Decodable {
            struct Value: Decodable {
                let stringValue: String?
                let intValue: String?
            }

            let key: String
            let value: Value
        }

        let traceId: String
        let spanId: String
        let parentSpanId: String?
        let traceState: String?
        let name: String
        let kind: Int
        let attributes: [Attribute]

        subscript(key: String) -> String? {
            attributes.first { $0.key == key }.flatMap { $0.value.stringValue ?? $0.value.intValue }
        }
    }

    private struct Document: Decodable {
        struct ResourceSpans: Decodable { let scopeSpans: [ScopeSpans] }
        struct ScopeSpans: Decodable { let spans: [Span] }

        let resourceSpans: [ResourceSpans]
    }

    private let spans = Shared<[Span]>([])

    private func withSite(_ options: String = "  sample: 1\n", more: String = "", _ body: (RuledSite) async throws -> Void) async throws {
        let collector: HTTPServer.Handler = { [spans] request in
            do {
                let document = try JSONDecoder().decode(Document.self, from: Data(try await request.body.collect(upTo: 1 << 20).readableBytesView))
                spans.update { $0 += document.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) }
                return .text("{}")
            } catch {
                return .text("\(error)", .badRequest)
            }
        }
        try await withServer(handler: collector) { collector in
            let text = "origin: ORIGIN\ntraces:\n  collector: http://127.0.0.1:\(collector.port)\n\(options)\(more)"
            try await RuledSite.with(text, body: body)
        }
    }

    private func spans(_ count: Int) async throws -> [Span] {
        try await waitUntil { spans.value.count >= count }
        return spans.value
    }

    @Test func theSpansOfAMissAreInOneTraceThatTheOriginIsToldOf() async throws {
        try await withSite { site in
            _ = try await site.get("/a?secret=1")
            let all = try await spans(2)
            let server = try #require(all.first { $0.kind == 2 })
            let client = try #require(all.first { $0.kind == 3 })
            #expect(server.parentSpanId == nil && server.name == "GET" && server.traceId == client.traceId)
            #expect(client.parentSpanId == server.spanId)
            #expect(site.asked.value[0].headerFields[.traceparent] == "00-\(server.traceId)-\(client.spanId)-01")
            #expect(server["url.path"] == "/a" && server["http.response.status_code"] == "200" && server["server.address"] == "a.example")
            #expect(server["hoard.cache.outcome"] == "miss" && server["hoard.cache.tier"] == "origin")
            #expect(server.attributes.allSatisfy { !($0.value.stringValue ?? "").contains("secret") })
            #expect(client["http.response.status_code"] == "200")
        }
    }

    @Test func hitsMakeSpansWhicheverWayTheyAreAnswered() async throws {
        try await withSite { site in
            _ = try await site.get("/a")
            _ = try await spans(2)
            _ = try await site.get("/a")
            // This one has to be parsed.
            _ = try await site.get("/a", "Range: bytes=0-0\r\n")
            let hits = try await spans(4).dropFirst(2)
            #expect(
                hits.allSatisfy { $0.kind == 2 && $0["hoard.cache.outcome"] == "hit" && $0["hoard.cache.tier"] == "memory" && $0["url.path"] == "/a" }
            )
            #expect(Set(hits.map(\.traceId)).count == 2)
            // The collector knows of them before its answer does.
            try await waitUntil { site.proxy.routes.current.tracing?.counts?.sent == 4 }
        }
    }

    @Test func aTraceOfTheClientGoesOnAndIsSampledAsItSays() async throws {
        try await withSite("  sample: 0\n") { site in
            let trace = "0af7651916cd43dd8448eb211c80319c"
            _ = try await site.get("/a", "traceparent: 00-\(trace)-b7ad6b7169203331-00\r\ntracestate: x=1\r\n")
            let first = try #require(site.asked.value[0].headerFields[.traceparent])
            #expect(first.hasPrefix("00-\(trace)-") && first.hasSuffix("-00") && !first.contains("b7ad6b7169203331"))
            #expect(site.asked.value[0].headerFields[.tracestate] == "x=1")
            // The response is stored now, so that only the request itself can ask for a span.
            _ = try await site.get("/a")
            _ = try await site.get("/a", "TraceParent: 00-\(trace)-b7ad6b7169203331-01\r\ntracestate: x=1\r\n")
            let all = try await spans(1)
            #expect(all.count == 1)
            #expect(all[0].traceId == trace && all[0].parentSpanId == "b7ad6b7169203331" && all[0].traceState == "x=1")
        }
    }

    @Test(arguments: ["traceparent: 00-x\r\n", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ntraceparent: 00-x\r\n", ""])
    func withoutAValidContextATraceBegins(fields: String) async throws {
        try await withSite { site in
            _ = try await site.get("/a", fields + "tracestate: x=1\r\n")
            let all = try await spans(2)
            #expect(all.allSatisfy { $0.traceId != "0af7651916cd43dd8448eb211c80319c" && $0.traceState == nil })
            let forwarded = try #require(all.first { $0.kind == 3 })
            #expect(forwarded["url.full"] == "http://127.0.0.1:\(site.origin.port)/a" && forwarded["server.port"] == "\(site.origin.port)")
            let asked = site.asked.value[0].headerFields
            #expect(asked[values: .traceparent].count == 1 && !asked.contains(.tracestate))
        }
    }

    @Test func errorsOfTheOriginAreErrorsOfSpans() async throws {
        try await withSite { site in
            await site.origin.shutdown(gracePeriod: .zero)
            _ = try await site.get("/a")
            let all = try await spans(2)
            #expect(Set(all.compactMap { $0["error.type"] }) == ["502", "cannotConnect"])
        }
    }

    @Test func theAccessLogNamesTheTrace() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "hoard-\(UUID()).log").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withSite(more: "access-log:\n  path: \(path)\n  format: json\n") { site in
            for _ in 0..<2 { _ = try await site.get("/a") }
            let traces = Set(try await spans(3).map(\.traceId))
            await site.proxy.recorder.accessLog?.flush()
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2 && traces.count == 2)
            for trace in traces { #expect(lines.count { $0.contains(",\"traceID\":\"\(trace)\"") } == 1) }
        }
    }

    @Test func withoutACollectorTheClientsContextIsPassedOn() async throws {
        try await RuledSite.with("origin: ORIGIN\n") { site in
            _ = try await site.get("/a", "traceparent: mine\r\n")
            _ = try await site.get("/b")
            #expect(site.asked.value.map { $0.headerFields[.traceparent] } == ["mine", nil])
        }
    }

    @Test func aReloadEndsAndBeginsTracing() async throws {
        try await withSite { site in
            let configuration = site.proxy.configuration
            var untraced = configuration
            untraced.traces = nil
            #expect(try await site.proxy.reload(untraced) == [])
            _ = try await site.get("/untraced")
            #expect(try await site.proxy.reload(configuration) == [])
            let tracing = site.proxy.routes.current.tracing
            #expect(try await site.proxy.reload(configuration) == [] && site.proxy.routes.current.tracing === tracing)
            _ = try await site.get("/traced")
            #expect(try await spans(2).allSatisfy { ($0["url.path"] ?? "/traced") == "/traced" })
            #expect(!(site.asked.value[0].headerFields.contains(.traceparent)))
        }
    }

    @Test func aProgramsOwnTracerMakesTheSpans() async throws {
        let tracer = InMemoryTracer()
        try await RuledSite.with("origin: ORIGIN\n") { site in
            var configuration = site.proxy.configuration
            configuration.traces = .init(tracer: tracer)
            #expect(try await site.proxy.reload(configuration) == [])
            // A span ends after its response has been sent: that of the hit, on another connection, could end first.
            for count in [2, 3] {
                _ = try await site.get("/a")
                try await waitUntil { tracer.finishedSpans.count == count }
            }
            let requests = tracer.finishedSpans.filter { $0.kind == .server }
            let forwarded = try #require(tracer.finishedSpans.first { $0.kind == .client })
            #expect(requests.count == 2 && requests.contains { $0.spanID == forwarded.parentSpanID })
            #expect(requests.map { $0.attributes.get("hoard.cache.outcome") } == [.string("miss"), .string("hit")])
            #expect(site.asked.value[0].headerFields[try #require(HTTPField.Name("in-memory-trace-id"))] == forwarded.traceID)
        }
    }
}
