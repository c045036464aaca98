// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The bytes of a file or of standard input, in parts, as they are on disk.
final class FileSource {
    private let descriptor: Int32
    private let isOwned: Bool
    private let name: String
    /// The number of bytes that have been read.
    private(set) var bytesRead = 0
    /// The number of bytes that the file has; `nil` for a pipe or a terminal.
    let byteCount: Int?

    /// Opens a file; `-` is standard input.
    init(path: String) throws(AccessTraceError) {
        self.name = path == "-" ? "standard input" : path
        self.isOwned = path != "-"
        self.descriptor = isOwned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
        guard descriptor >= 0 else { throw Self.error(path, errno) }
        var status = stat()
        self.byteCount = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Fills the start of `buffer` and returns how many bytes it got; 0 at the end.
    func read(into buffer: inout [UInt8]) throws(AccessTraceError) -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                #if canImport(Darwin)
                    Darwin.read(descriptor, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    Musl.read(descriptor, bytes.baseAddress, bytes.count)
                #else
                    Glibc.read(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if count >= 0 {
                bytesRead += count
                return count
            }
            if errno != EINTR { throw Self.error(name, errno) }
        }
    }

    private static func error(_ name: String, _ code: Int32) -> AccessTraceError {
        AccessTraceError(.unreadable, in: name, "cannot be read: \(String(cString: strerror(code))).")
    }
}
