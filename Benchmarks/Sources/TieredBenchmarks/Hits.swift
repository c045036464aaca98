// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Hoard

/// Hits in memory: of a plain cache, and of a tiered one over a store.
enum Hits {
    private static let resident = 1_000
    private static let hits = 1_000_000

    /// The ways to read. The plain cache comes first: it is the baseline.
    private static let cases = [
        "plain value", "plain value, load", "tiered memoryValue", "tiered value", "tiered value, load", "tiered expiring value, load",
    ]

    static func table(rounds: Int) async -> String {
        var samples = cases.map { _ in Sample() }
        for round in 0...rounds {
            for (number, name) in cases.enumerated() {
                let start = monotonicNanoseconds()
                _ = try? await run(name, hits: hits)
                // The first round warms up.
                if round > 0 { samples[number].add(Double(monotonicNanoseconds() - start) / Double(hits)) }
            }
        }
        var table = Table(header: ["hit in memory", "ns", "min", "max", "over plain"], leading: 1)
        for (name, sample) in zip(cases, samples) {
            let over = sample.median - samples[name.contains("load") ? 1 : 0].median
            table.add([name, decimal(sample.median), decimal(sample.minimum), decimal(sample.maximum), decimal(over)])
        }
        return table.text
    }

    /// - Returns: The sum of the values that were read.
    static func run(_ name: String, hits: Int) async throws -> Int {
        switch name {
        case "plain value":
            let cache = plain
            return loop(hits) { cache.value(forKey: $0) ?? 0 }
        case "plain value, load":
            let cache = plain
            return try await asyncLoop(hits) { try await cache.value(forKey: $0) { $0 } }
        case "tiered memoryValue":
            let cache = await tiered(CachePolicy())
            return loop(hits) { cache.memoryValue(forKey: $0) ?? 0 }
        case "tiered value":
            let cache = await tiered(CachePolicy())
            return await asyncLoop(hits) { await cache.value(forKey: $0) ?? 0 }
        case "tiered value, load":
            let cache = await tiered(CachePolicy())
            return try await asyncLoop(hits) { try await cache.value(forKey: $0) { $0 } }
        case "tiered expiring value, load":
            let cache = await tiered(CachePolicy(freshFor: .seconds(3_600)).with { $0.staleIfError = .seconds(3_600) })
            return try await asyncLoop(hits) { try await cache.value(forKey: $0) { $0 } }
        default:
            throw Options.Mistake("--case knows \(cases.joined(separator: "; ")), not \(name).")
        }
    }

    private static let plain: Cache<Int, Int> = {
        let cache = Cache<Int, Int>(maximumCount: resident * 4)
        for key in 0..<resident { cache.insert(key, forKey: key) }
        return cache
    }()

    private static func tiered(_ policy: CachePolicy) async -> TieredCache<Int, Int> {
        let cache = TieredCache<Int, Int>(configuration: .init(maximumCount: resident * 4, policy: policy), stores: [MemoryStore()], codec: .json)
        for key in 0..<resident { await cache.insert(key, forKey: key) }
        return cache
    }

    @inline(__always)
    private static func loop(_ hits: Int, _ read: (Int) -> Int) -> Int {
        var sum = 0
        for number in 0..<hits { sum &+= read(number % resident) }
        return sum
    }

    @inline(__always)
    private static func asyncLoop(_ hits: Int, _ read: (Int) async throws -> Int) async rethrows -> Int {
        var sum = 0
        for number in 0..<hits { sum &+= try await read(number % resident) }
        return sum
    }
}
