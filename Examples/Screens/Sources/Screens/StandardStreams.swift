// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The standard output. A pipe, too, gets each line at once.
struct StandardOutput: Sendable {
    func print(_ text: String, terminator: String = "\n") {
        Swift.print(text, terminator: terminator)
        // `nil`: all streams. The stream of the output is a global variable in C, which Swift code may not use.
        fflush(nil)
    }
}

/// The standard input.
enum StandardInput {
    /// Whether a person types.
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Its lines, until it ends. They are read on a thread that is blocked meanwhile and that no task needs.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "screens.input").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
