// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCacheStateMachine {
    /// The origin's 304 to the conditions of the stored response: [RFC 9111 §4.3.3](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.3).
    mutating func notModified(_ received: Received, _ stored: StoredResponse, _ exchange: Exchange) -> ResponseAction {
        // A stored Age would go anyway.
        let storedHead = stored.headWithoutAge
        guard let notModified = NotModifiedResponse(received.head), notModified.confirms(storedHead) else {
            return askAgain(exchange, because: .wrongNotModified)
        }
        let head = notModified.freshening(storedHead, responseTime: received.responseTime, rules: rules)
        let freshened = storedForm(of: received, head: head, body: stored.body, trailers: stored.trailers)
        let form = form(of: freshened, now: received.responseTime)
        // The 304 can change the validator with which If-Range is compared.
        if form.isIncomplete, !exchange.isRefresh { return askAgain(exchange, because: .wrongNotModified) }
        let storability = Storability(of: head, to: client.original, freshness: freshened.freshness, rules: rules)
        let isStorable = storability == .storable
        let forwarding = CacheStatus.Forwarding(exchange.cause.reason, status: 304, isStored: isStorable)
        let status = status(.forwarded(forwarding), timeToLive: freshened.freshness.wholeTimeToLive(at: received.responseTime))
        let answer = answer(form, from: freshened, because: .confirmed, status: status, now: received.responseTime, wasValidated: true)
        // An answer to credentials says nothing of the answer that others get: RFC 9111 §3.5.
        if storability == .notStorable(.authorization) { return .respond(answer, storing: nil, Effects(reason: HTTPDecision(.authorization))) }
        return .respond(
            answer,
            storing: isStorable ? freshened : nil,
            Effects(reason: isStorable ? .validated : .validatedNotKept, removesFound: !isStorable)
        )
    }

    /// Sends the request once more, without anything of the stored response and without conditions.
    mutating func askAgain(_ exchange: Exchange, because decision: HTTPDecision) -> ResponseAction {
        var exchange = exchange
        exchange.cause.decision = decision
        exchange.question = .asClient
        client.dropCacheConditions()
        return .forwardAgain(forward(exchange))
    }

    /// The origin's answer to HEAD, where a response to GET is stored: [RFC 9111 §4.3.5](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.5).
    func headAnswered(_ received: Received, _ stored: StoredResponse, _ exchange: Exchange) -> ResponseAction {
        // A response without content is never stored by itself.
        var effects = Effects(reason: HTTPDecision(.method))
        let storedHead = stored.head
        var update = HeadUpdate(
            of: storedHead,
            completeLength: stored.body.completeLength,
            by: received.head,
            responseTime: received.responseTime,
            rules: rules
        )
        // Clients that accept other codings share the response. The answer to one of them has another length, and maybe another tag.
        if stored.isCodable, storedHead.headerFields[values: .contentEncoding] != received.head.headerFields[values: .contentEncoding] {
            update = .saysNothing
        }
        switch update {
        case .freshens(let freshened):
            let updated = storedForm(of: received, head: freshened, body: stored.body, trailers: stored.trailers)
            var get = client.original
            get.method = .get
            // One that says of other fields or parameters that they matter is stored elsewhere, for a request that is not known any more.
            let isSelectedAlike = updated.vary == stored.vary && updated.noVarySearch == stored.noVarySearch
            let storability = Storability(of: freshened, to: get, freshness: updated.freshness, rules: rules)
            if storability == .notStorable(.authorization) { break }
            let isStorable = storability == .storable && isSelectedAlike
            effects = Effects(
                reason: isStorable ? .updatedByHead : .validatedNotKept,
                removesFound: !isStorable,
                replacement: isStorable ? updated : nil
            )
        case .contradicts:
            effects = Effects(reason: .headDiffers, removesFound: true)
        case .saysNothing:
            break
        }
        return .deliver(deliveredHead(received, exchange, timeToLive: nil, because: nil), effects)
    }
}
