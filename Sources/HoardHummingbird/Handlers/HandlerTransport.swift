// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import Hummingbird

/// The handler of a request, as an origin.
struct HandlerTransport: Transport {
    let exchange: HandlerExchange
    let run: @Sendable (Request) async -> HandlerOutcome

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        guard let request = exchange.request(for: request, body) else { throw TransportError(.cancelled, "The handler is not for this method.") }
        switch await run(request) {
        case .answer(let answer):
            return exchange.received(answer)
        case .failed(let error):
            exchange.failed(error)
            throw TransportError(.failed, "The handler failed.", underlyingError: error)
        case .cancelled:
            throw TransportError(.cancelled, "The handler was cancelled.")
        }
    }
}
