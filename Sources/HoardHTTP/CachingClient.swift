// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Hoard

/// An HTTP client with a cache: a ``Transport`` behind an ``HTTPCache``.
///
/// ```swift
/// let client = CachingClient(transport: AsyncHTTPClientTransport(), stores: [disk])
/// let response = try await client.get("https://example.com/")
/// let page = try await response.body.collect(upTo: 1 << 20)
/// ```
///
/// By default the cache is private: it serves one user. Responses with a status of 400 and more are responses like any other.
/// Redirects are not followed.
public final class CachingClient: Sendable {
    /// The cache in front of the transport.
    public let cache: HTTPCache

    private let transport: any Transport

    public init(transport: any Transport, cache: HTTPCache) {
        self.transport = transport
        self.cache = cache
    }

    /// Creates a client with a private cache of its own over `stores`.
    public convenience init(transport: any Transport, stores: [any RecordStore] = []) {
        self.init(transport: transport, cache: HTTPCache(stores: stores))
    }

    /// Sends a request, or answers it from the cache. May suspend.
    ///
    /// - Throws: ``HTTPCacheError`` if nothing stored can answer and the origin cannot be asked.
    public func send(_ request: HTTPRequest, body: HTTPBody = .empty) async throws(HTTPCacheError) -> HTTPCacheResponse {
        try await cache.respond(to: request, body: body, through: transport)
    }

    /// Gets a URL. May suspend.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL. A fragment is dropped.
    ///   - fields: Request fields to send with it.
    /// - Throws: ``HTTPCacheError``; with the code `invalidRequest` if `url` is not such a URL.
    public func get(_ url: String, fields: HTTPFields = [:]) async throws(HTTPCacheError) -> HTTPCacheResponse {
        let target = TargetURI(URIReference(url))
        let path = target.map { target in target.query.map { "\(target.path)?\($0)" } ?? target.path }
        return try await send(
            HTTPRequest(method: .get, scheme: target?.scheme, authority: target?.authority, path: path, headerFields: fields)
        )
    }
}
