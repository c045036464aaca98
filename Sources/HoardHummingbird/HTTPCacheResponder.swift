// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
public import Hummingbird

/// A responder that answers from a cache, and has another one make the responses that the cache does not have.
/// ``HTTPCacheMiddleware/responder(around:)`` makes it.
///
/// Unlike a plain middleware it keeps its handler. So it revalidates stale responses in the background, and requests that wait for one answer get it
/// even if the client of the first request leaves.
public struct HTTPCacheResponder<Context: RequestContext>: HTTPResponder {
    let caching: HTTPCacheMiddleware<Context>
    let origin: any HTTPResponder<Context>

    public func respond(to request: Request, context: Context) async throws -> Response {
        let (target, pending): (CacheTarget, HTTPCache.PendingRequest)
        switch caching.plan(for: request, context, runsLater: true) {
        case .around: return caching.bypassed(try await origin.respond(to: request, context: context))
        case .response(let response): return response
        case .cache(let itsTarget, let request): (target, pending) = (itsTarget, request)
        }
        let handler = origin.respond(to:context:)
        return try await caching.answer(pending, to: target, request, context, isFresh: true) { request in
            await HandlerOutcome.of(request, context.withNewNotes(), handler)
        }
    }
}
