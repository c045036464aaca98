// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The order in which wanted images are loaded. Knows nothing of tasks.
struct PrefetchQueue: Sendable {
    /// An image whose turn it is.
    struct Load: Sendable {
        var request: ImageRequest
        var priority: TaskPriority
        var ticket: Int
    }

    private struct Entry: Sendable {
        /// The number of times that the image is wanted.
        var count = 1
        var priority: TaskPriority
        /// Newer than every ticket before it.
        var ticket: Int
        var isWaiting = true
    }

    /// Tickets in their order. Those that are void are skipped when their turn comes.
    private struct Line: Sendable {
        private var tickets: [(ticket: Int, request: ImageRequest)] = []
        private var start = 0

        mutating func append(_ ticket: Int, _ request: ImageRequest) { tickets.append((ticket, request)) }

        /// The first that is valid, which stays.
        mutating func first(where isValid: (Int, ImageRequest) -> Bool) -> (ticket: Int, request: ImageRequest)? {
            while start < tickets.count, !isValid(tickets[start].ticket, tickets[start].request) { start += 1 }
            // Half of them are behind: each is moved once at most, on average.
            if start > 32, start * 2 > tickets.count {
                tickets.removeSubrange(..<start)
                start = 0
            }
            return start < tickets.count ? tickets[start] : nil
        }

        var count: Int { tickets.count - start }

        mutating func keep(where isValid: (Int, ImageRequest) -> Bool) {
            tickets = tickets[start...].filter { isValid($0.ticket, $0.request) }
            start = 0
        }
    }

    private var entries: [ImageRequest: Entry] = [:]
    /// By the raw values of priorities.
    private var lines: [UInt8: Line] = [:]
    private var lastTicket = 0
    private(set) var waitingCount = 0

    /// The number of tickets, void ones included. For tests.
    var ticketCount: Int { lines.values.reduce(0) { $0 + $1.count } }

    init() {}

    /// An empty queue whose tickets are newer than those of another.
    init(after other: PrefetchQueue) { lastTicket = other.lastTicket }

    /// Amortised O(1).
    mutating func want(_ request: ImageRequest, _ priority: TaskPriority) {
        if var entry = entries[request] {
            entry.count += 1
            let isPromoted = entry.isWaiting && priority > entry.priority
            if isPromoted { (entry.priority, entry.ticket) = (priority, newTicket()) }
            entries[request] = entry
            if isPromoted { append(entry.ticket, request, priority) }
            return
        }
        let ticket = newTicket()
        entries[request] = Entry(priority: priority, ticket: ticket)
        waitingCount += 1
        append(ticket, request, priority)
    }

    /// O(1).
    ///
    /// - Returns: The ticket of the load, if it was under way and no caller wants it any more.
    mutating func unwant(_ request: ImageRequest) -> Int? {
        guard var entry = entries[request] else { return nil }
        entry.count -= 1
        if entry.count > 0 {
            entries[request] = entry
            return nil
        }
        entries[request] = nil
        if entry.isWaiting { waitingCount -= 1 }
        return entry.isWaiting ? nil : entry.ticket
    }

    /// The image that is next: of the highest priority, the one that has waited longest. Amortised O(*p*) in the number of priorities.
    mutating func takeNext() -> Load? {
        for priority in lines.keys.sorted(by: >) {
            guard let (ticket, request) = first(priority) else { continue }
            entries[request]?.isWaiting = false
            waitingCount -= 1
            return Load(request: request, priority: TaskPriority(rawValue: priority), ticket: ticket)
        }
        return nil
    }

    /// The load has ended. An image that has been wanted again since then has another ticket.
    mutating func end(_ load: Load) {
        if entries[load.request]?.ticket == load.ticket { entries[load.request] = nil }
    }

    /// Forgets those that have waited longest, of the lowest priority first.
    mutating func dropOldest(keeping limit: Int) {
        for priority in lines.keys.sorted() {
            while waitingCount > limit, let (_, request) = first(priority) {
                entries[request] = nil
                waitingCount -= 1
            }
        }
    }

    private mutating func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    private mutating func append(_ ticket: Int, _ request: ImageRequest, _ priority: TaskPriority) {
        var line = lines[priority.rawValue].take() ?? Line()
        line.append(ticket, request)
        // A list that is scrolled to and fro while nothing can be loaded leaves void tickets.
        if line.count > 2 * waitingCount + 64 { line.keep(where: Self.isWaiting(in: entries)) }
        lines[priority.rawValue] = line
    }

    /// The first that waits with a priority.
    private mutating func first(_ priority: UInt8) -> (ticket: Int, request: ImageRequest)? {
        let first = lines[priority]?.first(where: Self.isWaiting(in: entries))
        if first == nil { lines[priority] = nil }
        return first
    }

    private static func isWaiting(in entries: [ImageRequest: Entry]) -> (Int, ImageRequest) -> Bool {
        { ticket, request in entries[request].map { $0.ticket == ticket && $0.isWaiting } ?? false }
    }
}
