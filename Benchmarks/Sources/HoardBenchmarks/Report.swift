// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// Collects rows for a table, or prints each as a line of JSON at once.
final class Report {
    private let asJSON: Bool
    private var table = Table(
        header: ["workload", "types", "threads", "subject", "ns/op", "min", "max", "to baseline", "M op/s", "to 1 thread", "hit ratio"],
        leading: 4
    )
    private var memory = Table(header: ["subject", "bytes/entry", "over key and value"], leading: 1)

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    func add(_ row: Row) {
        let ratio = row.nanoseconds.medianRatio(to: row.baseline)
        guard !asJSON else {
            var fields = [
                ("workload", quoted(row.workload.rawValue)), ("types", quoted(row.types)), ("threads", "\(row.threads)"),
                ("subject", quoted(row.subject)), ("nanoseconds", decimal(row.nanoseconds.median, digits: 2)),
                ("minimum", decimal(row.nanoseconds.minimum, digits: 2)), ("maximum", decimal(row.nanoseconds.maximum, digits: 2)),
                ("ratioToBaseline", decimal(ratio, digits: 3)), ("millionsPerSecond", decimal(row.millionsPerSecond, digits: 2)),
                ("checksum", "\(row.checksum)"),
            ]
            if let scaling = row.scaling { fields.append(("ratioToOneThread", decimal(scaling, digits: 3))) }
            if let hitRatio = row.hitRatio { fields.append(("hitRatio", decimal(hitRatio, digits: 4))) }
            print(json(fields))
            return
        }
        table.add([
            row.workload.rawValue, row.types, "\(row.threads)", row.subject, decimal(row.nanoseconds.median),
            decimal(row.nanoseconds.minimum), decimal(row.nanoseconds.maximum), decimal(ratio, digits: 2), decimal(row.millionsPerSecond),
            row.scaling.map { decimal($0, digits: 2) } ?? "", row.hitRatio.map { decimal($0, digits: 4) } ?? "",
        ])
    }

    /// - Parameter bytes: For all entries together; `nil` if this system cannot tell.
    func add(memoryOf subject: String, bytes: Int?) {
        let perEntry = bytes.map { Double($0) / Double(Memory.entries) }
        let overhead = perEntry.map { $0 - Double(Memory.payload) }
        guard !asJSON else {
            let fields = [
                ("memory", quoted(subject)), ("bytesPerEntry", perEntry.map { decimal($0) } ?? "null"),
                ("overKeyAndValue", overhead.map { decimal($0) } ?? "null"),
            ]
            print(json(fields))
            return
        }
        memory.add([subject, perEntry.map { decimal($0) } ?? "not available", overhead.map { decimal($0) } ?? ""])
    }

    func addMachine(_ machine: Machine) {
        print(asJSON ? json([("machine", quoted(machine.description))]) : machine.description)
    }

    func finish(rounds: Int, hasRows: Bool, hasMemory: Bool) {
        guard !asJSON else { return }
        if hasRows {
            print("Medians of \(rounds) rounds. Baseline: get-hit of Mutex<Dictionary>, same types, one thread, same round.\n")
            print(table.text)
        }
        guard hasMemory else { return }
        print("Memory of \(Memory.entries) entries, Int to Int:\n")
        print(memory.text, terminator: "")
    }

    private func json(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
