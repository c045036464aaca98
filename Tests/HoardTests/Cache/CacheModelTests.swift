// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Random operations on a cache and on a model. The model knows the written values, and learns from the
/// removal listener which entries have left.
@Suite struct CacheModelTests {
    struct Rules: Sendable, CustomStringConvertible {
        var maximumCount: Int?
        var maximumWeight: Int?
        var expiration: Expiration

        var description: String {
            "count \(maximumCount.map(String.init) ?? "–"), weight \(maximumWeight.map(String.init) ?? "–"), \(expiration.base)"
        }

        /// Whether the cache has several shards, and runs of many entries.
        var isLarge: Bool { maximumCount ?? 0 >= 1_024 }

        static let limits: [(Int?, Int?)] = [
            (0, nil), (1, nil), (2, nil), (8, nil), (3_000, nil), (nil, 0), (nil, 12), (nil, .max), (3, 12), (8, 12),
        ]

        static let all: [Rules] = limits.flatMap { count, weight in
            [Expiration.never, .afterWrite(.milliseconds(3)), .afterAccess(.milliseconds(3))].map {
                Rules(maximumCount: count, maximumWeight: weight, expiration: $0)
            }
        }
    }

    @Test(arguments: Rules.all)
    func cacheDoesWhatItsModelDoes(_ rules: Rules) {
        for seed in UInt64(0)..<(rules.isLarge ? 8 : 80) {
            var run = Run(rules: rules, seed: seed)
            for step in 1...(rules.isLarge ? 120 : 100) {
                run.step(step)
                if let problem = run.problem {
                    Issue.record("\(rules), seed \(seed), step \(step): \(problem)")
                    return
                }
            }
        }
    }
}

extension CacheModelTests {
    /// The wall clock stands still, so that snapshots keep their times to the nanosecond.
    private struct StandingClock: WallClock {
        func now() -> Date { Date(timeIntervalSince1970: 1_700_000_000) }
    }

    private struct Run {
        let rules: Rules
        let ticker = ManualTicker()
        let cache: Cache<Int, Int>
        let events = Shared<[CacheModel.Event]>([])
        // Any eight seeds in a row have all combinations of these three.
        let hasOwnTimes: Bool
        let hasPins: Bool
        let hasTags: Bool
        let keyCount: Int
        var model = CacheModel()
        var generator: SeededGenerator
        var lastValue = 0
        var snapshot: Cache<Int, Int>.Snapshot?
        var problem: String?

        init(rules: Rules, seed: UInt64) {
            self.rules = rules
            hasOwnTimes = seed & 1 != 0
            hasPins = seed & 2 != 0
            hasTags = seed & 4 != 0
            keyCount = rules.isLarge ? 6_000 : 12
            generator = SeededGenerator(seed: seed)
            cache = Cache(
                configuration: .init(
                    maximumCount: rules.maximumCount,
                    maximumWeight: rules.maximumWeight,
                    expiration: rules.expiration,
                    weigher: { _, value in 1 + value % 3 },
                    removalListener: { [events] key, value, cause in events.update { $0.append(.init(key: key, value: value, cause: cause)) } }
                ),
                ticker: ticker
            )
        }

        /// The time, which never reaches the last moment: that is the deadline of entries that never expire.
        var now: Int64 { min(ticker.nanoseconds(), .max - 1) }

        /// Does one random operation on the cache and on the model, and looks for differences.
        mutating func step(_ number: Int) {
            let key = Int.random(in: 0..<keyCount, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<38:
                for offset in 0..<(rules.isLarge ? 100 : 1) where problem == nil { insert((key + offset) % keyCount) }
            case 38..<58:
                for offset in 0..<(rules.isLarge ? 20 : 1) { read((key + offset) % keyCount) }
            case 58..<64:
                expect(cache.peek(key), model.value(forKey: key, now: now), "peek")
                expect(cache.contains(key), model.value(forKey: key, now: now) != nil, "contains")
            case 64..<70: remove(key)
            case 70..<72: removeTagged()
            case 72..<88: ticker.advance(by: .nanoseconds(randomTime()))
            case 88..<92: removeExpired()
            case 92: removeAll()
            case 93..<95: trim()
            case 95..<97: takeSnapshot()
            default: restore()
            }
            take(.nothing)
            compareAll(number)
        }

        private mutating func compareAll(_ number: Int) {
            if !rules.isLarge || number % 50 == 0 { cache.checkInvariants() }
            expect(cache.count, model.entries.count, "count")
            expect(cache.totalWeight, model.totalWeight, "total weight")
            expect(cache.statistics, model.statistics, "statistics")
            if cache.count > rules.maximumCount ?? .max || cache.totalWeight > rules.maximumWeight ?? .max { problem = "over a limit" }
            guard number % 10 == 0 else { return }
            for key in 0..<min(keyCount, 200) {
                expect(cache.peek(key), model.value(forKey: key, now: now), "peek of \(key)")
            }
        }

        private mutating func expect<Result: Equatable>(_ actual: Result, _ expected: Result, _ what: @autoclosure () -> String) {
            if problem == nil, actual != expected { problem = "\(what()) should be \(expected), but is \(actual)" }
        }

        /// Takes in the events of entries that left. Returns the number of these entries.
        @discardableResult
        private mutating func take(_ permission: CacheModel.Permission) -> Int {
            let new = events.update { events in
                defer { events = [] }
                return events
            }
            for event in new {
                let wrong = model.take(event, permission: permission, now: now)
                if problem == nil { problem = wrong }
            }
            return new.count
        }

        private mutating func randomTime() -> Int64 {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0..<6: 0
            case 6..<12: 1
            case 12..<38: .random(in: 1...1_500_000, using: &generator)
            case 38: .random(in: 1...300_000_000_000, using: &generator)
            default: .random(in: 1...(1 << 60), using: &generator)
            }
        }

        // MARK: Operations

        private mutating func insert(_ key: Int) {
            lastValue += 1
            var weight: Int?
            if Bool.random(using: &generator) { weight = .random(in: (hasPins ? -1 : 1)...14, using: &generator) }
            if rules.maximumWeight == .max, weight != nil, weight != 0 { weight = Bool.random(using: &generator) ? .max : .max / 3 }
            let ownTime: Int64? = hasOwnTimes && Bool.random(using: &generator) ? randomTime() - 5 : nil
            let tags: Set<String> = hasTags && Bool.random(using: &generator) ? ["\(key % 3)", "\(lastValue % 5)"] : []
            let deadline = CacheModel.deadline(ownTime ?? rules.expiration.writeLifetime, after: now)
            let charged = max(0, weight ?? (1 + lastValue % 3))
            let mustRefuse = deadline == .min || charged > rules.maximumWeight ?? .max || rules.maximumCount == 0
            let hadRefused = cache.statistics.refusals
            let lifetime = ownTime.map { Duration.nanoseconds($0) }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let old = model.value(forKey: key, now: now)
                var seen: Int?
                let new = cache.update(forKey: key, weight: weight, expiresAfter: lifetime, tags: tags) { [lastValue] value in
                    seen = value
                    return lastValue
                }
                expect(seen, old, "value that an update sees")
                expect(new, lastValue, "value that an update returns")
            case 1 where model.value(forKey: key, now: now) == nil:
                let found = cache.insertIfAbsent(lastValue, forKey: key, weight: weight, expiresAfter: lifetime, tags: tags)
                expect(found, nil, "value that is found where there is none")
            default:
                cache.insert(lastValue, forKey: key, weight: weight, expiresAfter: lifetime, tags: tags)
            }
            take(.replacement(of: key))
            if model.entries[key] != nil { problem = problem ?? "nobody was told that the old value of \(key) left" }
            if cache.statistics.refusals > hadRefused {
                model.statistics.refusals += 1
                let isFullOfPins = model.entries.count == rules.maximumCount && model.evictableCount == 0
                if !mustRefuse, !isFullOfPins { problem = problem ?? "\(key) was refused without a reason" }
                return expect(cache.peek(key), nil, "value that was refused")
            }
            if mustRefuse { problem = problem ?? "\(key) should have been refused" }
            model.statistics.insertions += 1
            let weightHeld = rules.maximumWeight == nil ? min(1, charged) : charged
            model.entries[key] = .init(value: lastValue, weight: weightHeld, deadline: deadline, tags: tags)
            expect(cache.peek(key), lastValue, "value that was just written")
        }

        private mutating func read(_ key: Int) {
            if let value = model.value(forKey: key, now: now), Int.random(in: 0..<5, using: &generator) == 0 {
                expect(cache.insertIfAbsent(-1, forKey: key), value, "value that is there already")
                model.use(key, now: now, accessLifetime: rules.expiration.accessLifetime)
            }
            let actual = Bool.random(using: &generator) ? cache[key] : cache.value(forKey: key)
            let wasExpired = model.entries[key].map { !$0.isAlive(at: now) } ?? false
            expect(actual, model.read(key, now: now, accessLifetime: rules.expiration.accessLifetime), "value of \(key)")
            expect(take(.nothing), wasExpired ? 1 : 0, "number of entries that left at a read")
        }

        private mutating func remove(_ key: Int) {
            let expected = model.value(forKey: key, now: now)
            let wasThere = model.entries[key] != nil
            switch Int.random(in: 0..<3, using: &generator) {
            case 0 where expected != nil: expect(cache.update(forKey: key) { _ in nil }, nil, "removal by an update")
            case 1 where expected != nil:
                expect(cache.removeValue(forKey: key) { _ in false }, nil, "removal that its predicate does not want")
                expect(cache.removeValue(forKey: key) { $0 == expected }, expected, "removal by a predicate")
            default: expect(cache.removeValue(forKey: key), expected, "removal")
            }
            expect(take(.removal(of: key)), wasThere ? 1 : 0, "number of entries that left at a removal")
        }

        private mutating func removeTagged() {
            let tag = "\(Int.random(in: 0..<6, using: &generator))"
            let expected = model.aliveCount(taggedWith: tag, now: now)
            expect(cache.removeValues(taggedWith: tag), expected, "number removed by tag")
            take(.tagRemoval(tag))
            expect(model.entries.values.count { $0.tags.contains(tag) }, 0, "number left with a tag")
        }

        private mutating func removeExpired() {
            cache.removeExpired()
            take(.nothing)
            expect(model.entries.values.count { !$0.isAlive(at: now) }, 0, "number of expired entries left")
        }

        private mutating func removeAll() {
            cache.removeAll()
            take(.everything)
            expect(model.entries.count, 0, "number of entries after the removal of all")
        }

        private mutating func trim() {
            let fraction = Double.random(in: -0.5...1.5, using: &generator)
            let share = min(1, max(0, fraction))
            let (count, weight) = (Double(model.evictableCount) * share, Double(model.totalWeight) * share)
            let trimmed = cache.trim(toFraction: fraction)
            expect(take(.eviction), trimmed, "number trimmed")
            if Double(model.evictableCount) > count || Double(model.totalWeight) > weight {
                problem = problem ?? "trimming to \(fraction) left \(model.evictableCount) entries"
            }
            if share == 1, trimmed > 0 { problem = problem ?? "trimming to \(fraction) evicted" }
        }

        private mutating func takeSnapshot() {
            let snapshot = cache.snapshot(clock: StandingClock())
            self.snapshot = snapshot
            expect(snapshot.entries.count, model.entries.values.count { $0.isAlive(at: now) }, "number of entries in the snapshot")
            for entry in snapshot.entries {
                guard let expected = model.entries[entry.key], expected.isAlive(at: now) else {
                    problem = problem ?? "the snapshot has \(entry.key)"
                    return
                }
                expect(entry.value, expected.value, "value in the snapshot")
                expect(entry.weight, expected.weight, "weight in the snapshot")
                expect(entry.tags, expected.tags, "tags in the snapshot")
                expect(entry.nanosecondsLeft, expected.deadline == .max ? nil : expected.deadline - now, "time left in the snapshot")
            }
        }

        /// Restores into an empty cache, or over entries if there is room for all.
        private mutating func restore() {
            guard let snapshot else { return }
            let weights = snapshot.entries.reduce(Double(model.totalWeight)) { $0 + Double($1.weight) }
            let hasRoom =
                model.entries.count + snapshot.entries.count <= (rules.isLarge ? 600 : rules.maximumCount ?? .max)
                && weights < Double(rules.maximumWeight ?? .max)
            if !hasRoom { removeAll() }
            let isNew = snapshot.entries.filter { model.value(forKey: $0.key, now: now) == nil }
            let restored = cache.restore(snapshot, clock: StandingClock())
            expect(restored, isNew.count, "number restored")
            // Expired entries of the same keys leave before.
            var early = events.update { events in
                defer { events = [] }
                return events
            }
            early.removeAll { event in
                guard event.cause == .expired else { return false }
                let wrong = model.take(event, permission: .nothing, now: now)
                problem = problem ?? wrong
                return true
            }
            for entry in isNew {
                let deadline = entry.nanosecondsLeft.map { CacheModel.deadline($0, after: now) } ?? .max
                model.entries[entry.key] = .init(value: entry.value, weight: entry.weight, deadline: deadline, tags: entry.tags)
            }
            for event in early {
                let wrong = model.take(event, permission: .eviction, now: now)
                problem = problem ?? wrong
            }
            model.statistics.insertions += isNew.count
        }
    }
}
