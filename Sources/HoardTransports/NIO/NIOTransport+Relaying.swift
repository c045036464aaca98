// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardHTTP
package import NIOCore

/// Takes a response by its bytes. Used on the event loop of the connection only. One of ``finish()`` and ``handOver(_:)`` is called, once.
package protocol RelayReceiver: AnyObject {
    /// Takes a response, if it is whole and `bytes` has nothing else.
    ///
    /// - Returns: `nil` if it is not taken, and no state has changed. It may be offered again when more has arrived.
    func take(_ bytes: ByteBuffer) -> TakenResponse?

    /// The exchange whose response was taken is over.
    func finish()

    /// The response is parsed, or has failed: this brings it.
    func handOver(_ exchange: SentExchange)
}

/// A response that was taken by its bytes.
package struct TakenResponse: Sendable {
    /// The time for which the origin keeps the connection if it is not used, if it says so.
    package let announcedIdleTime: Duration?

    /// - Parameter keepAlive: The value of `Keep-Alive`; `nil`: there is no such field.
    package init(keepAlive: String?) {
        announcedIdleTime = keepAlive.flatMap { ResponseFraming.idleTime([$0]) }
    }
}

/// An exchange whose request has been sent by its bytes.
package struct SentExchange: Sendable {
    let connection: ClientConnection
    let exchange: ClientExchange

    /// The final response, as ``NIOTransport/send(_:body:onInterimResponse:)`` returns it. To be called once.
    package func response(onInterimResponse: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        do {
            return try await connection.response(to: exchange, onInterimResponse: onInterimResponse)
        } catch {
            let error = exchange.asTransportError(error)
            guard error.progress == .unknown, exchange.isUnanswered else { throw error }
            throw TransportError(error.code, error.message, underlyingError: error.underlyingError, progress: .unanswered, stage: error.stage)
        }
    }
}

/// A connection to be used for one request that is sent by its bytes. Used on its event loop only.
package struct RelayConnection {
    fileprivate let connection: ClientConnection
    fileprivate let pool: ConnectionPool
    fileprivate let asTransportError: @Sendable (any Error) -> TransportError

    /// Sends a whole request.
    ///
    /// - Parameter request: A GET of HTTP/1.1 without content.
    /// - Returns: Whether it could be: the connection may have just ended.
    package func send(_ request: ByteBuffer, to receiver: any RelayReceiver) -> Bool {
        connection.relay(request, to: receiver, asTransportError: asTransportError)
    }

    /// Has the response parsed, whatever has come of it.
    package func handOver() { connection.handOverRelay() }

    /// There is no request.
    package func giveBack() { pool.connectionReleased(connection) }
}

extension NIOTransport {
    /// An idle connection of the event loop on which the caller runs, if there is one that carries one exchange at a time. Never suspends.
    package func relayConnection(to server: OriginServer) -> RelayConnection? {
        guard let connection = pool.leaseIdle(server) else { return nil }
        return RelayConnection(connection: connection, pool: pool) { [timeouts] in
            TransportError($0, origin: Destination(server), timeouts: timeouts)
        }
    }
}
