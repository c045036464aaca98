// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// Collects rows for a table, or prints each as a line of JSON at once.
final class Report {
    private let asJSON: Bool
    private var table = Table(
        header: ["row", "subject", "best µs", "median", "max", "DiskStore by it", "of bests", "wanted", "reach", ""],
        leading: 2
    )
    private var matrix: [(name: String, results: [Row.Outcome])] = []
    private var remarks: [String] = []

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    func addMachine(_ machine: Machine) {
        print(asJSON ? json([("machine", quoted(machine.description))]) : machine.description)
    }

    /// - Parameter results: `DiskStore` first.
    func add(_ results: [Row.Outcome], of row: Row) {
        matrix.append((row.name, results))
        guard let own = results.first?.microseconds else { return }
        for (index, result) in results.enumerated() {
            let sample = result.microseconds
            let ratio = own.medianRatio(to: sample)
            let bests = sample.minimum > 0 ? own.minimum / sample.minimum : 0
            let verdict = row.goal.verdict(on: own, beside: sample, index: index)
            if asJSON {
                var fields = [
                    ("row", quoted(row.name)), ("subject", quoted(result.subject)), ("microseconds", decimal(sample.median, digits: 3)),
                    ("minimum", decimal(sample.minimum, digits: 3)), ("maximum", decimal(sample.maximum, digits: 3)),
                    ("diskStoreRatio", decimal(ratio, digits: 3)), ("diskStoreRatioOfBests", decimal(bests, digits: 3)),
                    ("rounds", "[" + sample.values.map { decimal($0, digits: 3) }.joined(separator: ",") + "]"),
                ]
                if let verdict {
                    fields += [("wanted", decimal(verdict.wanted, digits: 2)), ("reach", decimal(verdict.reach, digits: 2))]
                    fields += [("value", decimal(verdict.value, digits: 3)), ("verdict", quoted(verdict.word))]
                }
                print(json(fields))
            } else {
                table.add([
                    row.name, result.subject, decimal(sample.minimum, digits: 2), decimal(sample.median, digits: 2),
                    decimal(sample.maximum, digits: 2), index == 0 ? "" : decimal(ratio, digits: 2),
                    index == 0 ? "" : decimal(bests, digits: 2), verdict?.wantedText ?? "", verdict?.reachText ?? "",
                    verdict.map { "\($0.text): \($0.word)" } ?? "",
                ])
            }
        }
    }

    func add(missing row: Row, because reason: String) {
        if asJSON {
            print(json([("row", quoted(row.name)), ("missing", quoted(reason))]))
        } else {
            remarks.append("\(row.name) is missing: \(reason)")
        }
    }

    func finish(rounds: Int) {
        guard !asJSON else { return }
        print("Microseconds of one operation, \(rounds) rounds. Ratios are of the same round; their median counts.\n")
        print(table.text, terminator: "")
        for remark in remarks { print("\n\(remark)") }
    }

    /// One line for each row, one column for each subject: median and best.
    func finishMatrix(rounds: Int) {
        guard !asJSON, let subjects = matrix.first?.results.map(\.subject) else { return }
        var table = Table(header: ["µs"] + subjects.flatMap { [$0, "best"] }, leading: 1)
        for (name, results) in matrix {
            let cells = results.flatMap { [decimal($0.microseconds.median, digits: 2), decimal($0.microseconds.minimum, digits: 2)] }
            table.add([name.replacing("matrix-", with: "")] + cells)
        }
        print("Microseconds of one operation, one task: the median of \(rounds) rounds, and the best.\n")
        print(table.text, terminator: "")
    }

    private func json(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
