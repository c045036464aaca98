// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A small interface to ``CachingClient`` for apps: methods, headers, a bearer token, JSON in and out, and errors that say what happened.
///
/// ```swift
/// let network = NetworkManager(client: CachingClient(transport: AsyncHTTPClientTransport(), stores: [disk]))
/// let user = try await network.fetch(NetworkRequest(.get, "https://example.com/users/42", token: token), as: User.self)
///
/// let request = try NetworkRequest.json(.post, "https://example.com/users", body: user, token: token)
/// let task = network.fetch(request, completingOn: .main) { result in … }
/// ```
///
/// The client's cache follows the rules of HTTP: it stores only responses that may be stored, `Vary` selects, and a
/// response to a request with one token is never given to a request with another. Only GET, HEAD and QUERY are answered
/// from it, and every other method is always sent.
///
/// When the network is away, a response that is stored stands in if HTTP allows it, and says so: ``NetworkResponse/staleness``. Otherwise the error is
/// ``NetworkError/Code/offline``.
///
/// A status beyond 200 to 299 is an error, which carries the response with its body.
public final class NetworkManager: NetworkManaging {
    /// The client that sends the requests.
    public let client: CachingClient

    /// The longest body of a response.
    public let maximumResponseBytes: Int

    private let cache: (any ResponseCaching)?
    /// The fences of fetches by their URIs. A change that makes responses obsolete breaks them.
    private let fences = Mutex(FenceTable<String>())

    /// Creates a manager over a client.
    ///
    /// - Parameters:
    ///   - client: Sends the requests, and caches the responses that it may.
    ///   - cache: The app's own cache in front of the client. It is asked first for GET and HEAD, and gets each successful response that came without
    ///     a redirect. The responses that a request such as POST makes obsolete are removed from it. Default: none, as the client has a cache.
    ///   - maximumResponseBytes: The longest body; a longer one is an error. Default: 32 MiB.
    public init(client: CachingClient, cache: (any ResponseCaching)? = nil, maximumResponseBytes: Int = 32 << 20) {
        self.client = client
        self.cache = cache
        self.maximumResponseBytes = max(0, maximumResponseBytes)
    }

    @discardableResult
    public func fetch(_ request: NetworkRequest) async throws(NetworkError) -> NetworkResponse {
        let head = try request.head()
        let cache = request.isLookedUp && request.options.cacheMode == .default ? cache : nil
        if let found = await cache?.fetch(request) { return found }
        let fence = fences.withLock { $0.open(TargetURI(head)?.description ?? "") }
        defer { fences.withLock { $0.close(fence) } }
        let answer: ClientResponse
        do {
            answer = try await client.send(head, body: request.content, options: request.options)
        } catch {
            if error.mayMeanChange { await removeObsolete(after: HTTPResponse(status: .ok), to: head, request) }
            throw NetworkError(error)
        }
        // Of redirects that were followed only the end is known.
        let isRedirected = answer.redirectCount > 0
        let first = isRedirected ? HTTPResponse(status: .found, headerFields: [.location: answer.url]) : answer.head
        await removeObsolete(after: first, to: head, request)
        let response = try await collect(answer)
        // A response that a redirect has led to answers another request.
        if let cache, answer.redirectCount == 0 { await store(response, for: request, fence, in: cache) }
        return response
    }

    /// Stores a response in the app's own cache, unless a change has made it obsolete since it was requested.
    private func store(
        _ response: NetworkResponse,
        for request: NetworkRequest,
        _ fence: FenceTable<String>.Fence,
        in cache: any ResponseCaching
    ) async {
        func isIntact() -> Bool { fences.withLock { $0.isIntact(fence) } }
        guard isIntact() else { return }
        await cache.store(response, for: request)
        // The change may have removed what was there just before.
        if !isIntact() { await cache.remove(request) }
    }

    /// Removes from the app's own cache the responses that a request may have changed:
    /// [RFC 9111 §4.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.4).
    private func removeObsolete(after answer: HTTPResponse, to head: HTTPRequest, _ request: NetworkRequest) async {
        guard let cache else { return }
        let obsolete = Invalidation.uris(after: answer, to: head)
        fences.withLock { fences in for uri in obsolete { fences.breakFences(forKey: uri) } }
        for uri in obsolete {
            var changed = NetworkRequest(.get, uri, headers: request.headers, token: request.token)
            changed.options = request.options
            await cache.remove(changed)
        }
    }

    /// The response with all of its body.
    private func collect(_ answer: ClientResponse) async throws(NetworkError) -> NetworkResponse {
        var response = NetworkResponse(
            status: answer.head.status,
            headers: answer.head.headerFields,
            url: answer.url,
            isFromCache: answer.isFromCache,
            staleness: answer.staleness
        )
        var failure: NetworkError?
        do {
            for try await part in answer.body {
                let space = maximumResponseBytes - response.body.count
                response.body.append(contentsOf: part.readableBytesView.prefix(space))
                if part.readableBytes > space { throw HTTPBodyTooLargeError(maximumByteCount: maximumResponseBytes) }
            }
            // Some streams end early instead of throwing when their reader is cancelled.
            if Task.isCancelled { throw CancellationError() }
        } catch {
            failure = NetworkError(body: error)
        }
        if failure?.code == .cancelled || response.status.kind == .successful {
            if let failure { throw failure }
            return response
        }
        response.isTruncated = failure != nil
        throw NetworkError(unacceptable: response)
    }
}

extension ClientError {
    /// Whether the origin may have got the request, and done what it asks for.
    fileprivate var mayMeanChange: Bool { isBehindRedirect || (code != .invalidURL && transportError?.meansNothingWasSent != true) }
}
