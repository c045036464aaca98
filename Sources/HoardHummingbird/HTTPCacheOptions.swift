// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP
public import Hummingbird

/// The decisions of an ``HTTPCacheMiddleware`` for each request.
public struct HTTPCacheOptions<Context: RequestContext>: Sendable {
    /// Returns the policy that the site wants for a request, beyond the response's own fields.
    ///
    /// The middleware calls it for each request before it asks the cache; it has to be quick. Default: an empty policy.
    ///
    /// ``HTTPCachePolicy/matching(_:)`` makes one of patterns of paths.
    public var policy: @Sendable (Request, Context) -> HTTPCachePolicy = { _, _ in HTTPCachePolicy() }

    /// Returns the partition of a request: responses of one partition are never given to another.
    ///
    /// For sites that serve several tenants under one authority. `nil`: the partition of the cache's configuration. The middleware calls it for each request; it has
    /// to be quick. Default: `nil`.
    public var partition: @Sendable (Request, Context) -> String? = { _, _ in nil }

    /// The host and port in the URIs of responses. Default: as the request says.
    public var authority: HTTPCacheAuthority = .ofRequest

    /// The scheme in the URIs of responses. Default: as the request says.
    public var scheme: HTTPCacheScheme = .ofRequest

    /// Whether clients see `Cache-Tag` and `Surrogate-Key`, for instance because another cache in front reads them. Default: `false`.
    public var sendsTags = false

    /// Creates options with the defaults; change the properties afterwards.
    public init() {}
}
