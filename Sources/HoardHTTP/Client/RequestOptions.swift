// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The options with which a ``CachingClient`` handles one request.
///
/// ```swift
/// var options = RequestOptions()
/// options.cacheMode = .noCache
/// options.timeout = .seconds(10)
/// let response = try await client.get("https://example.com/", options: options)
/// ```
public struct RequestOptions: Sendable {
    /// The request's use of the cache. Default: `.default`.
    public var cacheMode: RequestCacheMode = .default

    /// The partition of the request, such as a user's name or number. Responses of one partition never answer requests of another, and can be removed
    /// together (``HTTPCache/removePartition(_:)``). An empty name stands for none. Default: `nil`, the cache's own partition
    /// (``HTTPCache/Configuration/partition``).
    public var partition: String?

    /// Whether the response is kept in memory only, and never reaches a store. Such a request is not answered by a response that other requests have
    /// left in a store, and removes it. Default: `false`.
    public var keepsInMemoryOnly = false

    /// Whether redirects are followed. If not, a redirect is a response like any other. Default: `true`.
    public var followsRedirects = true

    /// The most redirects that are followed for one request; one more is an error. Default: 20.
    public var maximumRedirectCount = 20

    /// Whether a redirect from `https` to `http` is followed. After it, third parties on the way can read and change everything. Default: `false`.
    public var allowsInsecureRedirects = false

    /// The longest time of the exchange, from the call to the last byte of the response's body, including redirects and repetitions. It does not
    /// limit a response that memory has whole. Default: `nil`, no limit.
    public var timeout: Duration?

    /// Whether an idempotent request is sent once more if its connection turned out to be closed (``TransportError/mayRetry``) and its content can be
    /// sent again. Default: `true`.
    public var repeatsLostRequests = true

    /// The settings for content codings. Default: all codings that this build can decode.
    public var decoding = ContentDecoding()

    /// The function that gets the interim (1xx) responses that the transport sees. Default: none.
    public var onInterimResponse: InterimResponseHandler?

    /// Creates options; change the other properties afterwards.
    public init(cacheMode: RequestCacheMode = .default, timeout: Duration? = nil) {
        self.cacheMode = cacheMode
        self.timeout = timeout
    }
}
