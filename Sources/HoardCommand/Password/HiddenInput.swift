// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A line that is not shown while the user types it.
enum HiddenInput {
    /// Reads a line of standard input. If that is a terminal, it is asked for, and not shown.
    ///
    /// - Returns: `nil` at the end of the input.
    static func line(prompt: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() }
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return readLine() }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // A signal that ends the process must not leave the user at a terminal that shows nothing.
        SignalCleanup.begin(restoring: shown)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        Terminal.write(prompt)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            SignalCleanup.end()
            Terminal.say("")
        }
        return readLine()
    }
}
