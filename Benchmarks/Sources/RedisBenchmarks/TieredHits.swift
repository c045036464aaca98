// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard
internal import HoardRedis

/// Hits in Redis that memory does not have: of the store alone, and through a tiered cache above it.
///
/// Records are read in turn, and memory has room for fewer than one round of them, so that it never answers.
enum TieredHits {
    private static let resident = 4_000
    private static let roomInMemory = 100

    /// The store alone comes first: the others are compared with it.
    private static let cases = ["store alone", "store through tiers", "store through tiers, load"]

    static func table(port: Int, reads: Int, rounds: Int) async throws -> String {
        let store = try RedisStore(connectingTo: RedisConfiguration(address: .tcp(host: "127.0.0.1", port: port)))
        let cache = TieredCache<Int, Data>(
            configuration: .init(maximumCount: roomInMemory, policy: CachePolicy(freshFor: .seconds(86_400))),
            stores: [store],
            codec: .bytes,
            recordKey: { RecordKey("\($0)") }
        )
        let value = Data((0..<1_024).map { UInt8(truncatingIfNeeded: $0) })
        for key in 0..<resident { await cache.insert(value, forKey: key) }
        var table = Table(header: ["hit of 1 KiB in Redis", "tasks", "µs", "min", "max", "ratio", "min", "max"], leading: 1)
        for tasks in [1, 64] {
            var times = cases.map { _ in Sample() }
            var ratios = cases.map { _ in Sample() }
            for round in 0...rounds {
                var baseline = 0.0
                for (number, name) in cases.enumerated() {
                    let start = monotonicNanoseconds()
                    try await run(name, store, cache, tasks: tasks, reads: reads)
                    let time = Double(monotonicNanoseconds() - start) / Double(reads) / 1e3
                    if number == 0 { baseline = time }
                    // The first round warms up.
                    guard round > 0 else { continue }
                    times[number].add(time)
                    ratios[number].add(time / baseline)
                }
            }
            for (number, name) in cases.enumerated() {
                let (time, ratio) = (times[number], ratios[number])
                let times = [time.median, time.minimum, time.maximum].map { decimal($0) }
                table.add([name, "\(tasks)"] + times + [ratio.median, ratio.minimum, ratio.maximum].map { decimal($0, digits: 2) })
            }
        }
        await cache.close()
        return table.text
    }

    private static func run(_ name: String, _ store: RedisStore, _ cache: TieredCache<Int, Data>, tasks: Int, reads: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var key = task * resident / tasks
                    for _ in 0..<reads / tasks {
                        switch name {
                        case "store alone": guard try await store.record(forKey: RecordKey("\(key)")) != nil else { throw Missing(key: key) }
                        case "store through tiers": guard await cache.value(forKey: key) != nil else { throw Missing(key: key) }
                        default: _ = try await cache.value(forKey: key) { throw Missing(key: $0) }
                        }
                        key = (key + 1) % resident
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    struct Missing: Error { let key: Int }
}
