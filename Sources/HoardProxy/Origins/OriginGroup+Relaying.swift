// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import HoardTransports
internal import NIOCore
internal import Synchronization

extension OriginGroup {
    /// A server and a connection to it for a request that is sent by its bytes.
    struct RelayTicket {
        let ticket: OriginGroupStateMachine.Ticket
        let connection: RelayConnection
        let origin: Origin
        let start: Int64
    }

    /// Chooses a server for a request that is sent by its bytes. One that is only tried, or to which the event loop has no connection, is not chosen. Never suspends.
    func relayTicket() -> RelayTicket? {
        let now = ticker.nanoseconds()
        guard let ticket = machine.withLock({ $0.choose(at: now, isRepeatable: true) }) else { return nil }
        let link = links[ticket.server]
        guard !ticket.isProbe, link.origin.basePath.isEmpty, let connection = link.relayConnection() else {
            machine.withLock { $0.withdraw(ticket) }
            return nil
        }
        return RelayTicket(ticket: ticket, connection: connection, origin: link.origin, start: now)
    }

    /// The request is not sent by its bytes after all.
    ///
    /// - Parameter givesBack: Whether the connection is still there.
    func withdraw(_ ticket: RelayTicket, givesBack: Bool = true) {
        if givesBack { ticket.connection.giveBack() }
        machine.withLock { $0.withdraw(ticket.ticket) }
    }

    /// The request has been sent.
    func sent(_ ticket: RelayTicket) { machine.withLock { $0.requestStarted() } }

    /// The whole response has been taken.
    func answered(_ ticket: RelayTicket) {
        let now = ticker.nanoseconds()
        note(ticket.ticket.server) { machine in
            machine.answered(ticket.ticket, after: now - ticket.start)
            machine.ended(ticket.ticket, .complete, at: now)
        }
    }
}

/// A request that was sent by its bytes, whose response is parsed.
final class RelayedRequest: Sendable {
    struct Sent: Sendable {
        let ticket: OriginGroupStateMachine.Ticket
        let exchange: SentExchange
        let start: Int64
    }

    private let sent: Mutex<Sent?>

    init(_ exchange: SentExchange, _ ticket: OriginGroup.RelayTicket) {
        sent = Mutex(Sent(ticket: ticket.ticket, exchange: exchange, start: ticket.start))
    }

    /// The first try. Given once: the next one has to be sent.
    func take() -> Sent? { sent.withLock { $0.take() } }
}
