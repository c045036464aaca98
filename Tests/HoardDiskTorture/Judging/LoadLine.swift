// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A line in which a process that writes to a store reports an operation.
///
/// "Intent" is written before the operation starts, "done" or "failed" after it has returned.
enum LoadLine: Hashable, Sendable {
    case ready
    case intent(StoreChange)
    case done(StoreChange)
    case failed(StoreChange, code: String)
    /// The store gave back content that it must not give back.
    case wrong(String)
    /// The number of reads that were judged.
    case reads(Int)
}

extension LoadLine: LosslessStringConvertible {
    var description: String {
        switch self {
        case .ready: "ready"
        case .intent(let operation): "intent \(operation)"
        case .done(let operation): "done \(operation)"
        case .failed(let operation, let code): "failed \(code) \(operation)"
        case .wrong(let text): "wrong \(text)"
        case .reads(let count): "reads \(count)"
        }
    }

    init?(_ description: String) {
        let parts = description.split(separator: " ", maxSplits: 1).map { String($0) }
        let rest = parts.count == 2 ? parts[1] : ""
        switch parts.first {
        case "ready" where rest.isEmpty: self = .ready
        case "intent":
            guard let operation = StoreChange(rest) else { return nil }
            self = .intent(operation)
        case "done":
            guard let operation = StoreChange(rest) else { return nil }
            self = .done(operation)
        case "failed":
            let words = rest.split(separator: " ", maxSplits: 1).map { String($0) }
            guard words.count == 2, let operation = StoreChange(words[1]) else { return nil }
            self = .failed(operation, code: words[0])
        case "wrong": self = .wrong(rest)
        case "reads":
            guard let count = Int(rest) else { return nil }
            self = .reads(count)
        default: return nil
        }
    }
}

extension Ledger {
    /// Enters the line's operation, if it has one.
    mutating func note(_ line: LoadLine) {
        switch line {
        case .intent(let operation): intend(operation)
        case .done(let operation): acknowledge(operation)
        case .failed(let operation, _): fail(operation)
        case .ready, .wrong, .reads: break
        }
    }
}
