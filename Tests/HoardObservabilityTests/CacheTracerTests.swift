// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardObservability
import InMemoryTracing
import Testing
import Tracing

@Suite(.timeLimit(.minutes(5))) struct CacheTracerTests {
    private let tracer = InMemoryTracer()
    private var observer: CacheTracer { CacheTracer(tracer) }
    private let read = CacheStoreCall(store: "disk", operation: .read, recordCount: 3)

    struct Failure: Error, CustomStringConvertible {
        var description: String { "user 42 has no licence" }
    }

    @Test func aLoadIsASpan() async throws {
        let value = try await observer.withLoad(cache: "users") {
            #expect(tracer.activeSpans.map(\.operationName) == ["cache.load"])
            return 42
        }

        #expect(value == 42)
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1 && tracer.activeSpans.isEmpty)
        #expect(span.operationName == "cache.load")
        #expect(span.kind == .internal)
        #expect(span.attributes["cache.name"]?.toSpanAttribute() == .string("users"))
        #expect(span.status == nil && span.errors.isEmpty)
    }

    @Test func aCallOfAStoreIsASpan() async throws {
        let value = await observer.withStoreCall(read) { 42 }

        #expect(value == 42)
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "cache.store.read")
        #expect(span.kind == .client)
        #expect(span.attributes["cache.store"]?.toSpanAttribute() == .string("disk"))
        #expect(span.attributes["cache.operation"]?.toSpanAttribute() == .string("read"))
        #expect(span.attributes["cache.record_count"]?.toSpanAttribute() == .int64(3))
    }

    @Test(arguments: [(CacheStoreCall.Operation.read, "read"), (.write, "write"), (.remove, "remove")])
    func aSpanIsNamedForTheOperation(operation: CacheStoreCall.Operation, name: String) async {
        await observer.withStoreCall(CacheStoreCall(store: "disk", operation: operation)) {}
        #expect(tracer.finishedSpans.map(\.operationName) == ["cache.store.\(name)"])
    }

    @Test func aSpanMadeInsideALoadIsAChild() async throws {
        try await tracer.withSpan("request") { _ in
            try await observer.withLoad(cache: "users") {
                await Task { tracer.withSpan("query") { _ in } }.value
            }
        }

        let spans = Dictionary(uniqueKeysWithValues: tracer.finishedSpans.map { ($0.operationName, $0) })
        #expect(spans["query"]?.parentSpanID == spans["cache.load"]?.spanID)
        #expect(spans["cache.load"]?.parentSpanID == spans["request"]?.spanID)
        #expect(Set(tracer.finishedSpans.map(\.traceID)).count == 1)
    }

    @Test func aSpanMadeInsideAStoreIsAChild() async throws {
        await observer.withStoreCall(read) { tracer.withSpan("query") { _ in } }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["query", "cache.store.read"])
        #expect(spans[0].parentSpanID == spans[1].spanID)
    }

    @Test func aLoadThatFailsIsAnErrorOfWhichOnlyTheTypeIsSaid() async throws {
        await #expect(throws: Failure.self) { try await observer.withLoad(cache: "users") { throw Failure() } }

        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status?.code == .error && span.status?.message == nil)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == .string("Failure"))
        #expect(span.errors.map { "\($0.error)" } == ["Failure"])
        #expect(span.errors[0].attributes["exception.type"]?.toSpanAttribute() == .string("Failure"))
    }

    @Test func aLoadThatIsCancelledIsNoError() async throws {
        await #expect(throws: CancellationError.self) { try await observer.withLoad(cache: "users") { throw CancellationError() } }

        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status == nil && span.errors.isEmpty)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == .string("CancellationError"))
    }

    @Test func aStoreThatFailsIsAnError() async throws {
        let result = await observer.withStoreCall(read) { Result<Int, StoreError>.failure(StoreError(.full, "The disk is full.")) }

        #expect(throws: StoreError.self) { try result.get() }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status?.code == .error && span.status?.message == nil)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == .string("StoreError.full"))
        #expect(span.errors.map { "\($0.error)" } == ["StoreError.full"])
    }

    @Test func aStoreThatAnswersIsNoError() async throws {
        let result = await observer.withStoreCall(read) { Result<Int, StoreError>.success(42) }

        #expect(try result.get() == 42)
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.status == nil && span.errors.isEmpty && span.attributes["error.type"] == nil)
    }
}
