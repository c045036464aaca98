// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response from an ``HTTPCache``: from the store, from the origin, or both.
public struct HTTPCacheResponse: Sendable {
    /// How stale a response is that was served all the same, and why that was allowed.
    public struct Staleness: Sendable, Hashable {
        /// The time since the response was last fresh, in whole seconds.
        public let duration: Duration
        /// The rule that allows the response to be served.
        package let decision: HTTPDecision

        package init(seconds: Int64, decision: HTTPDecision) {
            duration = .seconds(seconds)
            self.decision = decision
        }

        package var seconds: Int64 { duration.components.seconds }

        /// Whether the origin was asked, and gave no usable answer: the response stands in for one.
        public var isStandIn: Bool { [.staleIfError, .unreachable].contains { decision == HTTPDecision($0) } }
        /// The rule that allows it, in one sentence with the section of the RFC that has it.
        public var reason: String { decision.description }
    }

    /// The head, with `Cache-Status` and, for a stored response, `Age`.
    public var head: HTTPResponse

    /// The content. If it came from the origin it streams, and is stored while it is read.
    public var body: HTTPBody

    /// Whether the content came from the cache, revalidated or not.
    public let isFromCache: Bool

    /// How stale the response is; `nil` if it is fresh or has just come from the origin.
    public let staleness: Staleness?

    /// The report of the request's outcome, for statistics and logs.
    package var report: AnswerReport?

    /// Whether it is a stored response in the form that its client wants, or in one that stays as it is.
    package var isInForm = false

    package init(head: HTTPResponse, body: HTTPBody, isFromCache: Bool, staleness: Staleness? = nil, report: AnswerReport? = nil) {
        self.head = head
        self.body = body
        self.isFromCache = isFromCache
        self.staleness = staleness
        self.report = report
    }

    /// This cache's action in the syntax of `Cache-Status` (RFC 9211), such as `hoard; hit; ttl=30`.
    public var cacheStatus: String {
        head.headerFields[values: .cacheStatus].last ?? ""
    }
}
