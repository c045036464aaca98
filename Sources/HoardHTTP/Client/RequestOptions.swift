// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How a ``CachingClient`` handles one request.
///
/// ```swift
/// var options = RequestOptions()
/// options.cacheMode = .noCache
/// options.timeout = .seconds(10)
/// let response = try await client.get("https://example.com/", options: options)
/// ```
public struct RequestOptions: Sendable {
    /// How the request uses the cache. Default: `.default`.
    public var cacheMode: RequestCacheMode = .default

    /// Whose request it is, such as a user's name or number: responses of one partition never answer requests of another, and leave together
    /// (``HTTPCache/removePartition(_:)``). An empty name stands for none. Default: `nil`, the cache's own (``HTTPCache/Configuration/partition``).
    public var partition: String?

    /// Whether the response is kept in memory only, and never reaches a store. A request that says so is not answered with what others have left in a store, and
    /// removes it. Default: `false`.
    public var keepsInMemoryOnly = false

    /// Whether redirects are followed. If not, a redirect is a response like any other. Default: `true`.
    public var followsRedirects = true

    /// How many redirects are followed for one request; one more is an error. Default: 20.
    public var maximumRedirectCount = 20

    /// Whether a redirect from `https` to `http` is followed, after which third parties on the way can read and change everything. Default: `false`.
    public var allowsInsecureRedirects = false

    /// The longest the exchange may take, from the call to the last byte of the response's body, redirects and repetitions included. What memory
    /// answers whole takes no time, and is given whatever this is. Default: `nil`, no limit.
    public var timeout: Duration?

    /// Whether an idempotent request is sent once more if the connection it went out on turned out to be closed (``TransportError/mayRetry``)
    /// and its content can be sent again. Default: `true`.
    public var repeatsLostRequests = true

    /// How content codings are asked for and undone. Default: all that this build can decode.
    public var decoding = ContentDecoding()

    /// Gets interim (1xx) responses, as far as the transport sees them. Default: none.
    public var onInterimResponse: InterimResponseHandler?

    public init(cacheMode: RequestCacheMode = .default, timeout: Duration? = nil) {
        self.cacheMode = cacheMode
        self.timeout = timeout
    }
}
