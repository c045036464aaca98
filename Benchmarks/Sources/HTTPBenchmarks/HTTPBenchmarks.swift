// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// The cost of a decision of the HTTP cache, and of a request through a client. See Benchmarks/README.md.
@main
enum HTTPBenchmarks {
    private static let ways = [ClientWays.ways, MemoryWays.ways, SessionWays.ways]

    static func main() async {
        guard !isDebugBuild else { fail("Figures of a debug build mean nothing. Run it with -c release.") }
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()), flags: ["--quick"], valued: ["--rounds", "--case", "--count"])
            if let name = options.text("--case") {
                if let ways = ways.first(where: { $0.cases.contains(name) }) {
                    print("\(decimal(try await ways.run(name, try options.count("--count") ?? 100_000) / 1e3)) µs")
                    return
                }
                guard let decision = Decision.all.first(where: { $0.name == name }) else {
                    fail("--case knows \((Decision.all.map(\.name) + ways.flatMap(\.cases)).joined(separator: "; ")), not \(name).")
                }
                print(decision.run(try options.count("--count") ?? 100_000))
                return
            }
            let rounds = try options.count("--rounds") ?? (options.contains("--quick") ? 3 : 9)
            print(Machine().description)
            let isQuick = options.contains("--quick")
            print(table(rounds: rounds, count: isQuick ? 50_000 : 200_000))
            for ways in ways { print(try await ways.table(rounds: rounds, requests: isQuick ? 2_000 : 20_000)) }
        } catch {
            fail(String(describing: error))
        }
    }

    private static func table(rounds: Int, count: Int) -> String {
        var samples = Decision.all.map { _ in Sample() }
        for round in 0...rounds {
            for (number, decision) in Decision.all.enumerated() {
                let start = monotonicNanoseconds()
                _ = decision.run(count)
                // The first round warms up.
                if round > 0 { samples[number].add(Double(monotonicNanoseconds() - start) / Double(count)) }
            }
        }
        var table = Table(header: ["decision", "ns", "min", "max", "to baseline"], leading: 1)
        for (decision, sample) in zip(Decision.all, samples) {
            let ratio = decimal(sample.medianRatio(to: samples[0]))
            table.add([decision.name, decimal(sample.median), decimal(sample.minimum), decimal(sample.maximum), ratio])
        }
        return table.text
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}
