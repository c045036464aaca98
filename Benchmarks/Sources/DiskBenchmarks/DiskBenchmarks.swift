// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Measures `DiskStore` beside SQLite, plain files and python-diskcache with the same work. See Benchmarks/README.md.
@main
enum DiskBenchmarks {
    static let help = """
        Usage: disk-benchmarks [--rounds N] [--filter TEXT | --only ROW] [--quick] [--json] [--diskcache] [--directory PATH]
               disk-benchmarks --matrix [--rounds N] [--filter TEXT | --only ROW] [--quick] [--json] [--directory PATH]
               disk-benchmarks --profile-seconds N --only ROW [--directory PATH]

          --rounds N             How often everything is measured (default 7; 3 with --quick).
          --filter TEXT          Only rows whose name contains TEXT.
          --only ROW             Only the row of this name.
          --quick                A tenth of the operations. For a first look.
          --json                 One JSON object for each row and subject.
          --matrix               Instead of the rows with a goal: set and get of every size.
          --diskcache            Also the row that needs python3, and diskcache from PyPI if it was not downloaded before.
          --directory PATH       Where to make the directory that everything is written to and that is removed at the end
                                 (default: the system's temporary directory).
          --profile-seconds N    Repeats one row, of the goals or the matrix, for N seconds, on DiskStore only. For a profiler.
          --list                 The names of all rows.
        """

    static func main() async {
        guard !isDebugBuild else { fail("This is a debug build, whose figures mean nothing. Run it with -c release.") }
        do {
            let options = try Options(
                Array(CommandLine.arguments.dropFirst()),
                flags: ["--quick", "--json", "--matrix", "--diskcache", "--list", "--help"],
                valued: ["--rounds", "--filter", "--only", "--directory", "--profile-seconds"]
            )
            if options.contains("--help") {
                print(help)
            } else if options.contains("--list") {
                (Row.goals(withDiskcache: true) + Row.matrix).forEach { print($0.name) }
            } else {
                // A task of its own, on no actor.
                try await Task.detached { try await run(options) }.value
            }
        } catch {
            fail(String(describing: error))
        }
    }

    private static func run(_ options: Options) async throws {
        let seconds = try options.count("--profile-seconds")
        let rows = try wantedRows(options, profiling: seconds != nil)
        let quick = options.contains("--quick")
        let workspace = try Workspace(inside: options.text("--directory"))
        defer { workspace.remove() }
        let scale = Scale(isQuick: quick, rounds: try options.count("--rounds") ?? (quick ? 3 : 7))
        if let seconds {
            try await profile(rows[0], seconds: seconds, workspace: workspace, scale: scale)
        } else {
            try await compare(rows, options, workspace: workspace, scale: scale)
        }
    }

    private static func wantedRows(_ options: Options, profiling: Bool) throws -> [Row] {
        let goals = Row.goals(withDiskcache: options.contains("--diskcache"))
        let all = profiling ? goals + Row.matrix : options.contains("--matrix") ? Row.matrix : goals
        guard !profiling || options.contains("--only") else { throw Options.Mistake("--profile-seconds needs --only ROW.") }
        let rows = all.filter { row in
            options.text("--only").map { row.name == $0 } ?? options.text("--filter").map { row.name.contains($0) } ?? true
        }
        guard !rows.isEmpty else { throw Options.Mistake("There is no such row. --list names all of them.") }
        return rows
    }

    private static func compare(_ rows: [Row], _ options: Options, workspace: Workspace, scale: Scale) async throws {
        let report = Report(asJSON: options.contains("--json"))
        report.addMachine(Machine())
        for row in rows {
            do {
                report.add(try await row.measure(workspace: workspace, scale: scale), of: row)
            } catch let error as NotAvailable {
                report.add(missing: row, because: error.description)
            }
        }
        options.contains("--matrix") ? report.finishMatrix(rounds: scale.rounds) : report.finish(rounds: scale.rounds)
    }

    /// Repeats the first subject's rounds, with nothing beside them.
    private static func profile(_ row: Row, seconds: Int, workspace: Workspace, scale: Scale) async throws {
        guard let subject = try await row.makeSubjects(workspace, scale).first else { return }
        let process = ProcessInfo.processInfo.processIdentifier
        // At once, even into a pipe: the user who attaches a profiler waits for it.
        FileHandle.standardOutput.write(Data("\(row.name) of \(subject.name) for \(seconds) s from now; process \(process).\n".utf8))
        let end = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
        var sample = Sample()
        while sample.values.isEmpty || monotonicNanoseconds() < end {
            sample.add(try await subject.run(sample.values.count).microseconds)
        }
        await subject.finish()
        print("\(decimal(sample.median, digits: 2)) µs, at best \(decimal(sample.minimum, digits: 2)); \(sample.values.count) rounds.")
    }

    private static func fail(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data("disk-benchmarks: \(sentence)\n".utf8))
        exit(2)
    }
}
