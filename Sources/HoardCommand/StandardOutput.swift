// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Standard output, for results: bytes as they are.
enum StandardOutput {
    /// Writes all bytes.
    ///
    /// - Throws: ``OutputError``. A reader that has closed the pipe, such as `head`, is one of its codes.
    static func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        try FileOutput.writeAll(bytes, to: STDOUT_FILENO, name: "standard output")
    }
}

/// Why output could not be written.
struct OutputError: Error, CustomStringConvertible {
    let description: String
    /// The reader has closed the pipe: there is nobody left to tell.
    let isBrokenPipe: Bool
}

/// A file that appears under its name only when it is complete.
struct FileOutput {
    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32

    /// Creates a temporary file beside `path`, with the permissions that the user's umask leaves.
    init(path: String) throws(OutputError) {
        self.path = path
        self.temporaryPath = "\(path).\(ProcessInfo.processInfo.processIdentifier).part"
        self.descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.error("create", path, errno) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        try Self.writeAll(bytes, to: descriptor, name: path)
    }

    /// Gives the file its name, replacing what had it.
    func finish() throws(OutputError) {
        guard close(descriptor) == 0, rename(temporaryPath, path) == 0 else {
            let code = errno
            unlink(temporaryPath)
            throw Self.error("write", path, code)
        }
    }

    /// Removes the file.
    func discard() {
        close(descriptor)
        unlink(temporaryPath)
    }

    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, name: String) throws(OutputError) {
        var rest = bytes[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            #if canImport(Darwin)
                let written = Darwin.write(descriptor, start, rest.count)
            #elseif canImport(Musl)
                let written = Musl.write(descriptor, start, rest.count)
            #else
                let written = Glibc.write(descriptor, start, rest.count)
            #endif
            if written < 0 {
                if errno == EINTR { continue }
                throw error("write", name, errno)
            }
            rest = rest.dropFirst(written)
        }
    }

    private static func error(_ verb: String, _ name: String, _ code: Int32) -> OutputError {
        OutputError(description: "Cannot \(verb) \(name): \(String(cString: strerror(code))).", isBrokenPipe: code == EPIPE)
    }
}
