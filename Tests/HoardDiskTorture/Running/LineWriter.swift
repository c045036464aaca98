// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A writer of lines to standard output without a buffer. The reader has each line that was
/// written, even if this process dies.
///
/// Each line is one `write(2)` of less than `PIPE_BUF` bytes, so lines of several threads do not mix.
struct LineWriter: Sendable {
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemWrite(STDOUT_FILENO, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if count < 0 && errno == EINTR { continue }
            // No reader is left, so the process is of no more use.
            if count <= 0 { exit(EXIT_FAILURE) }
            offset += count
        }
    }
}

private let systemWrite: @Sendable (CInt, UnsafeRawPointer?, Int) -> Int = { unsafeDescriptor, bytes, count in
    write(unsafeDescriptor, bytes, count)
}
