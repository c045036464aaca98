// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The file of a Unix socket, which outlives the process that made it.
struct UnixSocketFile: Sendable, Hashable {
    /// The kind of file at a path.
    enum State: Hashable {
        case nothing
        /// A socket that no process listens on.
        case stale
        /// A socket that a process listens on.
        case live
        /// A file that is no socket, or one that cannot be looked at.
        case other
    }

    let path: String
    private let device: UInt64
    private let inode: UInt64

    /// Notes the file at a path, so that it can be told from one that another process puts there later. `nil` if there is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        self.device = UInt64(truncatingIfNeeded: status.st_dev)
        self.inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Removes the file, unless another has taken its place.
    func remove() {
        guard UnixSocketFile(path: path) == self else { return }
        unlink(path)
    }

    /// Returns the kind of file at a path. Tries a socket by connecting to it, without waiting.
    static func state(of path: String) -> State {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT ? .nothing : .other }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .other }
        guard let address = try? SocketAddress(unixDomainSocketPath: path) else { return .other }
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return .other }
        defer { close(descriptor) }
        let result = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
        // Anything but a refusal, such as a full backlog, is a sign of life.
        return result != 0 && errno == ECONNREFUSED ? .stale : .live
    }
}
