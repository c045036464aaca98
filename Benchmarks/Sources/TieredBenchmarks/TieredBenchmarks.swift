// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation
internal import Hoard

/// The cost of a tiered cache over a plain one, and the time that the callers of one load
/// wait. See Benchmarks/README.md.
@main
enum TieredBenchmarks {
    static func main() async {
        guard !isDebugBuild else { fail("Figures of a debug build mean nothing. Run it with -c release.") }
        do {
            let options = try Options(
                Array(CommandLine.arguments.dropFirst()),
                flags: ["--quick"],
                valued: ["--rounds", "--callers", "--case", "--hits"]
            )
            if let name = options.text("--case") {
                let hits = try options.count("--hits") ?? 100_000
                if StoreHits.cases.contains(name) { try await StoreHits.run(name, reads: hits) } else { print(try await Hits.run(name, hits: hits)) }
                return
            }
            let rounds = try options.count("--rounds") ?? (options.contains("--quick") ? 3 : 7)
            print(Machine().description)
            print(await Hits.table(rounds: rounds))
            print(try await StoreHits.table(reads: options.contains("--quick") ? 8_000 : 32_000, rounds: rounds))
            print(try await Herd.table(callers: try options.count("--callers") ?? 10_000, rounds: rounds))
            print(await Invalidations.table(changes: options.contains("--quick") ? 200 : 2_000))
        } catch {
            fail(String(describing: error))
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}
