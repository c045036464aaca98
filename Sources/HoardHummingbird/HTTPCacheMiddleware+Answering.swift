// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird

extension HTTPCacheMiddleware {
    /// How a request is answered, decided before anything is waited for.
    struct Plan: Sendable {
        enum Way: Sendable {
            /// By the handler alone.
            case around
            /// By what memory has.
            case memory(Response)
            /// By the cache, which may ask the handler.
            case cache(CacheTarget, HTTPBody)
        }

        var way: Way
        var policy: CompiledHTTPCachePolicy?
        var partition: String?
    }

    func plan(for request: Request, _ context: Context) -> Plan {
        var plan = Plan(way: .around)
        guard let target = CacheTarget(request.head, options.scheme, options.authority) else { return plan }
        plan.policy = policies.compiled(options.policy(request, context))
        let partition = options.partition(request, context)
        // What is private is for one user, and nobody has said who that is.
        if cache.configuration.mode == .private, (partition ?? cache.configuration.partition).isEmpty { return plan }
        plan.partition = partition
        let body = request.contentForCache
        // Whatever changes something goes through the cache, so that it invalidates.
        if request.method.isSafe, plan.policy?.isBypassed == true || !target.isExact { return plan }
        if body.length == 0, let response = responseFromMemory(to: target.request, plan) {
            plan.way = .memory(response)
        } else {
            plan.way = .cache(target, body)
        }
        return plan
    }

    private func responseFromMemory(to request: HTTPRequest, _ plan: Plan) -> Response? {
        guard plan.partition == nil, let response = cache.respondFromMemory(to: request, compiledPolicy: plan.policy) else { return nil }
        return Response(shown(response.head), response.body, to: request.method)
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

    /// Answers through the cache.
    ///
    /// - Parameters:
    ///   - runsLater: Whether the handler can be run after the answer has been given.
    ///   - run: Runs the handler.
    func answer(
        _ plan: Plan,
        _ request: Request,
        _ context: Context,
        runsLater: Bool,
        _ run: @escaping @Sendable (Request) async -> HandlerOutcome
    ) async throws -> Response {
        guard case .cache(let target, let body) = plan.way else { throw HTTPError(.internalServerError) }
        let exchange = HandlerExchange(request, target, mode: cache.configuration.mode, logger: context.logger)
        let response: HTTPCacheResponse
        do {
            response = try await cache.respond(
                to: target.request,
                body: body,
                partition: plan.partition,
                compiledPolicy: plan.policy,
                mayRefreshInBackground: runsLater,
                through: HandlerTransport(exchange: exchange, run: run)
            )
        } catch {
            throw exchange.errorToThrow(for: error)
        }
        exchange.finish()
        var head = response.head
        if !response.isFromCache {
            // What stands for an error goes out as that error, so that the middlewares in front see it.
            if let error = exchange.thrownError { throw error }
            exchange.restore(&head)
        }
        return Response(shown(head), response.body, to: request.method)
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
