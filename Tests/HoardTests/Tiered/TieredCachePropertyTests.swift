// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Loads, reads, writes and removals of a few keys, interleaved at random over stores that wait and fail at random.
///
/// Values are versions: each write takes a new one, each load returns the version its source has. Every removal moves the
/// source on before it begins, as a program that changes its database first does. Once a write or removal has returned, no tier may ever
/// show an older version.
@Suite(.timeLimit(.minutes(2))) struct TieredCachePropertyTests {
    @Test(arguments: 0..<15)
    func nothingOlderThanTheLastWriteOrRemovalIsEverSeen(block: UInt64) async throws {
        for seed in (block * 20)..<(block * 20 + 20) {
            let differences = try await Run(seed: seed).differences()
            for difference in differences { Issue.record("seed \(seed): \(difference)") }
            guard differences.isEmpty else { return }
        }
    }
}

extension TieredCachePropertyTests {
    private final class Run: Sendable {
        private static let keys = ["a", "b", "c"]

        /// What the source has under a key, and the oldest version that may still be seen.
        struct Versions: Sendable {
            var source = 0
            var oldestAllowed = 0
        }

        private let seed: UInt64
        private let stores: [FaultyStore]
        private let bases: [MemoryStore]
        private let cache: TieredCache<String, Int>
        private let versions = Shared<[String: Versions]>([:])
        private let differencesSeen = Shared<[String]>([])
        private let shutGates: Shared<[Gate]>

        init(seed: UInt64) {
            self.seed = seed
            let time = ManualTicker()
            let shutGates = Shared<[Gate]>([])
            self.shutGates = shutGates
            bases = ["upper", "lower"].map { MemoryStore(name: $0, clock: time) }
            stores = bases.map { FaultyStore($0) }
            for (number, store) in stores.enumerated() {
                let generator = Shared(SeededGenerator(seed: seed &* 31 &+ UInt64(number)))
                store.setScript { _ in
                    generator.update { Self.randomBehavior(using: &$0, shutGates: shutGates) }
                }
            }
            // Memory has room for one or two of the three keys, so that stores are read again and again.
            cache = TieredCache(
                configuration: .init(maximumCount: Int(seed % 3)),
                stores: stores,
                codec: .json,
                clock: time,
                ticker: time
            )
        }

        private static func randomBehavior(using generator: inout SeededGenerator, shutGates: Shared<[Gate]>) -> FaultyStore.Behavior {
            func randomGate() -> Gate? {
                guard Int.random(in: 0..<3, using: &generator) == 0 else { return nil }
                let gate = Gate()
                shutGates.update { $0.append(gate) }
                return gate
            }
            func randomError() -> StoreError? {
                Int.random(in: 0..<8, using: &generator) == 0 ? StoreError(.unavailable, "Told to fail.") : nil
            }
            return .init(gate: randomGate(), error: randomError(), gateAfterwards: randomGate(), errorAfterwards: randomError())
        }

        /// Runs everything to its end, and returns what was wrong.
        func differences() async throws -> [String] {
            let runningTasks = Shared(4)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask { [self] in
                        defer { runningTasks.update { $0 -= 1 } }
                        var generator = SeededGenerator(seed: seed &* 97 &+ UInt64(task))
                        for _ in 0..<12 { try await step(using: &generator) }
                    }
                }
                // Opens the gates in random order until nobody is left who could wait at one.
                group.addTask { [self] in
                    var generator = SeededGenerator(seed: ~seed)
                    while runningTasks.value > 0 {
                        try Task.checkCancellation()
                        let gate = shutGates.update { gates in
                            gates.isEmpty ? nil : gates.remove(at: Int.random(in: 0..<gates.count, using: &generator))
                        }
                        gate?.open()
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { store.heal() }
            for gate in shutGates.value { gate.open() }
            try await waitUntil { cache.loads.flightCount == 0 && cache.storeReads.flightCount == 0 }
            for key in Self.keys { try await checkAtRest(key) }
            return differencesSeen.value
        }

        private func step(using generator: inout SeededGenerator) async throws {
            guard let key = Self.keys.randomElement(using: &generator) else { return }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<4:
                // Two plain inserts at once may be done in either order; with fences, the one with the older version gives way.
                let fence = cache.openFence(forKey: key)
                let version = moveSourceOn([key])
                let cached = CachedValue(version, created: cache.clock.now())
                guard await cache.publish(cached, forKey: key, fence: fence) else { return }
                raiseOldestAllowed([key], to: version)
            case 4..<8:
                let version = moveSourceOn([key])
                await cache.removeValue(forKey: key)
                raiseOldestAllowed([key], to: version)
            case 8:
                let version = moveSourceOn(Self.keys)
                await cache.removeAll()
                raiseOldestAllowed(Self.keys, to: version)
            case 9:
                // A caller that leaves before it is answered.
                let caller = Task { [self] in try await load(key) }
                await Task.yield()
                caller.cancel()
                _ = await caller.result
            case 10..<15:
                let oldest = versions.value[key, default: Versions()].oldestAllowed
                check(try await load(key), key, oldest, "load")
            default:
                let oldest = versions.value[key, default: Versions()].oldestAllowed
                if let value = await cache.value(forKey: key) { check(value, key, oldest, "read") }
            }
        }

        private func load(_ key: String) async throws -> Int {
            try await cache.value(forKey: key) { [versions] key in
                let version = versions.value[key, default: Versions()].source
                await Task.yield()
                return version
            }
        }

        /// Gives all these keys the same version, newer than any before.
        private func moveSourceOn(_ keys: [String]) -> Int {
            versions.update { versions in
                let version = (versions.values.map(\.source).max() ?? 0) + 1
                for key in keys { versions[key, default: Versions()].source = version }
                return version
            }
        }

        private func raiseOldestAllowed(_ keys: [String], to version: Int) {
            versions.update { versions in
                for key in keys { versions[key, default: Versions()].oldestAllowed = max(versions[key, default: Versions()].oldestAllowed, version) }
            }
        }

        private func check(_ value: Int, _ key: String, _ oldest: Int, _ what: String) {
            guard value < oldest else { return }
            differencesSeen.update { $0.append("\(what) of \(key) returned \(value), though \(oldest) had been written or removed before") }
        }

        private func checkAtRest(_ key: String) async throws {
            let oldest = versions.value[key, default: Versions()].oldestAllowed
            if let value = cache.memoryLookup(forKey: key)?.value { check(value, key, oldest, "memory") }
            cache.memory.removeAll()
            // Reading makes good what the stores have missed; after that, what they hold themselves must be right.
            if let value = await cache.value(forKey: key) { check(value, key, oldest, "read at rest") }
            for (tier, base) in zip(cache.tiers, bases) {
                _ = await tier.record(forKey: RecordKey(key))
                guard let record = try await base.record(forKey: RecordKey(key)) else { continue }
                check(try JSONDecoder().decode(Int.self, from: record.payload), key, oldest, "store \(base.name)")
            }
        }
    }
}
