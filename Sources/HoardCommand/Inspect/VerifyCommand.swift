// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardDisk
internal import Synchronization

/// `hoard inspect verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read everything and look for damage.",
        discussion: """
            Verifies the checksum of each record and each file, tags, totals, and the database itself. Changes nothing, unless --repair is given: \
            then records that are damaged are removed (a server would have treated them as missing), files that belong to nothing are deleted, and the rest is mended.

            Exits with 0 if there are no problems or all were mended, and with 1 if problems are left. A damaged database \
            is never mended: the server sets it aside and begins a new one as soon as it meets the damage.
            """
    )

    @OptionGroup var options: InspectCommand.Options

    @Flag(name: .long, help: "Mend what is found.")
    var repair = false

    fileprivate struct Report: Encodable {
        let records: Int
        let files: Int
        let bytes: Int
        let problems: [String: Int]
        let repaired: [String: Int]
    }

    func run() async throws {
        let isSound = try await options.withStore { store in
            let bar = SharedProgress()
            let result: DiskStore.VerificationReport
            do {
                result = try await store.verify(repairing: repair) { bar.show($0) }
                bar.finish()
            } catch {
                bar.finish()
                throw error
            }
            try report(Report(result), json: options.json) { text(result) }
            return result.problems == result.repairs
        }
        if !isSound { throw ExitCode.failure }
    }

    private func text(_ result: DiskStore.VerificationReport) -> String {
        var lines = ["\(recordCount(result.recordCount)) and \(result.fileCount) \(result.fileCount == 1 ? "file" : "files") verified"]
        for (problem, count) in result.problems.sorted(by: { $0.key.identifier < $1.key.identifier }) {
            let repaired = result.repairs[problem] ?? 0
            lines.append("\(count) × \(problem)" + (repaired == count ? ", mended" : repaired > 0 ? ", \(repaired) mended" : ""))
        }
        if result.problems.isEmpty { lines.append("no problems") }
        return lines.joined(separator: "\n")
    }

    /// A bar that any thread may advance.
    private final class SharedProgress: Sendable {
        private struct State {
            var bar: ProgressBar?
            var count = 0
        }

        private let state = Mutex(State())

        func show(_ progress: DiskStore.VerificationProgress) {
            state.withLock { state in
                var bar = state.bar ?? ProgressBar(total: progress.totalCount, unit: .records)
                bar.advance(by: progress.recordCount - state.count)
                state = State(bar: bar, count: progress.recordCount)
            }
        }

        func finish() { state.withLock { $0.bar?.finish() } }
    }
}

extension VerifyCommand.Report {
    fileprivate init(_ report: DiskStore.VerificationReport) {
        records = report.recordCount
        files = report.fileCount
        bytes = report.byteCount
        problems = Dictionary(uniqueKeysWithValues: report.problems.map { ($0.key.identifier, $0.value) })
        repaired = Dictionary(uniqueKeysWithValues: report.repairs.map { ($0.key.identifier, $0.value) })
    }
}
