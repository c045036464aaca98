// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response from an ``HTTPCache``: from the store, from the origin, or both.
public struct HTTPCacheResponse: Sendable {
    /// How stale a response is that was served all the same, and why that was allowed.
    public struct Staleness: Sendable, Hashable {
        /// Since how many seconds the response has not been fresh.
        public let seconds: Int64
        /// Whether the origin was asked, and gave no usable answer: the response stands in for one.
        public let isStandIn: Bool
        /// The rule that allows it, in one sentence with the section where it stands.
        public let reason: String
    }

    /// The head, with `Cache-Status` and, for a stored response, `Age`.
    public var head: HTTPResponse

    /// The content. If it came from the origin it streams, and is stored while it is read.
    public var body: HTTPBody

    /// Whether the content came from the cache, revalidated or not.
    public let isFromCache: Bool

    /// How stale the response is; `nil` if it is fresh or has just come from the origin.
    public let staleness: Staleness?

    /// What has become of the request, for statistics and logs.
    package var report: AnswerReport?

    package init(head: HTTPResponse, body: HTTPBody, isFromCache: Bool, staleness: Staleness? = nil, report: AnswerReport? = nil) {
        self.head = head
        self.body = body
        self.isFromCache = isFromCache
        self.staleness = staleness
        self.report = report
    }

    /// What this cache did, as RFC 9211 writes it: `hoard; hit; ttl=30`.
    public var cacheStatus: String {
        head.headerFields[values: .cacheStatus].last ?? ""
    }
}
