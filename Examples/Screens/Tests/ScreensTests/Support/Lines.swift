// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Collects the output of a program.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    /// The words of each line that begins with one of these verbs, so that tests do not depend on the width of columns.
    func rows(_ verbs: String...) -> [String] {
        all.filter { line in verbs.contains { line.hasPrefix("  \($0) ") } }.map { $0.split(separator: " ").joined(separator: " ") }
    }
}
