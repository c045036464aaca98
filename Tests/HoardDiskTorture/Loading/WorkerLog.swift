// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// What the lines of a working process add up to.
struct WorkerLog {
    private(set) var doneCount = 0
    private(set) var failedCount = 0
    private(set) var readCount = 0
    /// What the process has found to be wrong, and lines that nobody understands.
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
