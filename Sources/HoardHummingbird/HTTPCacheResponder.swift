// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
public import Hummingbird
internal import Synchronization

/// A responder that answers from a cache, and has another one make the responses that the cache does not have.
/// ``HTTPCacheMiddleware/responder(around:)`` makes it.
///
/// Unlike a plain middleware it keeps its handler. So it revalidates stale responses in the background, and requests that wait for one answer get it
/// even if the client of the first request leaves.
public struct HTTPCacheResponder<Context: RequestContext>: HTTPResponder {
    let caching: HTTPCacheMiddleware<Context>
    let origin: any HTTPResponder<Context>

    public func respond(to request: Request, context: Context) async throws -> Response {
        let (exchange, pending): (HandlerExchange, HTTPCache.PendingRequest)
        switch caching.plan(for: request, context, runsLater: true) {
        case .around: return caching.bypassed(try await origin.respond(to: request, context: context))
        case .response(let response): return response
        case .cache(let itsExchange, let request): (exchange, pending) = (itsExchange, request)
        }
        let run = { @Sendable [origin] (request: Request) in await HandlerOutcome.of(request, context.withNewNotes(), origin.respond(to:context:)) }
        if let (early, request) = caching.beginEarly(pending, exchange) {
            // Not on this task, which ends when its client leaves: others may want the answer.
            let outcome = OutcomeBox()
            let task = startImmediateTask {
                let received = exchange.received(await run(request))
                outcome.put(received)
                return received
            }
            if let received = outcome.value {
                if let response = try await caching.answer(early, with: received, exchange) { return response }
            } else {
                let sent = HandlerExchange.Sent(miss: early.miss) {
                    await withTaskCancellationHandler {
                        await task.value
                    } onCancel: {
                        task.cancel()
                    }
                }
                exchange.keep(sent)
            }
        }
        return try await caching.answer(pending, exchange, isFresh: true, run)
    }
}

/// The outcome of a handler, once it has one.
private final class OutcomeBox: Sendable {
    private let outcome = Mutex<Result<TransportResponse, TransportError>?>(nil)

    var value: Result<TransportResponse, TransportError>? { outcome.withLock(\.self) }

    func put(_ value: Result<TransportResponse, TransportError>) { outcome.withLock { $0 = value } }
}
