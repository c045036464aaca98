// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The sums of the lines of a working process.
struct WorkerLog {
    private(set) var doneCount = 0
    private(set) var failedCount = 0
    private(set) var readCount = 0
    /// The failures that the process has found, and lines that the parser does not understand.
    private(set) var failures: [String] = []

    /// Takes note of a line, and enters its operation into the ledger.
    @discardableResult
    mutating func note(_ text: String, _ ledger: inout Ledger) -> LoadLine? {
        guard let line = LoadLine(text) else {
            failures.append("a line that means nothing: \(text)")
            return nil
        }
        ledger.note(line)
        switch line {
        case .done: doneCount += 1
        case .failed: failedCount += 1
        case .reads(let count): readCount += count
        case .wrong(let what): failures.append(what)
        case .ready, .intent: break
        }
        return line
    }
}
