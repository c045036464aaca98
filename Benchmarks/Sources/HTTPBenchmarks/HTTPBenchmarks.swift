// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// The cost of a decision of the HTTP cache, and of a request by its ways. See Benchmarks/README.md.
@main
enum HTTPBenchmarks {
    private static let ways = [Decision.ways, ClientWays.ways, MemoryWays.ways, SessionWays.ways]

    static func main() async {
        guard !isDebugBuild else { fail("Figures of a debug build mean nothing. Run it with -c release.") }
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()), flags: ["--quick"], valued: ["--rounds", "--case", "--count"])
            if let name = options.text("--case") {
                guard let ways = ways.first(where: { $0.cases.contains(name) }) else {
                    fail("--case knows \(ways.flatMap(\.cases).joined(separator: "; ")), not \(name).")
                }
                print("\(decimal(try await ways.run(name, try options.count("--count") ?? 100_000) / ways.unit.length)) \(ways.unit.rawValue)")
                return
            }
            let rounds = try options.count("--rounds") ?? (options.contains("--quick") ? 3 : 9)
            print(Machine().description)
            let count = options.contains("--quick") ? 50_000 : 200_000
            for ways in ways { print(try await ways.table(rounds: rounds, count: count)) }
        } catch {
            fail(String(describing: error))
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}
