// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// A value on the heap that knows its key. A use after its release crashes, or shows here.
private final class Box: Sendable {
    private static let magic = 0x5EED
    let key: Int
    let payload: [Int]

    init(_ key: Int) {
        self.key = key
        payload = [key, Self.magic]
    }

    func belongs(to key: Int) -> Bool { self.key == key && payload == [key, Self.magic] }
}

/// Everything at once, from tasks and from threads. Run it with the thread sanitizer too.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CacheStormTests {
    enum Kind: String, CaseIterable { case tiny, small, sharded, weighted, idle }

    private func makeCache(_ kind: Kind, ticker: ManualTicker, removals: Counter) -> Cache<Int, Box> {
        let limits: (count: Int?, weight: Int?) =
            switch kind {
            case .tiny: (1, nil)
            case .small, .idle: (60, nil)
            case .sharded: (4_096, nil)
            case .weighted: (40, 100)
            }
        return Cache(
            configuration: .init(
                maximumCount: limits.count,
                maximumWeight: limits.weight,
                expiration: kind == .idle ? .afterAccess(.nanoseconds(200)) : .never,
                refreshAfterWrite: kind == .small ? .nanoseconds(50) : nil,
                weigher: { key, _ in key % 4 },
                removalListener: { key, value, _ in
                    #expect(value.belongs(to: key))
                    removals.increment()
                }
            ),
            ticker: ticker
        )
    }

    @Test(arguments: Kind.allCases)
    func cacheSurvivesTasksThatDoEverythingAtOnce(_ kind: Kind) async throws {
        let ticker = ManualTicker()
        let removals = Counter()
        let cache = makeCache(kind, ticker: ticker, removals: removals)
        let keyCount = kind == .sharded ? 8_000 : 100
        let stream = cache.removals(bufferingNewest: 16)
        let consumer = Task {
            for await removal in stream { #expect(removal.value.belongs(to: removal.key)) }
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<1_200 {
                        let key = Int.random(in: 0..<keyCount, using: &generator)
                        switch Int.random(in: 0..<40, using: &generator) {
                        case 0..<14: Self.change(cache, key, ticker, &generator)
                        case 14..<17:
                            let value = try? await cache.value(forKey: key) { Box($0) }
                            #expect(value?.belongs(to: key) ?? true)
                        case 17:
                            let value = try? await cache.valueIfExists(forKey: key) { request in
                                let key = request.key
                                return key % 2 == 0 ? .absent(expiresAfter: .nanoseconds(20)) : .value(Box(key), tags: ["\(key % 3)"])
                            }
                            #expect(value?.belongs(to: key) ?? true)
                        case 18:
                            let values = try? await cache.values(forKeys: key..<(key + 4)) { missing in
                                Dictionary(uniqueKeysWithValues: missing.map { ($0, Box($0)) })
                            }
                            #expect(values?.allSatisfy { $1.belongs(to: $0) } ?? true)
                        default: Self.read(cache, key, &generator)
                        }
                    }
                }
            }
        }
        try await waitUntil { cache.flights.flightCount == 0 && cache.openFenceCount == 0 }
        cache.checkInvariants()
        #expect(removals.value > 0)
        consumer.cancel()
        await consumer.value
    }

    @Test(arguments: [Kind.tiny, .small, .sharded])
    func cacheSurvivesThreadsThatReadWhatOthersRelease(_ kind: Kind) async {
        let ticker = ManualTicker()
        let cache = makeCache(kind, ticker: ticker, removals: Counter())
        let done = Gate()
        for number in 0..<4 {
            Thread.detachNewThread {
                var generator = SeededGenerator(seed: UInt64(number))
                for _ in 0..<6_000 {
                    let key = Int.random(in: 0..<8, using: &generator)
                    if Bool.random(using: &generator) {
                        cache.insert(Box(key), forKey: key)
                    } else if let value = cache.value(forKey: key) {
                        #expect(value.belongs(to: key))
                    }
                    if Int.random(in: 0..<200, using: &generator) == 0 { cache.removeAll() }
                }
                Task { await done.pass() }
            }
        }
        await done.arrivals(4)
        done.open()
        cache.checkInvariants()
    }

    @Test func everyValueThatWentInIsReleased() async {
        let made = Counter()
        let released = Counter()
        do {
            let cache = Cache<Int, Witness>(maximumCount: 2_000, expiration: .afterAccess(.seconds(1)))
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<3_000 {
                            made.increment()
                            cache.insert(Witness { _ in released.increment() }, forKey: number % (1_000 * (task + 1)), tags: ["\(number % 7)"])
                            if number % 500 == 0 { cache.removeValues(taggedWith: "3") }
                            if number % 900 == 0 { cache.trim(toFraction: 0.5) }
                        }
                    }
                }
            }
            #expect(made.value - released.value == cache.count)
        }
        #expect(made.value == released.value)
    }

    private static func change(_ cache: Cache<Int, Box>, _ key: Int, _ ticker: ManualTicker, _ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<60, using: &generator) {
        case 0..<30: cache.insert(Box(key), forKey: key)
        case 30..<36: cache.insert(Box(key), forKey: key, expiresAfter: .nanoseconds(key % 50), tags: ["\(key % 3)"])
        case 36..<40: cache.insert(Box(key), forKey: key, weight: key % 3)
        case 40..<46: cache.removeValue(forKey: key)
        case 46..<48: cache.removeValues(taggedWith: "\(key % 3)")
        case 48..<50: cache.removeExpired()
        case 50: cache.removeAll()
        case 51..<53: cache.trim(toFraction: 0.7)
        case 53: cache.restore(cache.snapshot(maximumCount: 30))
        case 54: _ = cache.removals()
        default: ticker.advance(by: .nanoseconds(10))
        }
    }

    private static func read(_ cache: Cache<Int, Box>, _ key: Int, _ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<14: if let value = cache.value(forKey: key) { #expect(value.belongs(to: key)) }
        case 14..<16: if let value = cache.peek(key) { #expect(value.belongs(to: key)) }
        case 16: _ = cache.contains(key)
        case 17: _ = cache.explain(key)
        case 18: _ = cache.statistics
        default: #expect(cache.count <= cache.configuration.maximumCount ?? .max)
        }
    }
}
