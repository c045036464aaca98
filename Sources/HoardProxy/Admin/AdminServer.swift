// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard
package import HoardNIO
package import Logging
package import NIOCore

/// A server for operators of a proxy: its dashboard, figures, health, cached entries, and purging.
///
/// It listens on an address of its own, which strangers must not be able to reach: a client that reaches it can read everything but contents. Changes require
/// a token.
package final class AdminServer: Sendable {
    private let server: HTTPServer
    private let handler: AdminHandler

    private init(server: HTTPServer, handler: AdminHandler) {
        self.server = server
        self.handler = handler
    }

    /// Where it listens: `127.0.0.1:9090`, or `unix:` and the path of a socket.
    package var address: String {
        server.addresses.first?.text ?? ""
    }

    /// The URL of the dashboard; `nil` if it listens on a socket in the file system.
    package var url: String? {
        guard case .tcp? = server.addresses.first else { return nil }
        return "http://\(address)"
    }

    /// How many listen to events.
    package var listenerCount: Int { handler.events.count }

    /// Starts a server, which answers when this returns.
    ///
    /// - Parameters:
    ///   - token: The token that requests for changes must have. `nil` or empty: nothing can be changed.
    ///   - hostNames: The names, beside its addresses and `localhost`, under which browsers may ask for it.
    ///   - services: The parts of the proxy that it shows and changes.
    ///   - inherited: Sockets that the process has already.
    ///   - logger: Gets each purge, without the name of the purged entry.
    ///   - ticker: Measures the second between two events.
    /// - Throws: ``ProxyError`` if it cannot listen there.
    package static func start(
        address: CachingProxy.Configuration.Listener.Address,
        token: String?,
        hostNames: [String] = [],
        services: AdminServices,
        inherited: InheritedSockets? = nil,
        eventLoopGroup: (any EventLoopGroup)? = nil,
        logger: Logger,
        clock: any WallClock = SystemWallClock(),
        ticker: any Ticker = MonotonicTicker()
    ) async throws(ProxyError) -> AdminServer {
        let names: [String]?
        var configuration: HTTPServer.Configuration
        switch address.base {
        case .tcp(let host, let port):
            configuration = HTTPServer.Configuration(host: host, port: port)
            names = hostNames + [host]
        case .unix(let path):
            configuration = HTTPServer.Configuration(listeners: [.init(.unix(path: path))])
            // No browser connects to a file.
            names = nil
        }
        configuration.inheritedSockets = inherited
        configuration.maximumConnectionCount = 256
        configuration.maximumTargetByteCount = 64 << 10
        configuration.eventLoopGroup = eventLoopGroup
        let handler = AdminHandler(
            services: services,
            token: token.flatMap { AdminToken($0) },
            host: AdminHost(names: names),
            logger: logger,
            ticker: ticker
        )
        do {
            let server = try await HTTPServer.start(configuration, logger: logger, clock: clock) { await handler.respond(to: $0) }
            return AdminServer(server: server, handler: handler)
        } catch {
            throw ProxyError(.cannotListen, "The admin server cannot start. \(error.message)", underlyingError: error)
        }
    }

    /// Puts another token in the place of the present one, at once. `nil` or empty: nothing can be changed any more.
    package func replaceToken(_ token: String?) {
        handler.currentToken.replace(with: token.flatMap { AdminToken($0) })
    }

    /// Ends the streams of events at once, lets other requests end, and stops listening.
    ///
    /// - Parameter gracePeriod: How long requests may take to end.
    package func shutdown(gracePeriod: Duration = .seconds(2)) async {
        handler.events.close()
        await server.shutdown(gracePeriod: gracePeriod)
    }
}
