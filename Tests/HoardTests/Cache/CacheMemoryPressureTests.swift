// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// Says what a test tells it to say.
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
        // A source says it again while nothing gets better.
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
}
