// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Where the lines of an access log go.
protocol AccessLogSink: AnyObject, Sendable {
    /// Writes some of the bytes, and returns how many: one at least. It blocks, but not for ever.
    func write(_ bytes: UnsafeRawBufferPointer) throws(AccessLogFailure) -> Int
    /// Whether the sink has been deleted, so that no reader can find the lines written to it.
    var isDeleted: Bool { get }
    /// Whether the sink is a file with nothing in it.
    var isEmpty: Bool { get }
}

/// The system's reason why a log cannot be opened or written.
struct AccessLogFailure: Error, Hashable, CustomStringConvertible {
    let code: Int32

    static var current: AccessLogFailure { AccessLogFailure(code: errno) }

    /// In the system's words, which name no file.
    var description: String { String(cString: strerror(code)) }
}

/// A file, a pipe or standard output.
final class AccessLogFile: AccessLogSink {
    private let descriptor: Int32
    private let isOwned: Bool
    private let isRegular: Bool
    /// The longest time for which a pipe may have no room, in milliseconds.
    private let patience: Int32

    /// Pipes take so many bytes at once or none.
    private static let pipeChunk = 4_096

    /// Opens a file to append to; a new one can be read and written by its owner only.
    ///
    /// - Parameter path: `-` is standard output.
    init(path: String, patience: Int32 = 1_000) throws(AccessLogFailure) {
        isOwned = path != "-"
        self.patience = patience
        // With `O_NONBLOCK`, opening a pipe that has no reader fails at once instead of waiting for one. For files it makes no difference.
        descriptor = isOwned ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600) : STDOUT_FILENO
        guard descriptor >= 0 else { throw .current }
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    var isDeleted: Bool {
        var status = stat()
        return isOwned && isRegular && fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    var isEmpty: Bool {
        var status = stat()
        return isRegular && fstat(descriptor, &status) == 0 && status.st_size == 0
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(AccessLogFailure) -> Int {
        while true {
            if !isRegular { try waitForRoom() }
            let count = systemWrite(isRegular ? bytes : UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.pipeChunk)))
            if count > 0 { return count }
            if count == 0 { throw AccessLogFailure(code: EIO) }
            guard errno == EINTR || (errno == EAGAIN && !isRegular) else { throw .current }
        }
    }

    private func waitForRoom() throws(AccessLogFailure) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = systemPoll(&poll)
            if ready > 0 { return }
            if ready == 0 { throw AccessLogFailure(code: ETIMEDOUT) }
            guard errno == EINTR else { throw .current }
        }
    }

    private func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    private func systemPoll(_ descriptor: inout pollfd) -> Int32 {
        #if canImport(Darwin)
            Darwin.poll(&descriptor, 1, patience)
        #elseif canImport(Glibc)
            Glibc.poll(&descriptor, 1, patience)
        #elseif canImport(Musl)
            Musl.poll(&descriptor, 1, patience)
        #endif
    }
}
