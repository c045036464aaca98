// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard
internal import HoardDisk

/// Hits in a disk store that memory does not have: of the store alone, and through a tiered cache above it.
///
/// Records are read in turn, and memory has room for fewer than one round of them, so that it never answers.
enum StoreHits {
    private static let resident = 4_000
    private static let roomInMemory = 100

    /// The ways to read. The store alone comes first: it is the baseline.
    static let cases = ["store alone", "store through tiers", "store through tiers, load"]

    private static let folder = FileManager.default.temporaryDirectory.appending(
        path: "hoard-tiered-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
    )

    /// Reads in one of the ways, with one task.
    static func run(_ name: String, reads: Int) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let subject = try await Subject(folder)
        try await subject.run(name, tasks: 1, reads: reads)
        await subject.close()
    }

    static func table(reads: Int, rounds: Int) async throws -> String {
        defer { try? FileManager.default.removeItem(at: folder) }
        let subject = try await Subject(folder)
        var table = Table(header: ["hit of 4 KiB on disk", "tasks", "µs", "min", "max", "ratio", "min", "max"], leading: 1)
        for tasks in [1, 64] {
            var times = cases.map { _ in Sample() }
            var ratios = cases.map { _ in Sample() }
            for round in 0...rounds {
                var baseline = 0.0
                for (number, name) in cases.enumerated() {
                    let start = monotonicNanoseconds()
                    try await subject.run(name, tasks: tasks, reads: reads)
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
                let numbers = [time.median, time.minimum, time.maximum, ratio.median, ratio.minimum, ratio.maximum].map { decimal($0) }
                table.add([name, "\(tasks)"] + numbers)
            }
        }
        await subject.close()
        return table.text
    }

    struct Subject {
        private let store: DiskStore
        private let cache: TieredCache<Int, Data>

        init(_ folder: URL) async throws {
            store = try DiskStore(configuration: .init(directory: folder.path))
            cache = TieredCache(
                configuration: .init(maximumCount: roomInMemory, policy: CachePolicy(freshFor: .seconds(86_400))),
                stores: [store],
                codec: .bytes,
                recordKey: Self.recordKey
            )
            let value = Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0) })
            for key in 0..<resident { await cache.insert(value, forKey: key) }
        }

        static func recordKey(_ key: Int) -> RecordKey { RecordKey("\(key)") }

        func close() async { await cache.close() }

        func run(_ name: String, tasks: Int, reads: Int) async throws {
            if tasks == 1 { return try await read(name, from: 0, reads: reads) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask { try await read(name, from: task * resident / tasks, reads: reads / tasks) }
                }
                try await group.waitForAll()
            }
        }

        private func read(_ name: String, from first: Int, reads: Int) async throws {
            var key = first
            for _ in 0..<reads {
                switch name {
                case "store alone": guard try await store.record(forKey: Self.recordKey(key)) != nil else { throw Missing(key: key) }
                case "store through tiers": guard await cache.value(forKey: key) != nil else { throw Missing(key: key) }
                default: _ = try await cache.value(forKey: key) { throw Missing(key: $0) }
                }
                key = (key + 1) % resident
            }
        }
    }

    struct Missing: Error { let key: Int }
}
