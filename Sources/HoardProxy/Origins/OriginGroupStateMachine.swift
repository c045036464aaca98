// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// Decides which server of an upstream gets a request, and whether one may be sent again; does no I/O.
struct OriginGroupStateMachine: Sendable {
    struct Server: Sendable {
        fileprivate(set) var health: OriginHealth
        fileprivate(set) var inProgressCount = 0
        fileprivate(set) var requestCount: UInt64 = 0
        fileprivate(set) var failureCount: UInt64 = 0
        /// In nanoseconds.
        fileprivate(set) var meanResponseTime: Double?
    }

    /// A request that was sent to a server.
    struct Ticket: Sendable {
        let server: Int
        fileprivate let permit: OriginHealth.Permit
        var isProbe: Bool { permit.isProbe }
    }

    private(set) var servers: [Server]
    private(set) var budget: RetryBudget
    /// Where the search for the least busy server begins, so that equals are taken in turn.
    private var nextServer = 0

    init(serverCount: Int, settings: OriginHealth.Settings, now: Int64) {
        servers = (0..<serverCount).map { _ in Server(health: OriginHealth(settings: settings)) }
        budget = RetryBudget(at: now)
    }

    /// A request is about to be sent for the first time.
    mutating func requestStarted() {
        budget.requestStarted()
    }

    /// Whether a request may be sent again. If so, that counts.
    mutating func mayRetry(at now: Int64) -> Bool {
        budget.take(at: now)
    }

    /// The server for a request.
    ///
    /// It chooses in this order: first a server whose probe is due, if the request could be sent to another one after it; then the healthy one with
    /// the fewest requests in progress. Then comes one that may be probed, and last one that answers but fails its checks.
    ///
    /// - Parameters:
    ///   - excluded: Servers that have been tried.
    ///   - isRepeatable: The request can be sent to another server if this one fails.
    ///   - isStreamed: The request's content comes from the client while it is sent, at the client's pace. Such a request is a probe only if no other has come
    ///     for a while.
    /// - Returns: `nil` if no server takes requests now.
    mutating func choose(at now: Int64, excluding excluded: Set<Int> = [], isRepeatable: Bool, isStreamed: Bool = false) -> Ticket? {
        let orders: [OriginHealth.Availability] =
            isRepeatable
            ? [.probeDue(isRejected: false), .usable(isRejected: false), .usable(isRejected: true), .probeDue(isRejected: true)]
            : [.usable(isRejected: false), .probeDue(isRejected: false), .usable(isRejected: true), .probeDue(isRejected: true)]
        for wanted in orders {
            guard let index = leastBusy(wanted, at: now, excluding: excluded, isStreamed: isStreamed) else { continue }
            nextServer = (index + 1) % servers.count
            return send(to: index, at: now)
        }
        return nil
    }

    /// Sends a request to a given server once more, if that takes requests.
    mutating func send(to index: Int, at now: Int64) -> Ticket? {
        guard let permit = servers[index].health.admit(at: now) else { return nil }
        servers[index].inProgressCount += 1
        servers[index].requestCount += 1
        return Ticket(server: index, permit: permit)
    }

    /// When the next server can be tried, if none takes requests now.
    func nextTry(at now: Int64) -> Int64 {
        servers.map { if case .refusing(let until) = $0.health.availability(at: now) { until } else { now } }.min() ?? .max
    }

    /// The head of a response has arrived.
    mutating func answered(_ ticket: Ticket, after nanoseconds: Int64) {
        servers[ticket.server].health.answered(ticket.permit)
        let time = Double(max(0, nanoseconds))
        servers[ticket.server].meanResponseTime = servers[ticket.server].meanResponseTime.map { $0 + (time - $0) / 8 } ?? time
    }

    enum Ending: Hashable, Sendable {
        /// The response has arrived to its end, or its reader has gone.
        case complete
        /// The server has failed, before the head of the response or behind it.
        case failed(OriginHealth.Failure)
        /// It was not the server's fault.
        case abandoned
    }

    /// A request has ended. To be told once.
    mutating func ended(_ ticket: Ticket, _ ending: Ending, at now: Int64) {
        servers[ticket.server].inProgressCount -= 1
        switch ending {
        case .complete:
            break
        case .failed(let failure):
            servers[ticket.server].failureCount += 1
            let hasStandIn = servers.indices.contains { $0 != ticket.server && servers[$0].health.isClosed }
            servers[ticket.server].health.failed(ticket.permit, failure, hasStandIn: hasStandIn, at: now)
        case .abandoned:
            servers[ticket.server].health.abandoned(ticket.permit)
        }
    }

    /// A request will not be sent after all. The server's turn stays its own.
    mutating func withdraw(_ ticket: Ticket) {
        if nextServer == (ticket.server + 1) % servers.count { nextServer = ticket.server }
        servers[ticket.server].inProgressCount -= 1
        servers[ticket.server].requestCount -= 1
        servers[ticket.server].health.abandoned(ticket.permit)
    }

    /// A check of a server's health has ended.
    mutating func checked(_ server: Int, _ result: OriginHealth.CheckResult, at now: Int64) {
        servers[server].health.checked(result, at: now)
    }

    private func leastBusy(_ wanted: OriginHealth.Availability, at now: Int64, excluding excluded: Set<Int>, isStreamed: Bool) -> Int? {
        var best: Int?
        for offset in servers.indices {
            let index = (nextServer + offset) % servers.count
            guard !excluded.contains(index), servers[index].health.availability(at: now) == wanted,
                best.map({ servers[index].inProgressCount < servers[$0].inProgressCount }) ?? true
            else { continue }
            if isStreamed, case .probeDue = wanted, !servers[index].health.isProbeOverdue(at: now) { continue }
            best = index
        }
        return best
    }
}
