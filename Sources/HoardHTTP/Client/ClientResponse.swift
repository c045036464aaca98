// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response from a ``CachingClient``, at the end of all redirects.
public struct ClientResponse: Sendable {
    /// The head, with `Cache-Status` and, for a stored response, `Age`.
    public var head: HTTPResponse

    /// The content. If it comes from the origin it streams, and is stored while it is read. If it breaks off, reading it throws ``TransportError``,
    /// or ``ClientError`` with the code `deadlineExceeded`.
    public var body: HTTPBody

    /// The URL that answered, in its normal form: the requested URL, or the target of the last redirect. It has no fragment.
    public let url: String

    /// The number of redirects that were followed.
    public let redirectCount: Int

    /// Whether the content came from the cache, revalidated or not.
    public let isFromCache: Bool

    /// The staleness of the response, and the reason for which it was used: it stands in for an origin that cannot be reached or fails
    /// (``HTTPCacheResponse/Staleness/isStandIn``), or the request allows it, as `.forceCache` does. `nil` if it is fresh. If only a redirect on the
    /// way was stale, this is the staleness of the redirect.
    public let staleness: HTTPCacheResponse.Staleness?

    /// The cache's action for the last request in the syntax of `Cache-Status` (RFC 9211), such as `hoard; hit; ttl=30`.
    public let cacheStatus: String
}

extension ClientResponse {
    init(_ response: HTTPCacheResponse, url: String, redirectCount: Int, staleness: HTTPCacheResponse.Staleness?) {
        self.init(
            head: response.head,
            body: response.body,
            url: url,
            redirectCount: redirectCount,
            isFromCache: response.isFromCache,
            staleness: response.staleness ?? staleness,
            cacheStatus: response.cacheStatus
        )
    }
}
