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

extension Channel {
    /// Has the kernel ask now and then whether the other side is still there (RFC 9293 §3.8.4), and end the connection if it is not.
    ///
    /// For a client that sends no more and is to get an answer: if it has left altogether, its system forgets the connection within a minute or so.
    func probesPeer() {
        guard let options = self as? any SocketOptionProvider else { return }
        #if canImport(Darwin)
            let idleTime = TCP_KEEPALIVE
        #else
            let idleTime = TCP_KEEPIDLE
        #endif
        for (level, name, value) in [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), idleTime, 15), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15),
            (Int32(IPPROTO_TCP), TCP_KEEPCNT, 2),
        ] as [(Int32, Int32, Int32)] {
            // A Unix socket knows nothing of it, and needs it not.
            options.unsafeSetSocketOption(level: .init(rawValue: level), name: .init(rawValue: name), value: value).whenFailure { _ in }
        }
    }
}
