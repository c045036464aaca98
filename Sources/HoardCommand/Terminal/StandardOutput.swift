// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Standard output, for results: bytes as they are.
enum StandardOutput {
    /// Has a reader that closes the pipe early reported by the write, where it would kill the process.
    static func outliveReader() { signal(SIGPIPE, SIG_IGN) }

    /// Writes all bytes.
    ///
    /// - Throws: ``OutputError``. A reader that has closed the pipe, such as `head`, is one of its codes.
    static func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        try FileOutput.writeAll(bytes, to: STDOUT_FILENO, name: "standard output")
    }

    /// Writes text as UTF-8.
    static func write(text: String) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in try write(bytes) }
    }
}

/// The reason why output could not be written.
struct OutputError: Error, CustomStringConvertible {
    let description: String
    /// Whether the reader has closed the pipe, so that no reader is left.
    let isBrokenPipe: Bool
}

/// A file that appears under its name only when it is complete. Bytes for a device or a pipe go there at once. Only one file at a time can be written so.
struct FileOutput {
    private let path: String
    /// `nil` for a device or a pipe, which no file must replace.
    private let temporaryPath: String?
    private let descriptor: Int32

    /// Creates a temporary file beside `path`, with the permissions that the user's umask leaves.
    init(path: String) throws(OutputError) {
        self.path = path
        if Self.isPipeOrDevice(path) {
            temporaryPath = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            // Not the process's number alone: one of the same number may have been killed, as in containers the numbers are few.
            let temporaryPath = "\(path).\(ProcessInfo.processInfo.processIdentifier).\(UInt64.random(in: 0 ... .max)).part"
            self.temporaryPath = temporaryPath
            SignalCleanup.begin(removing: temporaryPath)
            descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else {
            let code = errno
            if temporaryPath != nil { SignalCleanup.end() }
            throw Self.error("create", path, code)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        try Self.writeAll(bytes, to: descriptor, name: path)
    }

    /// Gives the file its name, replacing a file that had it.
    func finish() throws(OutputError) {
        defer { if temporaryPath != nil { SignalCleanup.end() } }
        guard close(descriptor) == 0, temporaryPath.map({ rename($0, path) == 0 }) ?? true else {
            let code = errno
            if let temporaryPath { unlink(temporaryPath) }
            throw Self.error("write", path, code)
        }
    }

    /// Removes the file.
    func discard() {
        close(descriptor)
        guard let temporaryPath else { return }
        unlink(temporaryPath)
        SignalCleanup.end()
    }

    /// Whether a path leads to neither a file nor a directory nor nothing.
    static func isPipeOrDevice(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    }

    /// - Parameter waits: Whether to wait for room where another program that has the same pipe or terminal has set it not to block.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, name: String, waits: Bool = true) throws(OutputError) {
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
                if errno == EAGAIN, waits {
                    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&room, 1, -1)
                    continue
                }
                throw error("write", name, errno)
            }
            rest = rest.dropFirst(written)
        }
    }

    private static func error(_ verb: String, _ name: String, _ code: Int32) -> OutputError {
        OutputError(description: "Cannot \(verb) \(name): \(String(cString: strerror(code))).", isBrokenPipe: code == EPIPE)
    }
}
