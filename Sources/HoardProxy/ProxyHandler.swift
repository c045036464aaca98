// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import Logging
internal import NIOHTTP1

/// Answers one request to the proxy at a time, any number of them in parallel.
struct ProxyHandler: Sendable {
    let routes: CurrentRoutes
    let name: String
    let cache: HTTPCache
    let logger: Logger
    var webSockets = WebSocketCounts()

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        switch begin(request) {
        case .response(let response): response
        case .pending(let pending): await respond(to: pending)
        }
    }

    /// The same for a request of the proxy's own, which is no span of a trace.
    func respondUntraced(to request: HTTPServerRequest) async -> HTTPServerResponse {
        switch begin(request, routes.current) {
        case .response(let response): response
        case .pending(let pending): await respond(to: pending)
        }
    }

    /// How far a request has been answered without waiting.
    enum Beginning {
        case response(HTTPServerResponse)
        case pending(PendingRequest)
    }

    struct PendingRequest: Sendable {
        enum Kind: Sendable {
            case cached(HTTPCache.PendingRequest)
            case webSocket(WebSocketRequest)
            /// The client's credentials have yet to be checked.
            case unverified(UnverifiedRequest)
        }

        let kind: Kind
        let route: ProxyRoute
        fileprivate let client: ForwardedClient?
        /// The request as the route's rules know it; `nil`: there are none.
        fileprivate let ruled: RuledRequest?
        fileprivate let sendInterimResponse: InterimResponseHandler
        /// `nil`: there is no tracing.
        fileprivate var trace: ExchangeTrace?
        /// `nil`: nothing has been sent yet.
        var relayed: RelayedMiss?
    }

    struct UnverifiedRequest: Sendable {
        let credentials: BasicAuthentication.Credentials
        let authentication: BasicAuthentication
        let request: HTTPServerRequest
        let head: HTTPRequest
        let ruled: RuledRequest
        let routes: RouteTable
    }

    /// Answers a request if that can be done without waiting. Never suspends. ``respond(to:)-(PendingRequest)`` does
    /// the rest.
    func begin(_ request: HTTPServerRequest) -> Beginning {
        let routes = routes.current
        guard let tracing = routes.tracing else { return begin(request, routes) }
        let trace = tracing.begin(request.head)
        switch begin(request, routes) {
        case .response(let response):
            return .response(response.traced(trace))
        case .pending(var pending):
            pending.trace = trace
            return .pending(pending)
        }
    }

    private func begin(_ request: HTTPServerRequest, _ routes: RouteTable) -> Beginning {
        var head = request.head
        if ForwardedRequest.countHop(&head) == .answer { return .response(answerHere(head)) }
        let route: ProxyRoute
        switch routes.match(authority: head.authority, target: head.path ?? "/") {
        case .route(let match): route = match
        case .unknownHost:
            return .response(ErrorPage.response(.misdirectedRequest, "This proxy has no route for the host.\n", cacheStatus: nil))
        case .unknownPath:
            return .response(ErrorPage.response(.notFound, "This proxy has no route for the path.\n", cacheStatus: nil))
        case .ambiguousPath:
            return .response(ErrorPage.response(.badRequest, "Servers read the path in different ways.\n", cacheStatus: nil))
        }
        let beginning = beginRouted(request, head, on: route, routes)
        guard let site = route.site, case .response(let response) = beginning else { return beginning }
        return .response(response.counted(for: site))
    }

    private func beginRouted(_ request: HTTPServerRequest, _ head: HTTPRequest, on route: ProxyRoute, _ routes: RouteTable) -> Beginning {
        guard let rules = route.rules else { return begin(request, head, on: route, nil, routes) }
        var ruled = route.ruled(request.head, client: routes.trustedProxies.client(of: request))
        if let response = rules.admission(of: ruled) { return .response(finished(response, on: route, ruled)) }
        if let authentication = rules.authentication {
            switch authentication.begin(head) {
            case .known(.user(let name)):
                ruled.user = name
            case .known(let verdict):
                return .response(finished(authentication.answer(verdict), on: route, ruled))
            case .unknown(let credentials):
                let unverified = UnverifiedRequest(
                    credentials: credentials,
                    authentication: authentication,
                    request: request,
                    head: head,
                    ruled: ruled,
                    routes: routes
                )
                let kind = PendingRequest.Kind.unverified(unverified)
                return .pending(PendingRequest(kind: kind, route: route, client: nil, ruled: ruled, sendInterimResponse: request.sendInterimResponse))
            }
        }
        return beginAdmitted(request, head, on: route, rules, ruled, routes)
    }

    /// - Parameter ruled: With the user, if that has to be known.
    private func beginAdmitted(
        _ request: HTTPServerRequest,
        _ head: HTTPRequest,
        on route: ProxyRoute,
        _ rules: RouteRules,
        _ ruled: RuledRequest,
        _ routes: RouteTable
    ) -> Beginning {
        if let response = rules.answer(to: ruled) { return .response(finished(response, on: route, ruled)) }
        var head = head
        rules.change(&head, ruled)
        let beginning = begin(request, head, on: route, ruled, routes)
        guard case .response(let response) = beginning else { return beginning }
        return .response(finished(response, on: route, ruled))
    }

    /// - Parameter head: The request's, after the route's rules.
    private func begin(
        _ request: HTTPServerRequest,
        _ head: HTTPRequest,
        on route: ProxyRoute,
        _ ruled: RuledRequest?,
        _ routes: RouteTable
    ) -> Beginning {
        let client = route.client(of: request, trusting: routes.trustedProxies)
        func pending(_ kind: PendingRequest.Kind) -> Beginning {
            let sendInterimResponse = request.sendInterimResponse
            return .pending(PendingRequest(kind: kind, route: route, client: client, ruled: ruled, sendInterimResponse: sendInterimResponse))
        }
        let forwarded = forwarded(head, of: request, on: route, client: client)
        if request.opensWebSocket {
            if route.upstream.opensWebSockets {
                let webSocket = WebSocketRequest(forwarded, body: request.body, isExtendedConnect: head.method == .connect)
                return pending(.webSocket(webSocket))
            }
            // Over HTTP/1.1 it is a request like any other, whose offer is not taken: RFC 9110 §7.8.
            if head.method == .connect {
                return .response(ErrorPage.response(.notImplemented, "This proxy opens no WebSocket for the path.\n", cacheStatus: nil))
            }
        }
        do {
            let body = request.opensWebSocket ? .empty : request.body
            switch try cache.begin(
                HTTPCache.Request(forwarded, body: body, policy: route.policy, wantsEarlyHints: route.sendsEarlyHints(to: request))
            ) {
            case .hit(let response), .generated(let response): return .response(answer(response))
            case .pending(let request): return pending(.cached(request))
            }
        } catch {
            return .response(failure(error, on: route))
        }
    }

    func respond(to pending: PendingRequest) async -> HTTPServerResponse {
        let response: HTTPServerResponse
        if case .unverified(let request) = pending.kind {
            response = await respond(to: request, on: pending.route, pending.trace)
        } else {
            let unruled = await placedResponse(to: pending)
            response = pending.ruled.map { finished(unruled, on: pending.route, $0) } ?? unruled
        }
        let counted = response.counted(for: pending.route.site)
        return pending.trace.map { counted.traced($0) } ?? counted
    }

    /// The response, if the route's site has a place for the request.
    private func placedResponse(to pending: PendingRequest) async -> HTTPServerResponse {
        guard let site = pending.route.site else { return await responseWithoutRules(to: pending) }
        guard site.enter() else { return Site.isFull }
        return site.keepingPlace(of: await responseWithoutRules(to: pending))
    }

    private func respond(to unverified: UnverifiedRequest, on route: ProxyRoute, _ trace: ExchangeTrace?) async -> HTTPServerResponse {
        let authentication = unverified.authentication
        var ruled = unverified.ruled
        let verdict = await authentication.verdict(on: unverified.credentials)
        guard case .user(let name) = verdict, let rules = route.rules else { return finished(authentication.answer(verdict), on: route, ruled) }
        ruled.user = name
        switch beginAdmitted(unverified.request, unverified.head, on: route, rules, ruled, unverified.routes) {
        case .response(let response):
            return response
        case .pending(var pending):
            pending.trace = trace
            return await respond(to: pending)
        }
    }

    /// A response as the route's rules want it. A response that opens a WebSocket stays as it is.
    private func finished(_ response: HTTPServerResponse, on route: ProxyRoute, _ ruled: RuledRequest) -> HTTPServerResponse {
        guard let rules = route.rules, response.head.status != .switchingProtocols else { return response }
        var response = response
        rules.change(&response, to: ruled)
        return response
    }

    private func responseWithoutRules(to pending: PendingRequest) async -> HTTPServerResponse {
        let untraced = pending.route.group.transport(for: pending.client, after: pending.relayed?.request)
        let transport = pending.trace?.transport(untraced) ?? untraced
        switch pending.kind {
        case .cached(let request):
            do {
                let send = pending.sendInterimResponse
                return answer(
                    try await cache.respond(to: request, through: transport, onInterimResponse: send, after: pending.relayed?.miss)
                )
            } catch {
                return failure(error, on: pending.route)
            }
        case .unverified(let request):
            return await respond(to: request, on: pending.route, pending.trace)
        case .webSocket(let request):
            do {
                return try await open(request, through: transport, ticker: pending.route.group.ticker, onInterimResponse: pending.sendInterimResponse)
            } catch {
                return failure(error, on: pending.route)
            }
        }
    }

    /// A client's request as the cache and the upstream get it.
    func forwarded(_ head: HTTPRequest, of request: HTTPServerRequest, on route: ProxyRoute, client: ForwardedClient?) -> HTTPRequest {
        ForwardedRequest.make(
            from: head,
            to: route.origin,
            authority: route.authority(forClients: head.authority),
            version: "\(request.version.major).\(request.version.minor)",
            name: name,
            client: client,
            written: route.rules?.writtenRequestFields ?? [],
            ruled: route.rules?.ruledRequestFields ?? [],
            passesUnderscores: route.upstream.passesUnderscores
        )
    }

    func answer(_ response: HTTPCacheResponse) -> HTTPServerResponse {
        var head = response.head
        head.headerFields.append(HTTPField(name: .via, value: "1.1 \(name)"))
        return HTTPServerResponse(head: head, body: response.body, report: response.report)
    }

    /// Returns the answer to a request that asks the server it has reached to reply itself.
    private func answerHere(_ request: HTTPRequest) -> HTTPServerResponse {
        guard request.method == .options else {
            return ErrorPage.response(.methodNotAllowed, "This proxy does not answer TRACE.\n", cacheStatus: nil)
        }
        return HTTPServerResponse(head: HTTPResponse(status: .noContent), body: .empty, report: AnswerReport(.generated, tier: .none))
    }

    private func failure(_ error: HTTPCacheError, on route: ProxyRoute) -> HTTPServerResponse {
        guard let transportError = error.transportError else {
            return ErrorPage.response(.badRequest, "\(error.message)\n", cacheStatus: error.cacheStatus)
        }
        return failure(transportError, isStaleProhibited: error.isStaleProhibited, cacheStatus: error.cacheStatus, on: route)
    }

    private func failure(
        _ transportError: TransportError,
        isStaleProhibited: Bool = false,
        cacheStatus: String? = nil,
        on route: ProxyRoute
    ) -> HTTPServerResponse {
        if transportError.code == .cancelled {
            var response = ErrorPage.response(.init(code: ExchangeReport.abandonedStatus), "The client has left.\n", cacheStatus: nil)
            response.note = ExchangeNote(AnswerReport(.abandoned, tier: .none))
            return response
        }
        if let bodyError = transportError.underlyingError as? RequestBodyError {
            let status: HTTPResponse.Status = bodyError.code == .timedOut ? .requestTimeout : .badRequest
            return ErrorPage.response(status, "\(bodyError)\n", cacheStatus: cacheStatus)
        }
        if transportError.code == .requestTooLarge {
            let text = "The origin takes no fields as long as those of this request.\n"
            return ErrorPage.response(.requestHeaderFieldsTooLarge, text, cacheStatus: cacheStatus)
        }
        // Of an outage the beginning and the end are told, not every request.
        if !(transportError.underlyingError is UpstreamOutage) {
            logger.warning(
                "The origin did not answer.",
                metadata: ["reason": "\(transportError.code)", "upstream": "\(route.upstream.name)", "error": "\(transportError.message)"]
            )
        }
        // The cache must not use a stored response without the origin's word: RFC 9111 §5.2.2.2.
        let isGatewayTimeout = transportError.code == .timedOut || isStaleProhibited
        let status: HTTPResponse.Status = isGatewayTimeout ? .gatewayTimeout : .badGateway
        // No more than that: addresses and names behind the proxy are not for clients.
        let text =
            transportError.code == .timedOut ? "The proxy got no answer from the origin in time.\n" : "The proxy got no answer from the origin.\n"
        return ErrorPage.response(status, text, cacheStatus: cacheStatus, document: route.rules?.errorPage)
    }
}

/// A response that the proxy makes itself, never to be stored.
enum ErrorPage {
    /// - Parameter document: Takes the place of the text.
    static func response(
        _ status: HTTPResponse.Status,
        _ text: String,
        cacheStatus: String?,
        document: ErrorDocument? = nil
    ) -> HTTPServerResponse {
        var head = HTTPResponse(status: status)
        head.headerFields[.contentType] = document?.mediaType ?? "text/plain; charset=utf-8"
        head.headerFields[.cacheControl] = "no-store"
        if let cacheStatus { head.headerFields.append(HTTPField(name: .cacheStatus, value: cacheStatus)) }
        return HTTPServerResponse(head: head, body: document?.body ?? HTTPBody(text), report: AnswerReport(.failure, tier: .none))
    }
}
