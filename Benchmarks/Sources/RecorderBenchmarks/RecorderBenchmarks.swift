// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard

/// The cost that a recorder adds to hits. See Benchmarks/README.md.
@main
enum RecorderBenchmarks {
    /// So many keys are in the cache, and read in an order that repeats itself.
    private static let keyCount = 1_000
    private static let readCount = 1 << 16

    static func main() async {
        guard !isDebugBuild else { fail("Figures of a debug build mean nothing. Run it with -c release.") }
        // Top-level code runs on the main actor.
        await Task.detached {
            do {
                let options = try Options(Array(CommandLine.arguments.dropFirst()), flags: ["--quick"], valued: ["--rounds"])
                print(Machine().description)
                print(try table(rounds: try options.count("--rounds") ?? (options.contains("--quick") ? 7 : 31)))
            } catch {
                fail(String(describing: error))
            }
        }.value
    }

    /// Nanoseconds of the reading thread's processor time for each hit. It is the same cache in all rows, as caches differ in the places of their keys.
    private static func table(rounds: Int) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hoard-recorder-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = Cache<Int, Int>(configuration: .init(maximumCount: 2 * keyCount))
        for key in 0..<keyCount { cache.insert(key, forKey: key) }
        var generator = SeededGenerator(seed: 1)
        let keys = (0..<readCount).map { _ in Int.random(in: 0..<keyCount, using: &generator) }
        let recorders = try [("every key", 1.0), ("1 key in 16", 1.0 / 16)].map { name, share in
            (name, try recorder(share, path: folder.appending(path: name).path))
        }
        var samples = Array(repeating: Sample(), count: recorders.count)
        var plain = Sample()
        for _ in 0..<rounds {
            plain.add(nanosecondsPerHit(cache, keys))
            for (number, (_, recorder)) in recorders.enumerated() {
                cache.recordAccesses(with: recorder)
                _ = nanosecondsPerHit(cache, keys)
                samples[number].add(nanosecondsPerHit(cache, keys))
                cache.recordAccesses(with: nil)
                try recorder.flush()
            }
        }
        var table = Table(header: ["recorded", "ns/hit", "min", "max", "more than without"], leading: 1)
        table.add(["nothing", decimal(plain.median), decimal(plain.minimum), decimal(plain.maximum), ""])
        for ((name, recorder), sample) in zip(recorders, samples) {
            var difference = Sample()
            for (value, without) in zip(sample.values, plain.values) { difference.add(value - without) }
            table.add([name, decimal(sample.median), decimal(sample.minimum), decimal(sample.maximum), decimal(difference.median)])
            let lost = recorder.statistics.lost
            if lost > 0 { print("\(name): \(lost) accesses were lost, which makes the others cheaper.") }
        }
        return table.text
    }

    private static func recorder(_ share: Double, path: String) throws -> CacheTraceRecorder {
        var configuration = CacheTraceRecorder.Configuration()
        configuration.sampledShare = share
        configuration.fileCount = 1
        return try CacheTraceRecorder(path: path, configuration: configuration)
    }

    private static func nanosecondsPerHit(_ cache: Cache<Int, Int>, _ keys: [Int]) -> Double {
        let turns = 10
        let start = processorNanoseconds()
        var sum = 0
        for _ in 0..<turns { for key in keys { sum &+= cache.value(forKey: key) ?? -1 } }
        let end = processorNanoseconds()
        guard sum == turns * keys.reduce(0, +) else { fail("The cache has lost an entry.") }
        return (end - start) / Double(turns * keys.count)
    }

    /// Processor time of this thread.
    private static func processorNanoseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}
