// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import Hoard
package import HoardHTTP
internal import HoardTransports
internal import Synchronization

extension OriginGroup: Transport {
    /// Sends a request to one of the servers, and to another one, or again, if that is safe.
    ///
    /// The request has the first server's scheme, authority and base path, or the host that the client asked for, if servers get that. The chosen server's take
    /// their place. Servers are told nothing of the client: ``transport(for:)`` does.
    ///
    /// - Throws: ``TransportError`` of the last try; one with the code `cannotConnect`, at once, if no server takes requests now.
    package func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        try await send(request, body: body, after: nil, onInterimResponse: onInterimResponse)
    }

    /// The same, for a request that may have been sent once already.
    ///
    /// - Parameter sent: The first try, if it has been made.
    fileprivate func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        after sent: RelayedRequest.Sent?,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var sent = sent
        let upload = WatchedUpload(body)
        let content = upload.content
        let isStreamed = !upload.canBeRepeated
        let isRepeatable = !isStreamed && request.method.isIdempotent
        var retriesLeft = upstream.maximumRetryCount
        var tried: Set<Int> = []
        var lossCount = 0
        let start = ticker.nanoseconds()
        var chosen =
            sent?.ticket
            ?? machine.withLock { machine in
                machine.requestStarted()
                return machine.choose(at: start, isRepeatable: isRepeatable, isStreamed: isStreamed)
            }
        guard var ticket = chosen else { throw nothingTakesRequests(at: start) }
        var onNewConnection = false
        while true {
            let error: TransportError
            do {
                return try await send(request, content, ticket, after: sent.take(), onNewConnection: onNewConnection, onInterimResponse)
            } catch let thrown {
                error = thrown
            }
            guard !Task.isCancelled else { throw error }
            let next = RetryRule.next(
                after: error,
                method: request.method,
                canRepeatContent: upload.canBeRepeated,
                isContentUnread: upload.isUnread
            )
            guard next != .giveUp else { throw error }
            // Where several were lost with a connection, each is sent again, in the end on one of its own, whatever the
            // budget says: a client that causes that could use it up.
            var isApart = false
            if case .apart(let afterAnother) = next {
                lossCount += 1
                isApart = true
                guard upstream.maximumRetryCount > 0, lossCount <= 3 else { throw error }
                onNewConnection = !afterAnother || lossCount > 1
            } else {
                onNewConnection = next == .sameServer
            }
            // A server that could not be reached has not been sent anything, so that trying another is not sending again. It is tried once.
            if next == .standIn { tried.insert(ticket.server) } else if !isApart { retriesLeft -= 1 }
            guard retriesLeft >= 0 else { throw error }
            let (now, server) = (ticker.nanoseconds(), ticket.server)
            chosen = machine.withLock { [tried, isApart] machine in
                let other: OriginGroupStateMachine.Ticket?
                switch next {
                case .giveUp: return nil
                case .sameServer: other = machine.send(to: server, at: now)
                case .apart:
                    other = machine.send(to: server, at: now) ?? machine.choose(at: now, excluding: [server], isRepeatable: isRepeatable)
                case .standIn, .otherServer:
                    other = machine.choose(at: now, excluding: tried.union([server]), isRepeatable: isRepeatable, isStreamed: isStreamed)
                case .anyServer:
                    other =
                        machine.choose(at: now, excluding: tried.union([server]), isRepeatable: isRepeatable, isStreamed: isStreamed)
                        ?? machine.send(to: server, at: now)
                }
                guard let other else { return nil }
                guard isApart || machine.mayRetry(at: now) else {
                    machine.withdraw(other)
                    return nil
                }
                return other
            }
            guard let chosen else { throw error }
            ticket = chosen
        }
    }

    /// Returns a client as the servers are told of it; `nil` if they are told nothing.
    ///
    /// The servers are told the host that the client asked for only if they get it as theirs, too. Otherwise it is no part of the cache's key, and a server that
    /// made links of it would let any client decide the content that others get.
    ///
    /// - Parameters:
    ///   - address: The client's IP address.
    ///   - scheme: `http` or `https`.
    ///   - host: The host that the client asked for, with its port if there was one.
    package func client(address: String, scheme: String, host: String?) -> ForwardedClient? {
        upstream.tellsOfClient ? ForwardedClient(address: address, scheme: scheme, host: upstream.forwardsHost ? host : nil) : nil
    }

    /// The group as it is used for one client's request, of whom the servers are told.
    ///
    /// - Parameter client: The result of ``client(address:scheme:host:)``; `nil` if servers are told nothing about the client.
    package func transport(for client: ForwardedClient?) -> any Transport { transport(for: client, after: nil) }

    /// The same, for a request that has been sent already.
    func transport(for client: ForwardedClient?, after relayed: RelayedRequest?) -> any Transport {
        if client == nil, relayed == nil { return self }
        return ClientTransport(group: self, client: client, relayed: relayed)
    }

    private func send(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ ticket: OriginGroupStateMachine.Ticket,
        after sent: RelayedRequest.Sent?,
        onNewConnection: Bool,
        _ onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        let (link, start) = (links[ticket.server], sent?.start ?? ticker.nanoseconds())
        let transport = request.opensWebSocket ? link.webSocketTransport : link.transport
        let request = addressed(request, to: link.origin)
        var response: TransportResponse
        do {
            if let sent {
                response = try await sent.exchange.response(onInterimResponse: onInterimResponse)
            } else if onNewConnection {
                response = try await transport.sendOnNewConnection(request, body: body, onInterimResponse: onInterimResponse)
            } else {
                response = try await transport.send(request, body: body, onInterimResponse: onInterimResponse)
            }
        } catch {
            ended(ticket, error)
            throw error
        }
        let time = ticker.nanoseconds() - start
        note(ticket.server) { $0.answered(ticket, after: time) }
        let isWebSocket = request.opensWebSocket && response.head.status == .switchingProtocols
        response.body = CountedBody.counting(response.body) { [self] error in
            // However a WebSocket ends, the server has answered: clients can make it end it in any way.
            if let error, !isWebSocket { ended(ticket, error) } else { note(ticket.server) { $0.ended(ticket, .complete, at: ticker.nanoseconds()) } }
        }
        return response
    }

    /// Drops the response to a request that has been sent, since no caller wants it. It is counted like any other, and dropped unread, which ends its exchange.
    func drop(_ sent: RelayedRequest.Sent) async {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        _ = try? await send(request, .empty, sent.ticket, after: sent, onNewConnection: false, nil)
    }

    private func ended(_ ticket: OriginGroupStateMachine.Ticket, _ error: TransportError) {
        note(ticket.server) { $0.ended(ticket, error.failureOfServer.map { .failed($0) } ?? .abandoned, at: ticker.nanoseconds()) }
    }

    /// The request as a server gets it.
    private func addressed(_ request: HTTPRequest, to origin: Origin) -> HTTPRequest {
        var request = request
        request.scheme = origin.scheme
        if !upstream.forwardsHost { request.authority = origin.authority }
        if let path = request.path, let first = links.first?.origin, first.basePath != origin.basePath, path.hasPrefix(first.basePath) {
            request.path = origin.basePath + path.dropFirst(first.basePath.count)
        }
        return request
    }

    private func nothingTakesRequests(at now: Int64) -> TransportError {
        let next = machine.withLock { $0.nextTry(at: now) }
        let seconds = max(0, next - now - 1) / 1_000_000_000 + 1
        return TransportError(
            .cannotConnect,
            "No server of the upstream “\(upstream.name)” answers as it should; the next try is made in \(seconds) s.",
            underlyingError: UpstreamOutage(),
            progress: .notProcessed,
            stage: .connecting
        )
    }
}

/// The reason why a request was refused at once: no server of its upstream is known to work. The group has logged when
/// that began.
package struct UpstreamOutage: Error {}

/// Sends a client's requests: adds the fields that describe the client to servers, behind the cache, and takes earlier
/// attempts into account.
private struct ClientTransport: Transport {
    let group: OriginGroup
    /// `nil`: they are told nothing.
    let client: ForwardedClient?
    let relayed: RelayedRequest?

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var request = request
        client?.addFields(to: &request)
        var response = try await group.send(request, body: body, after: relayed?.take(), onInterimResponse: onInterimResponse)
        if client != nil { ForwardedClient.confine(&response.head) }
        return response
    }
}
