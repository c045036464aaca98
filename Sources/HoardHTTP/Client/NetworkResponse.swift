// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A response with its whole body.
public struct NetworkResponse: Sendable {
    /// The status of the response.
    public var status: HTTPResponse.Status
    /// The fields of the response.
    public var headers: HTTPFields
    /// All of the content.
    public var body: Data

    /// The URL that answered, after all redirects.
    public var url: String

    /// Whether the content came from the cache, revalidated or not.
    public var isFromCache: Bool

    /// The staleness of a response that was used although it is stale, for example without a network; `nil` if it is fresh.
    public var staleness: HTTPCacheResponse.Staleness?

    /// Whether ``body`` is only the beginning of the content. That happens only in a response inside a ``NetworkError``.
    public var isTruncated: Bool

    /// Creates a response, for fakes in tests.
    public init(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: Data = Data(),
        url: String = "",
        isFromCache: Bool = false,
        staleness: HTTPCacheResponse.Staleness? = nil,
        isTruncated: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.isFromCache = isFromCache
        self.staleness = staleness
        self.isTruncated = isTruncated
    }

    /// Decodes the body as JSON.
    ///
    /// - Throws: ``NetworkError`` with the code `decodingFailed`, which carries this response and says where in it the value is not as expected.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()) throws(NetworkError) -> Value {
        do {
            return try decoder.decode(type, from: body)
        } catch {
            throw NetworkError(decoding: error, of: self)
        }
    }
}
