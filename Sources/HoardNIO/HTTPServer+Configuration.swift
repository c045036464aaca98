// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

extension HTTPServer {
    /// The addresses and the limits of a server.
    package struct Configuration: Sendable {
        /// Where to listen. Default: any free port of `127.0.0.1`, which other machines cannot reach.
        package var listeners: [Listener]
        /// Sockets for these addresses that the process has already. `nil`: none.
        package var inheritedSockets: InheritedSockets?
        /// The most connections that may wait to be accepted. Default: 1,024.
        package var backlog = 1_024
        /// The most connections that are served at once. While there are so many, no other is accepted: new ones wait in the backlog. Default: 10,000.
        package var maximumConnectionCount = 10_000
        /// How many of them one address may have; an IPv6 address stands for its network of 64 bits. More are closed at once. `nil`: any number. Default: `nil`.
        package var maximumConnectionCountPerAddress: Int?
        /// The most streams that an HTTP/2 connection may have at once. Default: 100.
        package var maximumStreamCount = 100

        /// The longest time for which a connection may be idle between two requests. Default: 60 seconds.
        package var idleTimeout = Duration.seconds(60)
        /// The longest time that the head of a request may take, from its first byte; for a connection's first request, from the connection. Default: 30 seconds.
        package var headTimeout = Duration.seconds(30)
        /// The longest time for which a client may send nothing while its request's content is waited for. Default: 60 seconds.
        package var bodyTimeout = Duration.seconds(60)
        /// The longest time for which a client may take none of its response. Noticed up to a quarter later. Default: 60 seconds.
        package var writeTimeout = Duration.seconds(60)
        /// The time for which a client has to close its side after the server has closed its own. Default: 2 seconds.
        package var lingerTimeout = Duration.seconds(2)
        /// The lowest rate in bytes per second, on average over half a minute, at which a client may send a request's content or take its response
        /// while the server waits for it. Slower clients are cut off. 0: no limit. Default: 0.
        package var minimumBytesPerSecond = 0

        /// Whether requests may open WebSockets, and for how long. `nil`: no request does. Default: `nil`.
        package var webSockets: WebSockets?

        /// The longest request target, in bytes; longer ones get 414, or 431 if they are longer than the header limit too. Default: 16 KiB.
        package var maximumTargetByteCount = 16 * 1_024
        /// The most bytes in the names and values of a request's fields; more get 431. Default: 64 KiB.
        package var maximumHeaderByteCount = 64 * 1_024
        /// The most fields in a request; more get 431. Default: 256.
        package var maximumHeaderFieldCount = 256
        /// The longest content of a request, in bytes; longer ones get 413. `nil`: any length. Default: `nil`.
        package var maximumRequestContentByteCount: Int?
        /// How much of a request's content is held while no reader takes it, plus the bytes of one read from the
        /// network. Default: 64 KiB.
        package var bodyBufferByteCount = 64 * 1_024
        /// How much of a request's content is dropped, after a response that did not wait for it, to save the connection. Default: 64 KiB.
        package var maximumDrainByteCount = 64 * 1_024

        /// The threads to work on. `nil` for NIO's shared ones. Default: `nil`.
        ///
        /// Handlers run on these threads until they suspend, and must not block them.
        package var eventLoopGroup: (any EventLoopGroup)?

        /// How long WebSockets may last. Their content has no limit.
        package struct WebSockets: Sendable, Hashable {
            /// The longest time for which nothing may pass, in either direction. Noticed up to a quarter later. Default: one hour.
            package var idleTimeout = Duration.seconds(3_600)
            /// How long one may be open. `nil`: any time. Default: `nil`.
            package var totalTimeout: Duration?

            package init() {}
        }

        /// The time in which a client may send no more than so many frames that cost the server much, such as those that reset streams: 30 seconds.
        package var http2RateWindow = Duration.seconds(30)

        package init(host: String = "127.0.0.1", port: Int = 0) {
            self.init(listeners: [Listener(.tcp(host: host, port: port))])
        }

        package init(listeners: [Listener]) {
            self.listeners = listeners
        }
    }
}

extension HTTPServer.Configuration {
    /// - Throws: ``HTTPServerError`` with a sentence that names the setting.
    func validate() throws(HTTPServerError) {
        guard !listeners.isEmpty else { throw HTTPServerError(.invalidConfiguration, "The server has no address to listen on.") }
        for listener in listeners { try listener.address.validate() }
        try validateLimits()
    }

    /// - Throws: ``HTTPServerError`` with a sentence that names the setting.
    func validateLimits() throws(HTTPServerError) {
        let counts = [
            ("backlog", backlog), ("maximumConnectionCount", maximumConnectionCount), ("maximumTargetByteCount", maximumTargetByteCount),
            ("maximumHeaderByteCount", maximumHeaderByteCount), ("maximumHeaderFieldCount", maximumHeaderFieldCount),
            ("bodyBufferByteCount", bodyBufferByteCount), ("maximumStreamCount", maximumStreamCount),
            ("maximumConnectionCountPerAddress", maximumConnectionCountPerAddress ?? 1),
        ]
        for (name, count) in counts where count < 1 {
            throw HTTPServerError(.invalidConfiguration, "The setting \(name) is \(count); it must be at least 1.")
        }
        let amounts = [
            ("maximumDrainByteCount", maximumDrainByteCount), ("minimumBytesPerSecond", minimumBytesPerSecond),
            ("maximumRequestContentByteCount", maximumRequestContentByteCount ?? 0),
        ]
        for (name, amount) in amounts where amount < 0 {
            throw HTTPServerError(.invalidConfiguration, "The setting \(name) is \(amount); it must not be negative.")
        }
        let timeouts = [
            ("idleTimeout", idleTimeout), ("headTimeout", headTimeout), ("bodyTimeout", bodyTimeout), ("writeTimeout", writeTimeout),
            ("lingerTimeout", lingerTimeout), ("webSockets.idleTimeout", webSockets?.idleTimeout ?? idleTimeout),
            ("webSockets.totalTimeout", webSockets?.totalTimeout ?? idleTimeout),
        ]
        for (name, timeout) in timeouts where timeout <= .zero {
            throw HTTPServerError(.invalidConfiguration, "The setting \(name) is \(timeout); it must be longer than zero.")
        }
    }
}

extension HTTPServer.Listener.Address {
    fileprivate func validate() throws(HTTPServerError) {
        switch self {
        case .tcp(let host, let port):
            guard (0...65_535).contains(port) else {
                throw HTTPServerError(.invalidAddress, "Cannot listen on \(host) port \(port): a port is a number from 0 to 65535.")
            }
            guard !host.isEmpty else { throw HTTPServerError(.invalidAddress, "Cannot listen on port \(port): the host is empty.") }
        case .unix(let path):
            guard !path.isEmpty else { throw HTTPServerError(.invalidAddress, "Cannot listen on a socket: its path is empty.") }
        }
    }
}
