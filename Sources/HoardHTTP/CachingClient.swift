// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Hoard
package import NIOCore

/// An HTTP client with a cache: a ``Transport`` behind an ``HTTPCache``.
///
/// ```swift
/// let client = CachingClient(transport: AsyncHTTPClientTransport(), stores: [disk])
/// let response = try await client.get("https://example.com/")
/// let page = try await response.body.collect(upTo: 1 << 20)
/// ```
///
/// By default the cache is private: it serves one user. Responses with a status of 400 and more are responses like any other.
///
/// Redirects are followed through the cache, so that one that is stored costs no request. A field meant for one origin (`Authorization`, `Cookie`,
/// `Proxy-Authorization`) is not sent to another. ``RequestOptions`` say how each request uses the cache, how many redirects it follows and how
/// long it may take.
///
/// A response that stands in because the network is away says so: ``ClientResponse/staleness``.
///
/// The client keeps no cookies. It sends `Cookie` as given, with the first request and those to the same origin, and leaves `Set-Cookie` to the
/// caller. The caller does not see the `Set-Cookie` of a redirect that is followed; one that needs it sets ``RequestOptions/followsRedirects`` to
/// `false`.
public final class CachingClient: Sendable {
    /// The cache in front of the transport.
    public let cache: HTTPCache

    private let transport: any Transport
    private let dictionaries = ClientDictionaries()
    /// The same, for requests whose responses are to be decoded, of no partition and with the usual limits.
    private let codingTransport: any Transport
    private let ticker: any Ticker
    private let deadlines: DeadlineQueue

    /// Creates a client over a transport and a cache.
    ///
    /// - Parameter ticker: Measures the duration of exchanges.
    public init(transport: any Transport, cache: HTTPCache, ticker: any Ticker = MonotonicTicker()) {
        self.transport = transport
        codingTransport = CodingTransport(transport, dictionaries, clock: cache.clock, partition: nil, ContentDecoding())
        self.cache = cache
        self.ticker = ticker
        self.deadlines = DeadlineQueue(ticker: ticker)
    }

    /// Creates a client with a private cache of its own over `stores`.
    public convenience init(transport: any Transport, stores: [any RecordStore] = []) {
        self.init(transport: transport, cache: HTTPCache(stores: stores))
    }

    /// Sends a request, or answers it from the cache. May suspend.
    ///
    /// - Parameters:
    ///   - request: A request with scheme, authority and path.
    ///   - body: The request's content. It is not read unless the request is forwarded, or is a QUERY. A stream is sent once: it is neither repeated nor redirected.
    /// - Throws: ``ClientError`` if nothing stored can answer and the origin cannot be asked, or a redirect cannot be followed.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody = .empty,
        options: RequestOptions = RequestOptions()
    ) async throws(ClientError) -> ClientResponse {
        try await send(request, to: TargetURI(request), body, options)
    }

    /// - Parameter target: The request's; `nil`: it has none that can be used.
    private func send(
        _ request: HTTPRequest,
        to target: TargetURI?,
        _ body: HTTPBody,
        _ options: RequestOptions
    ) async throws(ClientError) -> ClientResponse {
        guard let target else { throw ClientError(.invalidURL, "The request has no usable http or https URI.") }
        guard let timeout = options.timeout else { return try await exchange(request, target, body, options) }
        // A response at hand needs no deadline.
        if body.length == 0, let response = responseFromMemory(to: request, target: target, options: options) { return response }
        let deadline = try ExchangeDeadline(after: timeout, queue: deadlines, ticker: ticker)
        var response = try await deadline.run { [self] () async throws(ClientError) in try await exchange(request, target, body, options) }
        response.body = TimedBody.limiting(response.body, to: deadline)
        return response
    }

    /// Sends a GET request for a URL, or answers it from the cache. May suspend.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL. A fragment is dropped.
    ///   - fields: Request fields to send with it.
    /// - Throws: ``ClientError``; with the code `invalidURL` if `url` is not such a URL.
    public func get(_ url: String, fields: HTTPFields = [:], options: RequestOptions = RequestOptions()) async throws(ClientError) -> ClientResponse {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil, headerFields: fields)
        return try await send(request, to: TargetURI(URIReference(url)), .empty, options)
    }

    /// The response to a request without content, if memory has a fresh one with all of its body, and it is no redirect to be followed. Never suspends.
    ///
    /// - Parameters:
    ///   - target: The request's, if the caller has made it.
    ///   - isAccepted: Whether the caller has a use for a response with this head and this content. Otherwise nothing is counted.
    package func responseFromMemory(
        to request: HTTPRequest,
        target: TargetURI? = nil,
        options: RequestOptions,
        ifAccepted isAccepted: (HTTPResponse, ByteBuffer) -> Bool = { _, _ in true }
    ) -> ClientResponse? {
        guard let target = target ?? TargetURI(request) else { return nil }
        let isDecoded = options.decoding.decodes(request.headerFields)
        var decoded: HTTPCacheResponse?
        let found = cache.responseFromMemory(to: cacheRequest(request, target, .empty, options, isDecoded: isDecoded)) { response in
            var response = response
            if isDecoded { options.decoding.decode(&response, to: request.method) }
            decoded = response
            guard response.isFromCache, let bytes = response.body.bytesAtHand else { return false }
            return !(options.followsRedirects && Redirect(response.head.status) != nil) && isAccepted(response.head, bytes)
        }
        guard var response = found, let decoded else { return nil }
        (response.head.headerFields, response.body) = (decoded.head.headerFields, decoded.body)
        return ClientResponse(response, url: target.description, redirectCount: 0, staleness: nil)
    }

    /// Sends the request and those that redirects make of it.
    private func exchange(
        _ request: HTTPRequest,
        _ target: TargetURI,
        _ body: HTTPBody,
        _ options: RequestOptions
    ) async throws(ClientError) -> ClientResponse {
        var chain = RedirectChain(request, to: target, options: options)
        let base = codingTransport(for: options)
        let transport = options.repeatsLostRequests ? RepeatingTransport(base) : base
        var body = body
        var staleness: HTTPCacheResponse.Staleness?
        while true {
            let url = chain.target.description
            let isDecoded = options.decoding.decodes(chain.request.headerFields)
            var response = try await respond(to: chain, body, options, isDecoded: isDecoded, through: transport)
            switch try chain.received(response.head, bodyCanBeSentAgain: body.bytesAtHand != nil) {
            case .deliver:
                if isDecoded { options.decoding.decode(&response, to: chain.request.method) }
                return ClientResponse(response, url: url, redirectCount: chain.count, staleness: staleness)
            case .follow(let dropsBody):
                if dropsBody { body = .empty }
                staleness = staleness ?? response.staleness
                await response.body.drain()
            }
        }
    }

    private func codingTransport(for options: RequestOptions) -> any Transport {
        if !options.decoding.isEnabled { return transport }
        if options.partition == nil, options.decoding == ContentDecoding() { return codingTransport }
        return CodingTransport(transport, dictionaries, clock: cache.clock, partition: options.partition, options.decoding)
    }

    private func respond(
        to chain: RedirectChain,
        _ body: HTTPBody,
        _ options: RequestOptions,
        isDecoded: Bool,
        through transport: any Transport
    ) async throws(ClientError) -> HTTPCacheResponse {
        do {
            let request = cacheRequest(chain.request, chain.target, body, options, isDecoded: isDecoded)
            return try await cache.respond(to: request, through: transport, onInterimResponse: options.onInterimResponse)
        } catch {
            var error = ClientError(error)
            error.isBehindRedirect = chain.count > 0
            throw error
        }
    }

    private func cacheRequest(
        _ request: HTTPRequest,
        _ target: TargetURI,
        _ body: HTTPBody,
        _ options: RequestOptions,
        isDecoded: Bool
    ) -> HTTPCache.Request {
        HTTPCache.Request(
            request,
            target: target,
            body: body,
            mode: options.cacheMode,
            partition: options.partition,
            keepsInMemoryOnly: options.keepsInMemoryOnly,
            decodesContent: isDecoded
        )
    }
}

extension HTTPBody {
    /// The longest content of a redirect that is read for the sake of its connection and its place in the cache.
    private static let longestDrained = 64 << 10

    /// Reads a body that no caller wants, so that it is stored and its connection can be used again. Drops a long one.
    fileprivate func drain() async {
        _ = try? await collect(upTo: Self.longestDrained)
    }
}
