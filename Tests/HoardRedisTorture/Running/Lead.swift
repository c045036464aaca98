// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input, by which a coordinator leads its workers: a line is a word of command, and the end means that the coordinator is gone.
enum Lead {
    /// The next line; `nil` at the end. Blocks.
    static func nextLine() -> String? {
        readLine(strippingNewline: true)
    }

    /// The number of lines that have come since ``follow()``.
    static let lineCount = Atomic<Int>(0)

    /// Ends this process when the coordinator has ended, and counts its lines, on a thread of its own.
    static func follow() {
        let thread = startThread {
            while nextLine() != nil { lineCount.add(1, ordering: .sequentiallyConsistent) }
            exit(EXIT_FAILURE)
        }
        if !thread { exit(EXIT_FAILURE) }
    }

    /// Says something to the coordinator.
    static func answer(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(EXIT_FAILURE) }
    }

    /// Waits until the coordinator has said something for the `count`th time.
    static func wait(forLine count: Int) async {
        while lineCount.load(ordering: .sequentiallyConsistent) < count {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
