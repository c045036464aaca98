// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#endif

/// Tells the service manager the state of the proxy.
///
/// It speaks the protocol of [sd_notify(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html). By this, systemd learns
/// when a service has started, and that it reads its settings anew. Does nothing if no service manager has asked for it, or on systems other
/// than Linux.
struct ServiceManager: Sendable {
    static let variable = "NOTIFY_SOCKET"

    /// The socket's path, or `@` and an abstract name.
    private let address: String?

    init(environment: [String: String]) {
        address = environment[Self.variable].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    }

    /// The descriptors of sockets that the manager has opened for this process ([sd_listen_fds(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html)).
    static func socketDescriptors(environment: [String: String], processID: Int32) -> [Int32] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == processID, let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...1_024).contains(count)
        else { return [] }
        return Array(3..<(3 + count))
    }

    /// Requests are served.
    ///
    /// - Parameter status: A line for people who ask for the service's state.
    func ready(_ status: String) {
        send("READY=1\nSTATUS=\(status.split(whereSeparator: \.isNewline).joined(separator: " "))")
    }

    /// The settings are being read anew. ``ready(_:)`` must follow, whatever comes of it.
    func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds())")
    }

    /// The proxy ends.
    func stopping() {
        send("STOPPING=1\nSTATUS=Finishing the requests under way.")
    }

    #if canImport(Glibc)
        private static func monotonicMicroseconds() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
        }

        /// If the manager cannot be told, the service goes on all the same.
        private func send(_ text: String) {
            guard let address else { return }
            var socketAddress = sockaddr_un()
            socketAddress.sun_family = sa_family_t(AF_UNIX)
            var path = Array(address.utf8)
            guard path.count < MemoryLayout.size(ofValue: socketAddress.sun_path) else { return }
            // An abstract name begins with a zero byte.
            if path[0] == UInt8(ascii: "@") { path[0] = 0 }
            withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: path) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count + (path[0] == 0 ? 0 : 1))
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            let message = Array(text.utf8)
            withUnsafePointer(to: &socketAddress) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = sendto(descriptor, message, message.count, CInt(MSG_NOSIGNAL), pointer, length)
                }
            }
        }
    #else
        private static func monotonicMicroseconds() -> Int { 0 }

        private func send(_ text: String) {}
    #endif
}
