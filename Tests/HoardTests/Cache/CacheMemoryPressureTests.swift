// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// A source of memory pressure that reports the levels that a test gives it.
private struct FakePressure: MemoryPressureSource {
    private let stream: AsyncStream<MemoryPressure>
    let continuation: AsyncStream<MemoryPressure>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func levels() -> AsyncStream<MemoryPressure> { stream }
}

@Suite(.timeLimit(.minutes(5))) struct CacheMemoryPressureTests {
    private let source = FakePressure()
    private let cache = Cache<Int, Int>(maximumCount: 1_000)

    init() {
        for key in 0..<800 { cache.insert(key, forKey: key) }
    }

    @Test func cacheIsTrimmedByDegrees() async throws {
        let responder = cache.trimOnMemoryPressure(source)
        source.continuation.yield(.warning)
        try await waitUntil { cache.count == 600 }
        source.continuation.yield(.critical)
        try await waitUntil { cache.count == 150 }
        // A source repeats a level while the pressure does not ease.
        source.continuation.yield(.critical)
        try await waitUntil { cache.count == 37 }
        responder.cancel()
    }

    @Test func returnToNormalTrimsNothing() async throws {
        let responder = cache.trimOnMemoryPressure(source)
        source.continuation.yield(.normal)
        source.continuation.yield(.warning)
        try await waitUntil { cache.count < 800 }
        #expect(cache.count == 600)
        responder.cancel()
    }

    @Test func fractionsCanBeChosen() async throws {
        let responder = cache.trimOnMemoryPressure(source, warningFraction: 0.5, criticalFraction: 0)
        source.continuation.yield(.warning)
        try await waitUntil { cache.count == 400 }
        source.continuation.yield(.critical)
        try await waitUntil { cache.count == 0 }
        responder.cancel()
    }

    @Test func responderDoesNotKeepTheCache() async throws {
        let released = Counter()
        var cache: Cache<Int, Witness>? = Cache(maximumCount: 10)
        cache?.insert(Witness { _ in released.increment() }, forKey: 1)
        let responder = cache?.trimOnMemoryPressure(source)
        cache = nil
        #expect(released.value == 1)
        source.continuation.yield(.critical)
        withExtendedLifetime(responder) {}
    }

    @Test func trimmingEndsWithTheResponder() async throws {
        let ended = Gate()
        source.continuation.onTermination = { _ in Task { await ended.pass() } }
        var responder: MemoryPressureResponder? = cache.trimOnMemoryPressure(source)
        #expect(responder != nil)
        responder = nil
        await ended.arrivals(1)
        ended.open()
        source.continuation.yield(.critical)
        #expect(cache.count == 800)
    }

    @Test func cachesThatTrimThemselvesShareOneSource() async throws {
        let trimming = MemoryPressureTrimming(source: source)
        let other = Cache<Int, Int>(maximumCount: 1_000)
        for key in 0..<400 { other.insert(key, forKey: key) }
        cache.trim(by: trimming)
        other.trim(by: trimming)
        source.continuation.yield(.warning)
        try await waitUntil { cache.count == 600 && other.count == 300 }
        source.continuation.yield(.critical)
        try await waitUntil { cache.count == 150 && other.count == 75 }
    }

    @Test func cachesThatAreGoneAreForgotten() {
        let trimming = MemoryPressureTrimming(source: source)
        cache.trim(by: trimming)
        for _ in 0..<1_000 { Cache<Int, Int>(maximumCount: 10).trim(by: trimming) }
        #expect(trimming.memberCount <= 16)
        let kept = (0..<100).map { _ in Cache<Int, Int>(maximumCount: 10) }
        for cache in kept { cache.trim(by: trimming) }
        #expect((101...202).contains(trimming.memberCount))
        withExtendedLifetime(kept) {}
    }

    #if os(Linux)
        @Test func programsThatAreNoAppsTrimOnlyIfTheyAreTold() {
            #expect(!cache.configuration.trimsOnMemoryPressure)
            #expect(Cache<Int, Int>.Configuration(maximumCount: 1, trimsOnMemoryPressure: true).trimsOnMemoryPressure)
        }
    #endif
}
