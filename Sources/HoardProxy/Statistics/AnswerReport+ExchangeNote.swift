// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

/// The cache's report of an answer travels through the server, which knows nothing of caches, as a note.
extension ExchangeNote {
    private static let isStoredBit: UInt32 = 1 << 16
    private static let foundUnusableBit: UInt32 = 1 << 17
    private static let siteShift: UInt32 = 18

    /// A note that reports nothing: no outcome has such a number.
    static let empty = Self(bits: 0xFFFF)

    /// The number of the site; 0: none.
    var site: Int {
        get { Int(bits >> Self.siteShift) }
        set { bits = bits & (1 << Self.siteShift - 1) | UInt32(newValue) << Self.siteShift }
    }

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
    /// The span of the exchange; `nil` if there is none.
    var trace: ExchangeTrace? { note?.attachment as? ExchangeTrace }

    /// The cache's report of the answer; `nil` if the cache had no part in it.
    var answer: AnswerReport? { isAbandoned ? AnswerReport(.abandoned, tier: .none) : note?.report }
}

extension HTTPServerResponse {
    /// The response with the site that its request is counted for.
    func counted(for site: Site?) -> Self {
        guard let site, site.number > 0 else { return self }
        var response = self
        var note = note ?? .empty
        note.site = site.number
        response.note = note
        return response
    }

    /// The response with the span of its exchange.
    func traced(_ trace: ExchangeTrace) -> Self {
        var response = self
        var note = note ?? .empty
        note.attachment = trace
        response.note = note
        return response
    }

    init(head: HTTPResponse, body: HTTPBody, report: AnswerReport?) {
        self.init(head: head, body: body, note: report.map { ExchangeNote($0) })
    }
}
