// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard error, with a line of progress that is rewritten on a terminal, and lines that stay.
final class Terminal {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var lastShown: ContinuousClock.Instant?

    /// Rewrites the line of progress, ten times a second at most.
    func show(_ text: String) {
        guard isTerminal else { return }
        if let lastShown, .now - lastShown < .milliseconds(100) { return }
        lastShown = .now
        write("\r\u{1b}[K\(text)")
    }

    /// Writes a line that stays.
    func report(_ text: String) {
        clear()
        write(text + "\n")
    }

    /// Removes the line of progress.
    func clear() {
        if isTerminal && lastShown != nil { write("\r\u{1b}[K") }
        lastShown = nil
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { buffer in _ = systemWrite(STDERR_FILENO, buffer.baseAddress, buffer.count) }
    }
}

private let systemWrite: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = { descriptor, bytes, count in write(descriptor, bytes, count) }
