// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Random operations on a cache and on the plainest model of one.
@Suite struct CacheModelTests {
    struct Limits: Sendable, CustomStringConvertible {
        var maximumCount: Int?
        var maximumWeight: Int?
        var expires: Bool
        var pins: Bool

        var description: String {
            "count \(maximumCount.map(String.init) ?? "–"), weight \(maximumWeight.map(String.init) ?? "–")"
                + (expires ? ", expiring" : "") + (pins ? ", pinning" : "")
        }

        static let all: [Limits] = [(0, nil), (1, nil), (2, nil), (8, nil), (nil, 0), (nil, 12), (3, 12), (8, 12)].flatMap { count, weight in
            [false, true].flatMap { expires in
                [false, true].map { Limits(maximumCount: count, maximumWeight: weight, expires: expires, pins: $0) }
            }
        }
    }

    @Test(arguments: Limits.all)
    func cacheDoesWhatItsModelDoes(_ limits: Limits) {
        for seed in UInt64(0)..<40 {
            var run = Run(limits: limits, seed: seed)
            for step in 1...120 {
                if let difference = run.step() ?? (step % 6 == 0 ? run.contentDifference() : nil) {
                    Issue.record("\(limits), seed \(seed), step \(step): \(difference)")
                    return
                }
            }
        }
    }
}

extension CacheModelTests {
    /// The entries of a cache in the order of their last use, oldest first.
    private struct Model {
        struct Entry {
            let key: Int
            let value: Int
            let weight: Int
            let deadline: Int64
        }

        let maximumCount: Int
        let maximumWeight: Int
        var entries: [Entry] = []
        var statistics = CacheStatistics()

        var totalWeight: Int { entries.reduce(0) { $0 + $1.weight } }

        mutating func remove(_ key: Int) -> Entry? {
            entries.firstIndex { $0.key == key }.map { entries.remove(at: $0) }
        }

        mutating func insert(_ entry: Entry) {
            _ = remove(entry.key)
            guard entry.deadline > .min, entry.weight <= maximumWeight, maximumCount > 0 else { return statistics.refusals += 1 }
            while entries.count + 1 > maximumCount || totalWeight + entry.weight > maximumWeight {
                guard let victim = entries.firstIndex(where: { $0.weight > 0 }) else { return statistics.refusals += 1 }
                entries.remove(at: victim)
                statistics.evictions += 1
            }
            entries.append(entry)
            statistics.insertions += 1
        }

        mutating func value(forKey key: Int, now: Int64) -> Int? {
            guard let entry = remove(key) else {
                statistics.misses += 1
                return nil
            }
            guard entry.deadline > now else {
                statistics.misses += 1
                statistics.expirations += 1
                return nil
            }
            entries.append(entry)
            statistics.hits += 1
            return entry.value
        }

        func peek(_ key: Int, now: Int64) -> Int? {
            entries.first { $0.key == key && $0.deadline > now }?.value
        }

        mutating func removeExpired(now: Int64) {
            let count = entries.count
            entries.removeAll { $0.deadline <= now }
            statistics.expirations += count - entries.count
        }
    }

    private struct Run {
        let limits: Limits
        let ticker = ManualTicker()
        let cache: Cache<Int, Int>
        var model: Model
        var generator: SeededGenerator
        var lastValue = 0

        init(limits: Limits, seed: UInt64) {
            self.limits = limits
            generator = SeededGenerator(seed: seed)
            cache = Cache(
                configuration: .init(
                    maximumCount: limits.maximumCount,
                    maximumWeight: limits.maximumWeight,
                    expiration: limits.expires ? .afterWrite(.nanoseconds(20)) : .never
                ),
                ticker: ticker
            )
            model = Model(maximumCount: limits.maximumCount ?? .max, maximumWeight: limits.maximumWeight ?? .max)
        }

        /// Does one random operation on both. Returns the difference, if there is one.
        mutating func step() -> String? {
            let key = Int.random(in: 0..<12, using: &generator)
            let now = ticker.nanoseconds()
            var difference: String?
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<40: insert(key, now: now)
            case 40..<65: difference = compare("value", cache.value(forKey: key), model.value(forKey: key, now: now))
            case 65..<75: difference = compare("peek", cache.peek(key), model.peek(key, now: now))
            case 75..<85:
                let removed = model.remove(key).flatMap { $0.deadline > now ? $0.value : nil }
                difference = compare("removal", cache.removeValue(forKey: key), removed)
            case 85..<95: ticker.advance(by: .nanoseconds(Int.random(in: 1...8, using: &generator)))
            case 95..<99:
                cache.removeExpired()
                model.removeExpired(now: now)
            default:
                cache.removeAll()
                model.entries = []
            }
            return difference ?? wholeDifference()
        }

        private mutating func insert(_ key: Int, now: Int64) {
            lastValue += 1
            let weight = Int.random(in: (limits.pins ? 0 : 1)...(limits.maximumWeight == nil ? 3 : 14), using: &generator)
            let ownTime: Int64? = limits.expires && Bool.random(using: &generator) ? .random(in: -1...30, using: &generator) : nil
            let lifetime = ownTime ?? (limits.expires ? 20 : .max)
            let deadline = lifetime <= 0 ? .min : lifetime == .max ? .max : now + lifetime
            cache.insert(lastValue, forKey: key, weight: weight, expiresAfter: ownTime.map { .nanoseconds($0) })
            model.insert(.init(key: key, value: lastValue, weight: weight, deadline: deadline))
        }

        private func wholeDifference() -> String? {
            cache.checkInvariants()
            return compare("count", cache.count, model.entries.count) ?? compare("weight", cache.totalWeight, model.totalWeight)
                ?? compare("statistics", cache.statistics, model.statistics)
        }

        func contentDifference() -> String? {
            let now = ticker.nanoseconds()
            return compare("content", (0..<12).map { cache.peek($0) }, (0..<12).map { model.peek($0, now: now) })
        }

        private func compare<Result: Equatable>(_ what: @autoclosure () -> String, _ actual: Result, _ expected: Result) -> String? {
            actual == expected ? nil : "\(what()) should be \(expected), but is \(actual)"
        }
    }
}
