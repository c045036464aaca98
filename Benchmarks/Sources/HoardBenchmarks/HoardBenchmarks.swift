// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Measures `Cache` beside the types that a program would use instead. See Benchmarks/README.md.
@main
enum HoardBenchmarks {
    static let help = """
        Usage: hoard-benchmarks [--rounds N] [--filter TEXT] [--quick] [--json]
               hoard-benchmarks --memory-of SUBJECT
               hoard-benchmarks --allocations hits=N --case NAME

          --rounds N          How often everything is measured (default 7; 3 with --quick).
          --filter TEXT       Only rows whose WORKLOAD/TYPES/THREADS/SUBJECT contains TEXT, or "memory".
          --quick             A tenth of the operations. For a first look.
          --json              One JSON object for each row.
          --memory-of         Fills one subject with a million entries and prints the bytes allocated:
                              \(Memory.subjects.joined(separator: ", ")).
          --allocations       Only hits, for Scripts/allocations, with --case one of
                              \(Allocations.cases.joined(separator: ", ")).
        """

    static func main() {
        guard !isDebugBuild else { fail("This is a debug build, whose figures mean nothing. Run it with -c release.") }
        do {
            let options = try Options(
                Array(CommandLine.arguments.dropFirst()),
                flags: ["--quick", "--json", "--help"],
                valued: ["--rounds", "--filter", "--memory-of", "--allocations", "--case"]
            )
            if options.contains("--help") {
                print(help)
            } else if let subject = options.text("--memory-of") {
                print(try Memory.measure(subject).map { "\($0)" } ?? "not available")
            } else if let amount = options.text("--allocations") {
                guard amount.hasPrefix("hits="), let hits = Int(amount.dropFirst(5)), hits > 0 else {
                    throw Options.Mistake("--allocations needs hits=N, not \(amount).")
                }
                print(try Allocations.run(options.text("--case") ?? "", hits: hits))
            } else {
                try compare(options)
            }
        } catch {
            fail(String(describing: error))
        }
    }

    private static func compare(_ options: Options) throws(Options.Mistake) {
        let quick = options.contains("--quick")
        let rounds = try options.count("--rounds") ?? (quick ? 3 : 7)
        let filter = options.text("--filter")
        let report = Report(asJSON: options.contains("--json"))
        report.addMachine(Machine())
        var hasRows = false
        Suite(rounds: rounds, quick: quick, filter: filter) { row in
            hasRows = true
            report.add(row)
        }.runAll()
        let hasMemory = filter.map { "memory".contains($0.lowercased()) } ?? true
        if hasMemory {
            for subject in Memory.subjects { report.add(memoryOf: subject, bytes: Memory.measureInChild(subject)) }
        }
        guard hasRows || hasMemory else { throw Options.Mistake("No row contains \(filter ?? "").") }
        report.finish(rounds: rounds, hasRows: hasRows, hasMemory: hasMemory)
    }

    private static func fail(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data("hoard-benchmarks: \(sentence)\n".utf8))
        exit(2)
    }
}
