// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOSSL

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Bionic)
    internal import Bionic
#endif

extension Channel {
    /// Closes the socket at once. Bytes that the other end has not got yet are not sent any more: otherwise a command that was given up could still be
    /// carried out long after another one that was sent on a new connection. On the event loop.
    func closeAtOnce() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        // Encryption would first take leave of the other end.
        guard let encryption = try? pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self) else { return close(promise: nil) }
        encryption.close(promise: nil)
    }

    /// Whether bytes have arrived that have not been read yet. On the event loop.
    var hasUnreadBytes: Bool {
        let hasBytes = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { handle in
            var byte: UInt8 = 0
            return recv(handle, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) > 0
        }
        return hasBytes ?? false
    }
}

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

    /// Ends the connection in both directions, for all descriptors: it takes no more bytes. What it has taken
    /// is sent, unless the channel is closed at once.
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
