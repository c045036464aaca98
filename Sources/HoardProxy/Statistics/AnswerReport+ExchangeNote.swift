// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

/// The cache's report of an answer travels through the server, which knows nothing of caches, as a note.
extension ExchangeNote {
    private static let isStoredBit: UInt32 = 1 << 16
    private static let foundUnusableBit: UInt32 = 1 << 17

    init(_ report: AnswerReport) {
        var bits = UInt32(report.outcome.rawValue) | UInt32(report.tier.rawValue) << 8
        if report.isStored { bits |= Self.isStoredBit }
        if report.foundUnusable { bits |= Self.foundUnusableBit }
        self.init(bits: bits, duration: report.originDuration)
    }

    var report: AnswerReport? {
        guard let outcome = AnswerReport.Outcome(rawValue: UInt8(truncatingIfNeeded: bits)),
            let tier = AnswerReport.Tier(rawValue: UInt8(truncatingIfNeeded: bits >> 8))
        else { return nil }
        return AnswerReport(
            outcome,
            tier: tier,
            originDuration: duration,
            isStored: bits & Self.isStoredBit != 0,
            foundUnusable: bits & Self.foundUnusableBit != 0
        )
    }
}

extension ExchangeReport {
    /// The cache's report of the answer; `nil` if the cache had no part in it.
    var answer: AnswerReport? { isAbandoned ? AnswerReport(.abandoned, tier: .none) : note?.report }
}

extension HTTPServerResponse {
    init(head: HTTPResponse, body: HTTPBody, report: AnswerReport?) {
        self.init(head: head, body: body, note: report.map { ExchangeNote($0) })
    }
}
