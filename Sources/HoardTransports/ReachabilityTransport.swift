// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import HoardHTTP

/// Tells whether the network can be used.
///
/// `PathReachability` asks Apple's systems. Tests and other systems bring their own.
public protocol Reachability: Sendable {
    /// Whether a request has a chance now. Asked for each request, on any thread; does not wait.
    var isReachable: Bool { get }
}

/// Fails at once while the network is away, and sends requests through another transport otherwise.
///
/// ```swift
/// let client = CachingClient(transport: ReachabilityTransport(NIOTransport(), reachability: PathReachability()))
/// ```
///
/// Without it, each request of a device that is offline waits until the system gives up. With it, a cache that may use a stale response as a stand-in does so without delay. Requests
/// to the device itself (`localhost`, `127.0.0.0/8`, `[::1]`) are always sent. So are all requests once the network is back, whatever became of those before.
public struct ReachabilityTransport: Transport {
    private let transport: any Transport
    private let reachability: any Reachability

    /// Puts a look at the network in front of a transport.
    public init(_ transport: any Transport, reachability: any Reachability) {
        self.transport = transport
        self.reachability = reachability
    }

    /// - Throws: ``TransportError`` with the code `cannotConnect`, if the network is away; the errors of the other
    ///   transport.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try checkThatNetworkIsThere(for: request)
        return try await transport.send(request, body: body, onInterimResponse: onInterimResponse)
    }

    private func checkThatNetworkIsThere(for request: HTTPRequest) throws(TransportError) {
        if reachability.isReachable { return }
        let origin = try Destination(of: request)
        guard origin.isThisDevice else {
            throw TransportError(.cannotConnect, "The network is away, so that \(origin.name) was not asked.", progress: .notProcessed)
        }
    }
}

extension ReachabilityTransport: ReconnectingTransport {
    /// On a new connection if the other transport can do that.
    package func sendOnNewConnection(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        guard let transport = transport as? any ReconnectingTransport else {
            return try await send(request, body: body, onInterimResponse: onInterimResponse)
        }
        try checkThatNetworkIsThere(for: request)
        return try await transport.sendOnNewConnection(request, body: body, onInterimResponse: onInterimResponse)
    }
}
