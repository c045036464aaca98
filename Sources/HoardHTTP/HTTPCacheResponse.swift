// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response from an ``HTTPCache``: from the store, from the origin, or both.
public struct HTTPCacheResponse: Sendable {
    /// The head, with `Cache-Status` and, for a stored response, `Age`.
    public var head: HTTPResponse

    /// The content. If it came from the origin it streams, and is stored while it is read.
    public var body: HTTPBody

    /// Whether the content came from the cache, revalidated or not.
    public let isFromCache: Bool

    package init(head: HTTPResponse, body: HTTPBody, isFromCache: Bool) {
        self.head = head
        self.body = body
        self.isFromCache = isFromCache
    }

    /// What this cache did, as RFC 9211 writes it: `hoard; hit; ttl=30`.
    public var cacheStatus: String {
        head.headerFields[values: .cacheStatus].last ?? ""
    }
}
