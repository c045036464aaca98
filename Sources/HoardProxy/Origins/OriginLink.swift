// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardTransports

/// The way to one server of an upstream.
struct OriginLink: Sendable {
    let origin: Origin
    /// For requests.
    let transport: any ReconnectingTransport
    /// For checks, which must not wait for connections that requests use.
    let checkTransport: any Transport
    /// For WebSockets, whose connections serve nothing else.
    let webSocketTransport: any ReconnectingTransport
    let connectionCount: @Sendable () -> Int
    /// A connection of the event loop on which the caller runs, for a request that is sent by its bytes; `nil`: there is none now.
    let relayConnection: @Sendable () -> RelayConnection?

    init(
        _ origin: Origin,
        transport: any ReconnectingTransport,
        checkTransport: any Transport,
        webSocketTransport: (any ReconnectingTransport)? = nil,
        connectionCount: @escaping @Sendable () -> Int = { 0 },
        relayConnection: @escaping @Sendable () -> RelayConnection? = { nil }
    ) {
        self.origin = origin
        self.transport = transport
        self.checkTransport = checkTransport
        self.webSocketTransport = webSocketTransport ?? transport
        self.connectionCount = connectionCount
        self.relayConnection = relayConnection
    }
}

/// Sends all requests to one server, whatever their authority is.
struct FixedTransport: ReconnectingTransport {
    let base: NIOTransport
    let server: OriginServer

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try await base.send(request, body: body, to: server, onNewConnection: false, onInterimResponse: onInterimResponse)
    }

    func sendOnNewConnection(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try await base.send(request, body: body, to: server, onNewConnection: true, onInterimResponse: onInterimResponse)
    }
}
