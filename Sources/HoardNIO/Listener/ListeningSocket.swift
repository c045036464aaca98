// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// One of the sockets that a server listens on.
struct ListeningSocket: Sendable {
    let channel: any Channel
    /// With the port that the system has chosen, if it was asked to.
    let address: HTTPServer.Listener.Address
    private let file: UnixSocketFile?

    /// Begins to listen.
    ///
    /// - Parameter inherited: A socket for the address is taken from here, if there is one. The file of a Unix socket then stays at the end.
    /// - Throws: ``HTTPServerError`` that names the address.
    static func open(
        _ address: HTTPServer.Listener.Address,
        by bootstrap: ServerBootstrap,
        inherited: InheritedSockets? = nil
    ) async throws(HTTPServerError) -> ListeningSocket {
        do {
            if let descriptor = inherited?.take(for: address) {
                return ListeningSocket(channel: try await bootstrap.withBoundSocket(descriptor).get(), address: address, file: nil)
            }
            switch address {
            case .tcp(let host, let port):
                let channel = try await bootstrap.bind(host: host, port: port).get()
                let local = channel.localAddress
                return ListeningSocket(channel: channel, address: .tcp(host: local?.ipAddress ?? host, port: local?.port ?? port), file: nil)
            case .unix(let path):
                try makeRoom(at: path)
                let channel = try await bootstrap.bind(unixDomainSocketPath: path).get()
                return ListeningSocket(channel: channel, address: address, file: UnixSocketFile(path: path))
            }
        } catch let error as HTTPServerError {
            throw error
        } catch {
            throw HTTPServerError.binding(address, error: error)
        }
    }

    private static func makeRoom(at path: String) throws(HTTPServerError) {
        switch UnixSocketFile.state(of: path) {
        case .nothing:
            break
        case .stale:
            UnixSocketFile(path: path)?.remove()
        case .live:
            throw HTTPServerError(.addressInUse, "Cannot listen on the socket \(path): another program listens there.")
        case .other:
            throw HTTPServerError(.addressInUse, "Cannot listen on the socket \(path): a file that is no socket is in its place.")
        }
    }

    /// Stops listening, and removes the file of a Unix socket.
    ///
    /// - Parameter group: The event loops of the connections. An accepted connection gets to its loop before the socket
    ///   is closed, as NIO would reset it otherwise.
    func close(in group: any EventLoopGroup) async {
        try? await channel.setOption(.autoRead, value: false).get()
        // There and back, in the order in which it is done.
        for loop in Array(group.makeIterator()) + [channel.eventLoop] { try? await loop.submit {}.get() }
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
        file?.remove()
    }

    /// Stops listening without waiting for it.
    func abandon() {
        // After a shutdown there may be no event loop left to close anything on.
        guard channel.isActive else { return }
        channel.close(promise: nil)
        file?.remove()
    }
}
