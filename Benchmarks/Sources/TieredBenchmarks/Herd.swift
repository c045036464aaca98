// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Hoard
internal import Synchronization

/// Many callers of one cold key.
enum Herd {
    static func table(callers: Int, rounds: Int) async throws -> String {
        var table = Table(header: ["cold key", "callers", "loads", "longer than the load, ms: median", "min", "max"], leading: 1)
        for kind in ["plain cache", "tiered cache without stores", "tiered cache over a store"] {
            var sample = Sample()
            var loads = 0
            for round in 0...rounds {
                let outcome = try await Self.round(kind, callers: callers)
                loads = max(loads, outcome.loads)
                // The first round warms up.
                if round > 0 { sample.add(outcome.slowest - outcome.load) }
            }
            table.add([kind, "\(callers)", "\(loads)", decimal(sample.median), decimal(sample.minimum), decimal(sample.maximum)])
        }
        return table.text
    }

    /// The number of loads, and milliseconds: of the load, and of the slowest caller from its call to its answer.
    private static func round(_ kind: String, callers: Int) async throws -> (loads: Int, load: Double, slowest: Double) {
        let plain = Cache<Int, Int>(maximumCount: 100)
        let stores: [any RecordStore] = kind.hasSuffix("a store") ? [MemoryStore()] : []
        let tiered = TieredCache<Int, Int>(configuration: .init(maximumCount: 100), stores: stores, codec: .json)
        let isPlain = kind.hasPrefix("plain")
        let loads = LoadTimes()
        let load: @Sendable (Int) async throws -> Int = { key in
            let start = monotonicNanoseconds()
            try await Task.sleep(for: .milliseconds(100))
            loads.add(monotonicNanoseconds() - start)
            return key
        }
        let slowest = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    let start = monotonicNanoseconds()
                    _ = isPlain ? try await plain.value(forKey: 1, load: load) : try await tiered.value(forKey: 1, load: load)
                    return monotonicNanoseconds() - start
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
        let times = loads.all
        return (times.count, Double(times.max() ?? 0) / 1e6, Double(slowest) / 1e6)
    }

    private final class LoadTimes: Sendable {
        private let times = Mutex<[Int64]>([])
        func add(_ time: Int64) { times.withLock { $0.append(time) } }
        var all: [Int64] { times.withLock { $0 } }
    }
}
