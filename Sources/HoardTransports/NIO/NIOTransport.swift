// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP

/// Sends requests over HTTP/1.1 on SwiftNIO, without another client in between.
///
/// ```swift
/// let transport = NIOTransport()
/// let client = CachingClient(transport: transport)
/// …
/// await transport.shutdown()
/// ```
///
/// It sends the request as given: it adds no fields but `Host`, which is the request's authority, and those that frame the content. It follows no
/// redirects, decodes no content, keeps no cookies and uses no proxy. It leaves out the fields that belong to a connection, since the connections are
/// its own: `Connection` and the fields it names, `Keep-Alive`, `Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding` and `Upgrade`. It also
/// leaves out fields for a proxy, such as `Proxy-Authorization`, since there is none, and `Expect`, since it sends the content without waiting.
///
/// Interim responses are passed on, and fields behind the content are in ``HTTPBody/trailers``. A response that could be read in more than one way is an
/// error, and its connection is closed: both `Content-Length` and `Transfer-Encoding`, for example, or control characters in a field.
///
/// Connections are kept for later requests to the same origin. A request that is lost on a kept connection, because the origin closes it at that
/// moment, is not repeated here. Its error says so (``TransportError/mayRetry``), and ``CachingClient`` repeats it on a new connection if it is
/// idempotent. One that finds its connection closed before any of it was written goes out on another.
public final class NIOTransport: Transport {
    let pool: ConnectionPool
    let timeouts: TransportError.Timeouts
    private let version: Version

    /// Makes a transport with the default settings.
    public convenience init() {
        self.init(Configuration(), connector: ClientConnector())
    }

    /// Makes a transport.
    ///
    /// - Throws: ``TransportError`` if the file of trust roots cannot be read, or a setting makes no sense.
    public convenience init(configuration: Configuration) throws(TransportError) {
        try configuration.validate()
        self.init(configuration, connector: try ClientConnector(configuration))
    }

    private init(_ configuration: Configuration, connector: ClientConnector) {
        pool = ConnectionPool(connector: connector, configuration: configuration)
        version = configuration.version
        timeouts = TransportError.Timeouts(
            connect: configuration.connectTimeout,
            read: configuration.readTimeout,
            response: configuration.responseTimeout
        )
    }

    /// Idle connections are closed. Bodies that are still being read keep the connections they need until then.
    deinit {
        pool.retire()
    }

    /// Sends `request`, whose scheme, authority and path are all present.
    ///
    /// The content of the request is read while it is sent. If its length is not known it is sent in chunks.
    ///
    /// - Parameter onInterimResponse: Gets interim responses in their order. The final one is not looked at while it runs.
    /// - Returns: The final response, as soon as its head has arrived. Its body is read from the network as it is consumed, can be read once, and
    ///   fails with ``TransportError`` if the origin does not send all of it. Dropping it unread closes the connection, unless little is missing.
    /// - Throws: ``TransportError`` if no response head arrived, with a sentence that names host and port.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: body, to: nil, onNewConnection: false, onInterimResponse: onInterimResponse)
    }

    /// Sends `request` to a server that need not be its authority.
    ///
    /// - Parameters:
    ///   - server: Where the connection goes, and whose name its certificate must bear. The request's authority is only told to it, as its `Host`.
    ///     `nil`: the authority.
    ///   - onNewConnection: The connection must not have served anything yet.
    ///
    /// A request for a WebSocket, in the form of HTTP/2 (``HTTPTypes/HTTPRequest/opensWebSocket``), goes out in that of HTTP/1.1. If the origin opens it, the response
    /// has the status 101, its body has the bytes that the origin sends through it, and `body` is sent as it is read.
    /// Such a connection serves nothing else.
    package func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        to server: OriginServer?,
        onNewConnection: Bool,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let origin = try Destination(of: request, allowsWebSocket: version == .http1)
        let outgoing = OutgoingRequest(request, body: body, to: origin)
        let place = server.map { Destination($0) } ?? origin
        let asTransportError: @Sendable (any Error) -> TransportError = { [timeouts] in TransportError($0, origin: place, timeouts: timeouts) }
        var wantsFresh = onNewConnection || request.opensWebSocket
        while true {
            let connection: ClientConnection
            do {
                connection = try await pool.lease(server ?? origin.server, wantsFresh: wantsFresh)
            } catch {
                throw asTransportError(error).beforeSending
            }
            let exchange = ClientExchange(outgoing, wantsInterimResponses: onInterimResponse != nil, asTransportError: asTransportError)
            do {
                return try await connection.run(exchange, onInterimResponse: onInterimResponse)
            } catch {
                guard !wantsFresh, error as? ExchangeError == .stale(wasSent: false) else {
                    throw TransportError(error, origin: place, timeouts: timeouts, isUnanswered: exchange.isUnanswered)
                }
                wantsFresh = true
            }
        }
    }

    /// How many connections to a server are open.
    package func connectionCount(to server: OriginServer) -> Int {
        pool.connectionCount(to: server)
    }

    /// Closes the connections and refuses further requests. Exchanges in progress fail. Calling it again is harmless.
    public func shutdown() async {
        await pool.shutDown()
    }
}

extension NIOTransport: ReconnectingTransport {
    package func sendOnNewConnection(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: body, to: nil, onNewConnection: true, onInterimResponse: onInterimResponse)
    }
}

extension TransportError {
    /// The same error, of an exchange of which nothing was sent.
    fileprivate var beforeSending: TransportError {
        TransportError(code, message, underlyingError: underlyingError, progress: .notProcessed, stage: stage ?? .connecting)
    }
}
