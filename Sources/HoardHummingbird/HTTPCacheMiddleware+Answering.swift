// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird

extension HTTPCacheMiddleware {
    /// How a request is answered, decided before anything is waited for.
    enum Plan: Sendable {
        /// By the handler alone.
        case around
        /// By the response that the cache has at hand.
        case response(Response)
        /// By the cache, which may ask the handler.
        case cache(HandlerExchange, HTTPCache.PendingRequest)
    }

    /// - Parameter runsLater: Whether the handler can be run after the answer has been given.
    func plan(for request: Request, _ context: Context, runsLater: Bool) -> Plan {
        guard let target = CacheTarget(request.head, options.scheme, options.authority) else { return .around }
        var itsPolicy = options.policy(request, context)
        // Otherwise the answer to a POST may be stored.
        if !target.isExact { itsPolicy.isBypassed = true }
        let policy = policies.compiled(itsPolicy)
        let partition = options.partition(request, context)
        // Private responses are for one user, and neither the options nor the configuration say which one.
        if cache.configuration.mode == .private, (partition ?? cache.configuration.partition).isEmpty { return .around }
        // A request that changes something goes through the cache, so that it invalidates.
        if request.method.isSafe, policy?.isBypassed == true { return .around }
        let question = HTTPCache.Request(
            target.request,
            target: target.uri,
            body: request.contentForCache,
            partition: partition,
            policy: policy,
            mayRefreshInBackground: runsLater
        )
        // That a target has a URI has been seen to above.
        switch try? cache.begin(question) {
        case nil: return .around
        case .hit(let response), .generated(let response): return .response(Response(shown(response.head), response.body, to: request.method))
        case .pending(let pending):
            return .cache(HandlerExchange(request, target, mode: cache.configuration.mode, logger: context.logger), pending)
        }
    }

    // MARK: Ways

    /// A response that has come past the cache, as clients see it.
    func bypassed(_ response: Response) -> Response {
        var response = response
        let status = CacheStatus(cacheName: cache.configuration.name, .forwarded(.init(.bypass, status: response.status.code)))
        var head = shown(response.head)
        head.headerFields.append(HTTPField(name: .cacheStatus, value: status.fieldValue))
        response.head = head
        return response
    }

    /// The request for the handler, if nothing that is stored can answer, and no other request is asking for the same. Then the handler is asked before the
    /// ordinary way begins.
    ///
    /// Most misses are answered so: without a task, and without the way there and back between that and this one.
    func beginEarly(_ pending: HTTPCache.PendingRequest, _ exchange: HandlerExchange) -> (early: HTTPCache.EarlyRequest, request: Request)? {
        guard let early = cache.beginEarly(pending) else { return nil }
        if let request = exchange.request(for: early.forwarded, .empty) { return (early, request) }
        cache.takeBack(early.miss)
        return nil
    }

    /// Answers a request whose handler has been asked.
    ///
    /// - Returns: `nil` if the rest has to be done in the ordinary way, for which the exchange keeps the outcome.
    func answer(
        _ early: HTTPCache.EarlyRequest,
        with outcome: Result<TransportResponse, TransportError>,
        _ exchange: HandlerExchange
    ) async throws -> Response? {
        if case .success(let received) = outcome, let content = received.contentAtHand {
            switch cache.answer(early, with: received.head, content) {
            case .response(let response): return try shown(response, exchange)
            case .responseToStore(let response, let store):
                await store()
                return try shown(response, exchange)
            case nil: break
            }
        }
        exchange.keep(.init(miss: early.miss) { outcome })
        return nil
    }

    /// Answers through the cache in the ordinary way.
    ///
    /// - Parameters:
    ///   - pending: The request, which the cache has just begun to answer.
    ///   - isFresh: Nothing has run since that began.
    ///   - run: Runs the handler.
    func answer(
        _ pending: HTTPCache.PendingRequest,
        _ exchange: HandlerExchange,
        isFresh: Bool,
        _ run: @escaping @Sendable (Request) async -> HandlerOutcome
    ) async throws -> Response {
        let response: HTTPCacheResponse
        do {
            let transport = HandlerTransport(exchange: exchange, run: run)
            response = try await cache.respond(to: pending, through: transport, isFresh: isFresh, after: exchange.sentMiss)
        } catch {
            throw exchange.errorToThrow(for: error)
        }
        return try shown(response, exchange)
    }

    /// The answer of a request whose exchange ends here.
    func shown(_ response: HTTPCacheResponse, _ exchange: HandlerExchange) throws -> Response {
        exchange.finish()
        var head = response.head
        if !response.isFromCache {
            // A response that stands for an error goes out as that error, so that the middlewares in front see it.
            if let error = exchange.thrownError { throw error }
            exchange.restore(&head)
        }
        return Response(shown(head), response.body, to: exchange.method)
    }

    /// A head as clients see it.
    private func shown(_ head: HTTPResponse) -> HTTPResponse {
        guard !options.sendsTags, head.headerFields.contains(.cacheTag) || head.headerFields.contains(.surrogateKey) else { return head }
        var head = head
        head.headerFields[.cacheTag] = nil
        head.headerFields[.surrogateKey] = nil
        return head
    }
}
