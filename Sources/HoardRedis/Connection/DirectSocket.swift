// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Bionic)
    internal import Bionic
#endif

/// A connection's socket, for threads that are not its event loop's.
///
/// It is a second descriptor of the same socket, which stays the same socket's however the connection ends. The connection goes on as long as it is
/// there: it must be given up together with the channel.
final class DirectSocket: Sendable {
    private let descriptor: CInt

    /// `nil` if there can be no further descriptor.
    init?(duplicating handle: NIOBSDSocket.Handle) {
        descriptor = fcntl(handle, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Ends the connection in both directions, for all descriptors: nothing is sent any more.
    func shutDown() {
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Sends the bytes that the socket takes at once. Never waits.
    ///
    /// - Returns: How many bytes it has taken: none also if the connection has failed, which its event loop notices.
    func send(_ bytes: ByteBuffer) -> Int {
        #if canImport(Darwin)
            // The channel has asked for no signals when the other end is gone.
            let flags = CInt(MSG_DONTWAIT)
        #else
            let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeReadableBytes { bytes in
            while true {
                let count = systemSend(descriptor, bytes.baseAddress, bytes.count, flags)
                if count >= 0 { return count }
                if errno != EINTR { return 0 }
            }
        }
    }
}

private let systemSend = send
