// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An ``HTTPCache`` that an app fills and asks by itself.
///
/// ```swift
/// let cache = ResponseCache(lifetimeIfUnknown: .seconds(300))
/// await cache.store(response, for: request)
/// let kept = await cache[request]
/// ```
///
/// The rules of HTTP decide which responses are kept, for which requests and for how long. Only responses to GET are kept, and only GET and HEAD are
/// answered. The key is the method, the URL in its normal form, the request fields that the response names in `Vary`, `Authorization`, and the partition
/// (``RequestOptions/partition``). A response that forbids storing is not kept, and one that is not fresh any more is not returned. One to a request
/// with ``RequestOptions/keepsInMemoryOnly`` reaches no store.
public final class ResponseCache: ResponseCaching {
    /// The cache that keeps the responses. A ``CachingClient`` may share it.
    public let cache: HTTPCache

    private let lifetimeIfUnknown: Duration?
    private let maximumResponseBytes: Int

    /// Creates a cache over an ``HTTPCache``.
    ///
    /// - Parameters:
    ///   - cache: The cache that keeps the responses, in memory or in stores.
    ///   - lifetimeIfUnknown: The lifetime of a response that states none. By default only the heuristic that HTTP allows.
    ///   - maximumResponseBytes: The longest body; a longer one is not returned. Default: 32 MiB.
    public init(cache: HTTPCache = HTTPCache(), lifetimeIfUnknown: Duration? = nil, maximumResponseBytes: Int = 32 << 20) {
        self.cache = cache
        self.lifetimeIfUnknown = lifetimeIfUnknown
        self.maximumResponseBytes = maximumResponseBytes
    }

    public func fetch(_ request: NetworkRequest) async -> NetworkResponse? {
        guard request.isLookedUp, var head = try? request.head() else { return nil }
        // RFC 9111 §5.2.1.7.
        head.headerFields.append(HTTPField(name: .cacheControl, value: "only-if-cached"))
        guard
            let answer = try? await respond(to: head, request.options, through: Origin.absent), answer.isFromCache, answer.staleness == nil,
            let body = try? await answer.body.collect(upTo: maximumResponseBytes)
        else { return nil }
        return NetworkResponse(
            status: answer.head.status,
            headers: answer.head.headerFields,
            body: Data(body.readableBytesView),
            url: head.url,
            isFromCache: true
        )
    }

    public func store(_ response: NetworkResponse, for request: NetworkRequest) async {
        guard request.method == .get, !response.isTruncated, let head = try? request.head() else { return }
        var answer = HTTPResponse(status: response.status, headerFields: response.headers)
        answer.headerFields[.cacheStatus] = nil
        if let lifetimeIfUnknown, !answer.headerFields.sayHowLong {
            answer.headerFields[.cacheControl] = "max-age=\(max(0, lifetimeIfUnknown.saturatingComponents.seconds))"
        }
        let origin = Origin(response: TransportResponse(head: answer, body: HTTPBody(ByteBuffer(bytes: response.body))))
        _ = try? await respond(to: head, mode: .reload, request.options, through: origin).body.collect(upTo: .max)
    }

    /// Removes the responses for the request's URL in its partition, whatever tokens their requests had.
    public func remove(_ request: NetworkRequest) async {
        guard let head = try? request.head() else { return }
        await cache.remove(head.url, partition: request.options.partition)
    }

    public func removeAll() async {
        await cache.removeAll()
    }

    /// - Parameter options: Say whose the response is and where it may be kept.
    private func respond(
        to head: HTTPRequest,
        mode: RequestCacheMode = .default,
        _ options: RequestOptions,
        through origin: Origin
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        try await cache.respond(
            to: head,
            mode: mode,
            partition: options.partition,
            keepsInMemoryOnly: options.keepsInMemoryOnly,
            through: origin
        )
    }
}

/// An origin that is not there, or has one answer.
private struct Origin: Transport {
    static let absent = Origin(response: nil)

    let response: TransportResponse?

    func send(_: HTTPRequest, body _: HTTPBody, onInterimResponse _: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        guard let response else { throw TransportError(.cannotConnect, "Nothing is asked.") }
        return response
    }
}

extension HTTPFields {
    /// Whether the response says anything about how long it is fresh, or from which that can be guessed.
    fileprivate var sayHowLong: Bool {
        contains { field in
            switch field.name.canonicalName {
            case "cache-control", "expires", "pragma", "last-modified": true
            default: false
            }
        }
    }
}

extension HTTPRequest {
    fileprivate var url: String {
        TargetURI(self)?.description ?? ""
    }
}
