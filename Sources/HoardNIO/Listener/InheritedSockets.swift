// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Sockets that the process was given by the one that started it, bound and perhaps listening already.
///
/// A server takes one of them in the place of a socket of its own if it is bound to the address that the server is to listen on. No client is refused
/// while a program is started anew: connections wait in the socket, which the other process keeps.
package final class InheritedSockets: Sendable {
    private typealias Address = HTTPServer.Listener.Address

    private struct Socket: Sendable {
        let descriptor: CInt
        let address: Address
    }

    private let sockets: Mutex<[Socket]>

    /// - Parameter descriptors: Those that are no sockets with an address are left alone.
    package init(descriptors: [CInt]) {
        sockets = Mutex(descriptors.compactMap { descriptor in Self.address(of: descriptor).map { Socket(descriptor: descriptor, address: $0) } })
    }

    /// The addresses of the sockets that no server has taken.
    package var addresses: [String] {
        sockets.withLock { $0.map(\.address.text) }
    }

    /// Hands a socket out, once.
    ///
    /// - Returns: Its descriptor, which belongs to the caller now. `nil`: none is bound to the address.
    func take(for address: HTTPServer.Listener.Address) -> CInt? {
        let wanted: [Address]
        switch address {
        case .tcp(let host, let port):
            // A name may stand for an address. All addresses of IPv4 and of both kinds are the same to a listener.
            let resolved = (try? SocketAddress.makeAddressResolvingHost(host, port: port))?.ipAddress.map { Address.tcp(host: $0, port: port) }
            let isForAll = ["0.0.0.0", "::"].contains(host)
            wanted = isForAll ? [.tcp(host: "0.0.0.0", port: port), .tcp(host: "::", port: port)] : [address] + [resolved].compactMap(\.self)
        case .unix:
            wanted = [address]
        }
        return sockets.withLock { sockets in
            guard let index = sockets.firstIndex(where: { wanted.contains($0.address) }) else { return nil }
            return sockets.remove(at: index).descriptor
        }
    }

    /// The address that a socket is bound to. `nil`: it is no socket, or bound to nothing that can be named.
    private static func address(of descriptor: CInt) -> Address? {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { space -> Address? in
            guard let name = space.baseAddress?.bindMemory(to: sockaddr.self, capacity: 1) else { return nil }
            var length = socklen_t(space.count)
            guard getsockname(descriptor, name, &length) == 0 else { return nil }
            // Everywhere two bytes stand before the port or the path; behind the port IPv6 has four bytes more.
            let port = Int(space[2]) << 8 | Int(space[3])
            switch CInt(name.pointee.sa_family) {
            case AF_INET: return ip(space[4..<8], port)
            case AF_INET6: return ip(space[8..<24], port)
            case AF_UNIX:
                let path = space[2..<max(2, min(Int(length), space.count))].prefix { $0 != 0 }
                return path.isEmpty ? nil : .unix(path: String(decoding: path, as: UTF8.self))
            default: return nil
            }
        }
    }

    private static func ip(_ bytes: Slice<UnsafeMutableRawBufferPointer>, _ port: Int) -> Address? {
        (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: port))?.ipAddress.map { .tcp(host: $0, port: port) }
    }
}
