// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore

extension HTTPCache {
    /// Asks the origin, and stores, freshens or invalidates as its answer demands.
    func forward(
        _ request: HTTPRequest,
        body: HTTPBody,
        through transport: any Transport,
        machine: inout HTTPCacheStateMachine,
        flight: Flight?
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        let requestTime = clock.now()
        let response: TransportResponse
        do {
            response = try await transport.send(request, body: body)
        } catch {
            let status = machine.forwardFailed(detail: error.code.description)
            throw HTTPCacheError(.forwardFailed, error.message, transportError: error, cacheStatus: status.fieldValue)
        }
        let action = machine.received(
            response.head,
            bodyLength: response.body.length,
            requestTime: requestTime,
            responseTime: clock.now()
        )
        switch action {
        case .deliver(let head, let invalidating, let superseding):
            if superseding { await flight?.removeFound() }
            for uri in invalidating {
                // What a private cache keeps for these credentials, and what it keeps for requests without any.
                for scope in Set([baseScope, scope(for: request)]) {
                    await entries.removeValue(forKey: HTTPCacheKey(scope: scope, targetURI: uri))
                }
            }
            return HTTPCacheResponse(head: head, body: response.body, isFromCache: false)

        case .deliverAndStore(let head, let storing):
            guard let flight else { return HTTPCacheResponse(head: head, body: response.body, isFromCache: false) }
            let body = await recorded(response.body, storing: storing, flight: flight)
            return HTTPCacheResponse(head: head, body: body, isFromCache: false)

        case .respond(let answer, let storing):
            if let storing {
                await flight?.store(storing)
            } else {
                await flight?.removeFound()
            }
            return HTTPCacheResponse(head: answer.head, body: HTTPBody(answer.body), isFromCache: true)

        case .forwardAgain(let unconditional):
            return try await forward(unconditional, body: body, through: transport, machine: &machine, flight: flight)
        }
    }

    /// The body, stored as soon as all of it has been received.
    private func recorded(_ body: HTTPBody, storing: StoredResponse, flight: Flight) async -> HTTPBody {
        // Nobody need read the body of a response that has none (RFC 9110 §15.3.5), such as many a redirect.
        let isEmpty = storing.head.status == .noContent || body.length == 0
        if let bytes = isEmpty ? ByteBuffer() : body.bytesAtHand {
            if bytes.readableBytes <= configuration.maximumObjectBytes {
                var storing = storing
                storing.body = bytes
                await flight.store(storing)
            }
            return body
        }
        let recording = BodyRecording(
            expectedLength: body.length,
            maximumByteCount: configuration.maximumObjectBytes,
            budget: budget,
            onCompletion: { bytes in
                var storing = storing
                storing.body = bytes
                await flight.store(storing)
            },
            onGivingUp: {}
        )
        return HTTPBody(RecordedBody(body: body, recording: recording), length: body.length)
    }
}
