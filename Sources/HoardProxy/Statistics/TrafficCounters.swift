// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import HoardNIO

/// The counters of exchanges. They only ever grow, so that the difference of two states is the traffic between them.
struct TrafficCounters: Sendable, Hashable {
    /// By the raw values of the outcomes.
    private var outcomes = SIMD16<Int>()
    /// By the first digit of the status; 0 for requests without one.
    private var statuses = SIMD8<Int>()
    /// Requests that were refused before they reached the proxy's handler.
    private(set) var refusals = 0
    /// Failures, and responses with a status of 500 or more.
    private(set) var errors = 0
    /// Bytes of content sent to clients.
    private(set) var bytesServed = 0
    /// Those of them that the origin sent for the request.
    private(set) var bytesFromOrigin = 0
    /// Those of them that the origin did not have to send for the request.
    private(set) var bytesSaved = 0

    var requests: Int { outcomes.wrappedSum() + refusals }
    var hits: Int { count(.hit) + count(.staleHit) + count(.validatedHit) + count(.collapsedHit) }

    func count(_ outcome: AnswerReport.Outcome) -> Int { outcomes[Int(outcome.rawValue)] }
    func count(statusClass: Int) -> Int { (0..<8).contains(statusClass) ? statuses[statusClass] : 0 }

    mutating func add(_ report: ExchangeReport) {
        let bytes = max(0, report.contentByteCount)
        statuses[(100...599).contains(report.status) ? report.status / 100 : 0] &+= 1
        bytesServed &+= bytes
        guard let answer = report.answer else {
            refusals &+= 1
            if report.status >= 500 { errors &+= 1 }
            return
        }
        outcomes[Int(answer.outcome.rawValue)] &+= 1
        if report.status >= 500 || answer.outcome == .failure { errors &+= 1 }
        switch answer.tier {
        case .memory, .store: bytesSaved &+= bytes
        case .origin where answer.outcome == .collapsedHit: bytesSaved &+= bytes
        case .origin: bytesFromOrigin &+= bytes
        case .none: break
        }
    }

    static func + (left: Self, right: Self) -> Self { left.combined(with: right, &+) }
    static func - (left: Self, right: Self) -> Self { left.combined(with: right, &-) }

    private func combined(with other: Self, _ numbers: (Int, Int) -> Int) -> Self {
        var result = Self()
        for index in outcomes.indices { result.outcomes[index] = numbers(outcomes[index], other.outcomes[index]) }
        for index in statuses.indices { result.statuses[index] = numbers(statuses[index], other.statuses[index]) }
        result.refusals = numbers(refusals, other.refusals)
        result.errors = numbers(errors, other.errors)
        result.bytesServed = numbers(bytesServed, other.bytesServed)
        result.bytesFromOrigin = numbers(bytesFromOrigin, other.bytesFromOrigin)
        result.bytesSaved = numbers(bytesSaved, other.bytesSaved)
        return result
    }
}
