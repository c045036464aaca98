// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheRemovalStreamTests {
    @Test func everyStreamGetsEveryRemoval() async {
        let cache = Cache<String, Int>(maximumCount: 10)
        var first = cache.removals().makeAsyncIterator()
        var second = cache.removals().makeAsyncIterator()
        cache.insert(1, forKey: "a")
        cache.removeValue(forKey: "a")
        cache.insert(2, forKey: "b")
        cache.insert(3, forKey: "b")
        for expected in [("a", 1, RemovalCause.explicit), ("b", 2, .replaced)] {
            for removal in [await first.next(), await second.next()] {
                #expect(removal?.key == expected.0)
                #expect(removal?.value == expected.1)
                #expect(removal?.cause == expected.2)
            }
        }
    }

    @Test func streamBeginsWhenItIsAskedFor() async {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a")
        cache.removeValue(forKey: "a")
        var stream = cache.removals().makeAsyncIterator()
        cache.insert(2, forKey: "b")
        cache.removeValue(forKey: "b")
        #expect(await stream.next()?.key == "b")
    }

    @Test(arguments: [(3, 3), (0, 1), (-1, 1)])
    func slowConsumerLosesTheOldest(_ limit: Int, _ kept: Int) async {
        var cache: Cache<Int, Int>? = Cache(maximumCount: 100)
        let stream = cache?.removals(bufferingNewest: limit)
        for key in 0..<20 { cache?.insert(key, forKey: key) }
        for key in 0..<20 { cache?.removeValue(forKey: key) }
        cache = nil
        var keys: [Int] = []
        if let stream { for await removal in stream { keys.append(removal.key) } }
        #expect(keys == Array((20 - kept)..<20))
    }

    @Test func streamEndsWhenTheCacheIsGone() async {
        var cache: Cache<String, Int>? = Cache(maximumCount: 10)
        let stream = cache?.removals()
        let consumer = Task {
            var count = 0
            if let stream { for await _ in stream { count += 1 } }
            return count
        }
        cache?.insert(1, forKey: "a")
        cache?.removeAll()
        cache = nil
        #expect(await consumer.value == 1)
    }

    @Test func streamDoesNotKeepTheCacheNorItsValues() {
        let released = Counter()
        var cache: Cache<Int, Witness>? = Cache(maximumCount: 10)
        let stream = cache?.removals()
        cache?.insert(Witness { _ in released.increment() }, forKey: 1)
        cache = nil
        #expect(released.value == 1)
        withExtendedLifetime(stream) {}
    }

    @Test func cancelledConsumerEndsItsStreamOnly() async throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        var other = cache.removals().makeAsyncIterator()
        let consumer = Task { [stream = cache.removals()] in
            for await _ in stream {}
        }
        consumer.cancel()
        await consumer.value
        cache.insert(1, forKey: 1)
        cache.removeValue(forKey: 1)
        #expect(await other.next()?.key == 1)
    }

    @Test func whenNobodyListensAnyMoreNothingIsReported() {
        let cache = Cache<Int, Int>(maximumCount: 10)
        var streams: [AsyncStream<Cache<Int, Int>.Removal>] = []
        for _ in 0..<3 { streams.append(cache.removals()) }
        #expect(cache.observers.areThere)
        streams = []
        #expect(!cache.observers.areThere)
    }

    @Test func valuesWaitingInAStreamThatIsDroppedAreReleased() {
        let released = Counter()
        let cache = Cache<Int, Witness>(maximumCount: 10)
        do {
            let stream = cache.removals()
            cache.insert(Witness { _ in released.increment() }, forKey: 1)
            cache.removeValue(forKey: 1)
            #expect(released.value == 0)
            withExtendedLifetime(stream) {}
        }
        #expect(released.value == 1)
    }

    /// A new stream that begins while the last other stream ends must still get the entries that leave later.
    @Test func streamsThatComeWhileOthersGoAreNotOverlooked() async {
        let cache = Cache<Int, Int>(maximumCount: 10)
        let overlooked = Counter()
        let done = Gate()
        for _ in 0..<3 {
            Thread.detachNewThread {
                for _ in 0..<4_000 {
                    let stream = cache.removals(bufferingNewest: 1)
                    if !cache.observers.areThere { overlooked.increment() }
                    withExtendedLifetime(stream) {}
                }
                Task { await done.pass() }
            }
        }
        await done.arrivals(3)
        done.open()
        #expect(overlooked.value == 0)
        #expect(!cache.observers.areThere)
    }
}

extension RemovalObservers {
    fileprivate var areThere: Bool { isActive.load(ordering: .acquiring) }
}
