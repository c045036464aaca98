// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CBenchmarkSupport
internal import Foundation

/// Compares ways to guard the shards of one table. See Benchmarks/README.md.
@main
enum LockBenchmarks {
    static func main() {
        guard !isDebugBuild else { fail("This is a debug build, whose figures mean nothing. Run it with -c release.") }
        do {
            let options = try Options(
                Array(CommandLine.arguments.dropFirst()),
                flags: ["--quick", "--json"],
                valued: ["--rounds"]
            )
            run(
                rounds: try options.count("--rounds") ?? (options.contains("--quick") ? 3 : 7),
                operations: options.contains("--quick") ? 400_000 : 4_000_000,
                json: options.contains("--json")
            )
        } catch {
            fail(String(describing: error))
        }
    }

    private static func run(rounds: Int, operations: Int, json: Bool) {
        let keys = ZipfDistribution(count: 100_000).sequence(length: 2_000_000, seed: 2).map { UInt64($0 + 1) }
        let all = (1...100_000).map { UInt64($0) }
        let hasProcessBarrier = hb_register_process_barrier() != 0

        var subjects: [Subject] = [
            Subject(GuardedTable<MutexGuard>(keys: all)),
            Subject(GuardedTable<SpinGuard>(keys: all)),
            Subject(GuardedTable<NoGuard>(keys: all), canWrite: false),
        ]
        if hasProcessBarrier {
            subjects.insert(Subject(HazardTable<OneByOne>(keys: all)), at: 2)
            subjects.insert(Subject(HazardTable<By64>(keys: all)), at: 3)
        }

        if !json {
            print(Machine().description)
            print("64 shards, 100,000 keys, Zipf 0.99, values are objects; medians of \(rounds) rounds.")
            if !hasProcessBarrier { print("This system has no process-wide barrier; hazard slots are left out.") }
            print("")
        }
        var table = Table(
            header: ["reads", "threads", "guard", "ns/op", "min", "max", "M op/s", "to Mutex", "worst 1000 ops (µs)"],
            leading: 3
        )
        for writesOneIn in [nil, 20] as [Int?] {
            for threads in [1, 2, 4, 8] {
                let chosen = subjects.filter { writesOneIn == nil || $0.canWrite }
                let load = Load(keys: keys, threads: threads, batches: operations / threads / operationsPerBatch, writesOneIn: writesOneIn)
                let results = measure(chosen, load: load, rounds: rounds)
                for (subject, result) in zip(chosen, results) {
                    let reads = writesOneIn == nil ? "100 %" : "95 %"
                    table.add(row(reads, threads, subject.name, result, reference: results[0]))
                    if json { print(line(reads, threads, subject.name, result, reference: results[0])) }
                }
            }
        }
        if !json { print(table.text, terminator: "") }
    }

    struct Result {
        /// Nanoseconds of one operation as one thread sees it: the time of all, times threads, by operations.
        var nanoseconds = Sample()
        var millionsPerSecond = Sample()
        var worstStall: Int64 = 0
    }

    private static func measure(_ subjects: [Subject], load: Load, rounds: Int) -> [Result] {
        var results = subjects.map { _ in Result() }
        for round in -1..<rounds {
            for (index, subject) in subjects.enumerated() {
                let outcome = subject.run(load)
                precondition(outcome.checksum != 0, "Nothing was read.")
                guard round >= 0 else { continue }
                let perOperation = Double(outcome.nanoseconds) / Double(outcome.operations)
                results[index].nanoseconds.add(perOperation * Double(load.threads))
                results[index].millionsPerSecond.add(1000 / perOperation)
                results[index].worstStall = max(results[index].worstStall, outcome.worstStall)
            }
        }
        return results
    }

    private static func row(_ reads: String, _ threads: Int, _ name: String, _ result: Result, reference: Result) -> [String] {
        [
            reads, "\(threads)", name, decimal(result.nanoseconds.median), decimal(result.nanoseconds.minimum),
            decimal(result.nanoseconds.maximum), decimal(result.millionsPerSecond.median),
            decimal(result.nanoseconds.medianRatio(to: reference.nanoseconds), digits: 2), decimal(Double(result.worstStall) / 1000),
        ]
    }

    private static func line(_ reads: String, _ threads: Int, _ name: String, _ result: Result, reference: Result) -> String {
        """
        {"reads":"\(reads)","threads":\(threads),"guard":"\(name)","ns":\(decimal(result.nanoseconds.median, digits: 2)),\
        "millionsPerSecond":\(decimal(result.millionsPerSecond.median, digits: 2)),\
        "ratioToMutex":\(decimal(result.nanoseconds.medianRatio(to: reference.nanoseconds), digits: 3)),\
        "worstStallNanoseconds":\(result.worstStall)}
        """
    }

    private static func fail(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data("lock-benchmarks: \(sentence)\n".utf8))
        exit(2)
    }
}

/// The work of the threads of one run.
struct Load {
    let keys: [UInt64]
    let threads: Int
    let batches: Int
    let writesOneIn: Int?
}

/// A table whose type is forgotten, but for the closure. The generic initialiser is called with concrete types only, so the closure
/// and the loops below it are specialised; a protocol's witness would not be.
struct Subject {
    let name: String
    let canWrite: Bool
    let run: (Load) -> Outcome

    init<T: SharedTable>(_ table: T, canWrite: Bool = true) {
        name = T.name
        self.canWrite = canWrite
        run = { load in
            measure(table, keys: load.keys, threads: load.threads, batchesPerThread: load.batches, writesOneIn: load.writesOneIn)
        }
    }
}
