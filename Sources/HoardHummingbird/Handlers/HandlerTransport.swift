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
        if let sent = exchange.takeSent() { return try await sent.outcome().get() }
        guard let request = exchange.request(for: request, body) else { throw TransportError(.cancelled, "The handler is not for this method.") }
        return try exchange.received(await run(request)).get()
    }
}
