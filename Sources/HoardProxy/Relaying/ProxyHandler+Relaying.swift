// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

extension ProxyHandler {
    /// Begins to answer a request that has been sent on by its bytes.
    func begin(_ request: HTTPServerRequest, after relayed: RelayedMiss) -> ImmediateBeginning {
        switch begin(request) {
        case .response(let response):
            relayed.forget()
            return .response(response)
        case .pending(var pending):
            // The routes may have changed meanwhile.
            if case .cached(let cached) = pending.kind, pending.route === relayed.route, cache.isBegun(cached, by: relayed.miss), relayed.take() {
                pending.relayed = relayed
            } else {
                relayed.forget()
            }
            return .later { [self, pending] in await respond(to: pending) }
        }
    }

    /// A client's request as the cache gets it on a route that does nothing else with it.
    func cacheRequest(_ request: HTTPServerRequest, on route: ProxyRoute) -> HTTPCache.Request {
        HTTPCache.Request(forwarded(request, on: route), policy: route.policy)
    }

    /// The fields of a client's request by which responses are selected, as an origin gets them.
    func selectingFields(of request: HTTPServerRequest, on route: ProxyRoute) -> HTTPFields {
        forwarded(request, on: route).headerFields.removingHopByHopFields()
    }

    private func forwarded(_ request: HTTPServerRequest, on route: ProxyRoute) -> HTTPRequest {
        forwarded(request.head, of: request, on: route, client: route.client(of: request, trusting: routes.current.trustedProxies))
    }
}
