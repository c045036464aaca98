// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPCacheStateMachine {
    /// Decides how the origin's response is delivered and stored.
    ///
    /// - Parameters:
    ///   - response: The final response, as it was received.
    ///   - bodyLength: The length of its content, if it is known beforehand.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the head of the response arrived.
    package mutating func received(_ response: HTTPResponse, bodyLength: Int?, requestTime: Date, responseTime: Date) -> ResponseAction {
        guard case .forwarding(let exchange) = state else { preconditionFailure("received() in state \(stateDescription)") }
        state = .done
        var response = response
        response.headerFields = response.headerFields.dated(responseTime)
        apply(policy, to: &response, about: exchange)
        let received = Received(head: response, bodyLength: bodyLength, requestTime: requestTime, responseTime: responseTime)
        if let stored = exchange.stored {
            switch (exchange.question, response.status.code) {
            case (.validation, 304): return notModified(received, stored, exchange)
            case (.completion(let part), 206): return completed(received, stored, part, exchange)
            // The origin was asked neither conditionally nor for a range by its client.
            case (.completion, 304), (.completion, 416): return askAgain(exchange, because: .unusablePart)
            case (.asClient, 500...), (.validation, 500...):
                if let action = staleAfterError(received, stored, exchange) { return action }
            case (.asClient, _) where client.kind == .head: return headAnswered(received, stored, exchange)
            default: break
            }
        }
        return delivered(received, exchange)
    }

    /// Adds the policy's field to the response, in place of a field that the origin has sent under the same name.
    private func apply(_ policy: CompiledHTTPCachePolicy?, to response: inout HTTPResponse, about exchange: Exchange) {
        if response.headerFields.contains(.hoardPolicy) { response.headerFields[.hoardPolicy] = nil }
        guard let policy else { return }
        // A 304 is about the response that is stored.
        let confirmed = response.status.code == 304 ? exchange.stored?.head : nil
        let value = policy.fieldValue(
            status: confirmed?.status ?? response.status,
            hasCookie: response.headerFields.contains(.setCookie) || confirmed?.headerFields.contains(.setCookie) == true,
            mode: rules.mode
        )
        if !value.isEmpty { response.headerFields.append(HTTPField(name: .hoardPolicy, value: value)) }
    }

    /// The response that the origin sent, and its times.
    struct Received {
        /// Has a `Date`.
        var head: HTTPResponse
        var bodyLength: Int?
        var requestTime: Date
        var responseTime: Date
    }

    // MARK: Delivery

    /// The response goes to the client, and is stored if it may be.
    func delivered(_ received: Received, _ exchange: Exchange) -> ResponseAction {
        let freshness = ResponseFreshness(
            of: received.head,
            requestTime: received.requestTime,
            responseTime: received.responseTime,
            rules: rules
        )
        let invalidated = Invalidation.uris(after: received.head, to: client.passedOn)
        let groups = CacheGroups.invalidated(by: received.head, to: client.passedOn)
        switch judgement(received, freshness, exchange) {
        case .store(let storing, let reason):
            let head = deliveredHead(received, exchange, timeToLive: freshness.wholeTimeToLive(at: received.responseTime), because: nil)
            return .deliverAndStore(head, storing, Effects(reason: reason, invalidatedURIs: invalidated, invalidatedGroups: groups))
        case .refuse(let reason):
            let head = deliveredHead(received, exchange, timeToLive: nil, because: reason)
            // An answer to credentials says nothing of the answer that others get: RFC 9111 §3.5.
            let isForOthers = reason != HTTPDecision(.authorization)
            let removesFound = isForOthers && exchange.stored.map { received.supersedes($0, isNoStore: freshness.cacheControl.noStore) } ?? false
            let effects = Effects(reason: reason, invalidatedURIs: invalidated, invalidatedGroups: groups, removesFound: removesFound)
            return .deliver(head, effects)
        }
    }

    func deliveredHead(_ received: Received, _ exchange: Exchange, timeToLive: Double?, because reason: HTTPDecision?) -> HTTPResponse {
        var head = prepared(received.head)
        head.headerFields = head.headerFields.removingHopByHopFields()
        if head.headerFields.contains(.hoardPolicy) { head.headerFields[.hoardPolicy] = nil }
        let forwarding = CacheStatus.Forwarding(exchange.cause.reason, status: head.status.code, isStored: timeToLive != nil)
        // Where the response could not have been stored whatever it is, the reason for forwarding says it already.
        let detail = exchange.mayStore && reason != HTTPDecision(.method) ? reason : nil
        status(.forwarded(forwarding), timeToLive: timeToLive, because: detail).append(to: &head.headerFields)
        return head
    }

    // MARK: Storing

    private enum Judgement {
        case store(Storing, HTTPDecision)
        case refuse(HTTPDecision)
    }

    /// Decides what to store of a response, and gives the reason.
    private func judgement(_ received: Received, _ freshness: ResponseFreshness, _ exchange: Exchange) -> Judgement {
        let code = received.head.status.code
        if !exchange.mayStore { return .refuse(reasonNotToStoreAnything(exchange)) }
        if exchange.question == .asClient, code != 200, !client.fields.isDisjoint(with: .cacheConditions), client.kind != .head {
            return .refuse(code == 304 ? .notModifiedForClient : .clientCondition)
        }
        let storability = Storability(
            of: received.head,
            to: client.original,
            freshness: freshness,
            rules: rules,
            bodyLength: received.bodyLength
        )
        if case .notStorable(let reason) = storability { return .refuse(HTTPDecision(reason)) }
        if code == 206 { return storingPart(received, exchange).map { .store($0, $1) } ?? .refuse(HTTPDecision(.partial)) }
        let digest = rules.checksDigests ? ContentDigest(of: received.head) : nil
        let storing = Storing(
            response: storedForm(of: received, head: received.head, freshness: freshness),
            // Content that is made of parts is compared with no digest.
            mayKeepIncomplete: client.kind == .get && received.mayBeCompletedLater && digest == nil,
            digest: digest
        )
        return .store(storing, client.kind == .unsafe ? .storedForGet : .stored)
    }

    /// The reason why no response to the request may be stored.
    private func reasonNotToStoreAnything(_ exchange: Exchange) -> HTTPDecision {
        if client.directives.noStore { return HTTPDecision(.requestNoStore) }
        return exchange.cause.decision == .method ? HTTPDecision(.method) : exchange.cause.decision
    }

    /// A head with all that may be served in other forms has to say.
    private func prepared(_ head: HTTPResponse) -> HTTPResponse {
        rules.codings?.prepared(head) ?? head
    }

    /// The response as it is stored, without its content.
    ///
    /// - Parameter freshness: The freshness of the head; `nil`: it has not been read yet.
    func storedForm(
        of received: Received,
        head: HTTPResponse,
        body: StoredBody = .empty,
        trailers: HTTPFields = [:],
        freshness: ResponseFreshness? = nil
    ) -> StoredResponse {
        var head = prepared(head)
        let freshness =
            freshness ?? ResponseFreshness(of: head, requestTime: received.requestTime, responseTime: received.responseTime, rules: rules)
        let fieldCount = head.headerFields.count
        head.headerFields = head.headerFields.removingFieldsNotStored(cacheControl: freshness.cacheControl, rules: rules)
        return StoredResponse(
            head: head,
            body: body,
            trailers: trailers,
            requestTime: received.requestTime,
            responseTime: received.responseTime,
            // Fields that are left out may have been read for it.
            freshness: head.headerFields.count == fieldCount ? freshness : nil,
            rules: rules
        )
    }
}

extension HTTPCacheStateMachine.Received {
    /// Whether it shows the present state of the resource, so that the stored response must not be used any more. It is neither an error of the
    /// origin, nor about this request alone, such as 401 or 429, nor a part of the stored response.
    fileprivate func supersedes(_ stored: StoredResponse, isNoStore: Bool) -> Bool {
        switch head.status.code {
        case 304, 401, 407, 408, 412, 416, 417, 421, 425, 428, 429, 431:
            return false
        case 206:
            return isNoStore || part(of: stored) == nil
        default:
            return head.status.code < 500
        }
    }

    /// Whether the rest can be fetched if the transfer breaks off: [RFC 9111 §3.3](https://www.rfc-editor.org/rfc/rfc9111#section-3.3).
    fileprivate var mayBeCompletedLater: Bool {
        head.status.code == 200 && StrongValidator(of: head.headerFields) != nil
    }
}
