// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization

/// Requests whose callers ask the origin themselves, before the ordinary way of the cache begins.
extension HTTPFlightRun {
    /// The response to a request whose caller asks the origin itself, as the Hummingbird middleware does, unless another one is asking.
    func respondEarly(toParsed request: HTTPCache.Request) async throws -> HTTPCacheResponse {
        let cache = harness.cache
        switch try cache.begin(request) {
        case .hit(let response), .generated(let response): return response
        case .pending(let pending):
            guard let early = cache.beginEarly(pending) else { return try await cache.respond(to: pending, through: harness.transport) }
            let sent = await send(early.forwarded)
            if case .success(let response) = sent, let content = response.body.bytesAtHand,
                let answer = await answered(cache.answer(early, with: response.head, content))
            {
                return answer
            }
            return try await cache.respond(to: pending, through: SentTransport(sent, then: harness.transport), after: early.miss)
        }
    }

    private func send(_ request: HTTPRequest) async -> Result<TransportResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await harness.transport.send(request, body: .empty, onInterimResponse: nil))
        } catch {
            return .failure(error)
        }
    }

    private func answered(_ answer: HTTPCache.EarlyAnswer?) async -> HTTPCacheResponse? {
        switch answer {
        case .response(let answer): return answer
        case .responseToStore(let answer, let store):
            await store()
            return answer
        case nil: return nil
        }
    }

    /// The response to a request that is sent to the origin before the cache has been given it, as the proxy sends plain misses.
    ///
    /// - Returns: `nil` if the cache may have something for it.
    func respondEarly(to request: HTTPRequest) async throws -> HTTPCacheResponse? {
        let (cache, path) = (harness.cache, request.path ?? "")
        let miss: HTTPCache.EarlyMiss
        switch cache.beginMiss(targetURI: "http://example.com\(path)", selectingFields: { request.headerFields }) {
        case .miss(let begun): miss = begun
        case .found:
            guard let begun = cache.beginValidation(HTTPCache.Request(request)) else { return nil }
            miss = begun
        case .nothing: return nil
        }
        var question = request
        miss.conditions.withUnsafeBytes { question.headerFields += HTTPFields(PlainLines($0)) }
        let sent = await send(question)
        if case .success(let response) = sent, let content = response.body.bytesAtHand {
            if let answer = answerAsItCame(response.head, content, miss) { return answer }
            if let answer = await answered(cache.answer(miss, to: HTTPCache.Request(request), with: response.head, content)) { return answer }
        }
        switch try cache.begin(HTTPCache.Request(request)) {
        case .hit(let response), .generated(let response):
            cache.forget(miss)
            return response
        case .pending(let pending):
            let transport = SentTransport(sent, then: harness.transport)
            return try await cache.respond(to: pending, through: transport, after: cache.isBegun(pending, by: miss) ? miss : nil)
        }
    }

    /// The answer that needs no parsed response, for some of the responses that could be answered so.
    private func answerAsItCame(_ head: HTTPResponse, _ content: ByteBuffer, _ miss: HTTPCache.EarlyMiss) -> HTTPCacheResponse? {
        var head = head
        head.headerFields.append(HTTPField(name: .date, value: HTTPDate(harness.time.now()).description))
        if head.status == .notModified { return harness.cache.confirm(miss, head) }
        guard content.readableBytes.isMultiple(of: 2), !miss.isOfStale || head.status.code < 500 else { return nil }
        head.headerFields[.contentLength] = String(content.readableBytes)
        return harness.cache.store(miss, head, content)
    }
}

/// Gives the outcome of one request that was sent before, once, and sends all other requests.
private final class SentTransport: Transport {
    private let sent: Mutex<Result<TransportResponse, TransportError>?>
    private let transport: any Transport

    init(_ sent: Result<TransportResponse, TransportError>, then transport: any Transport) {
        self.sent = Mutex(sent)
        self.transport = transport
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        if let sent = sent.withLock({ $0.take() }) { return try sent.get() }
        return try await transport.send(request, body: body, onInterimResponse: onInterimResponse)
    }
}
