// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPCacheStateMachine {
    /// Decides the client's answer if no response came: the stored response, if it may be served stale
    /// ([RFC 9111 §4.2.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.2.4), [RFC 5861 §4](https://www.rfc-editor.org/rfc/rfc5861#section-4)), or an error.
    package mutating func forwardFailed(_ failure: ForwardFailure, now: Date) -> FailureAction {
        guard case .forwarding(let exchange) = state else { preconditionFailure("forwardFailed() in state \(stateDescription)") }
        state = .done
        let forwarding = CacheStatus.Forwarding(exchange.cause.reason)
        var prohibition: StaleProhibition?
        if let stored = exchange.stored {
            let decision = ReuseDecision(request: client.directives, stored: stored.freshness, now: now)
            // That no response came counts as an error of the gateway.
            let serving =
                failure.isUnreachable ? StaleServing.whenUnreachable(decision, rules: rules) : StaleServing.afterError(status: 502, decision)
            if let answer = staleAnswer(stored, serving, decision, forwarding, now: now) { return .respond(answer) }
            if case .prohibited(let reason) = serving { prohibition = reason }
        }
        return .fail(CacheStatus(cacheName: rules.cacheName, .forwarded(forwarding), detail: failure.detail), prohibition: prohibition)
    }

    /// Returns the stored response in place of the origin's error, if it may be served stale.
    func staleAfterError(_ received: Received, _ stored: StoredResponse, _ exchange: Exchange) -> ResponseAction? {
        let forwarding = CacheStatus.Forwarding(exchange.cause.reason, status: received.head.status.code)
        let decision = ReuseDecision(request: client.directives, stored: stored.freshness, now: received.responseTime)
        let serving = StaleServing.afterError(status: received.head.status.code, decision)
        guard let answer = staleAnswer(stored, serving, decision, forwarding, now: received.responseTime) else { return nil }
        return .respond(answer, storing: nil, Effects(reason: answer.decision))
    }

    private func staleAnswer(
        _ stored: StoredResponse,
        _ serving: StaleServing,
        _ decision: ReuseDecision,
        _ forwarding: CacheStatus.Forwarding,
        now: Date
    ) -> Answer? {
        guard client.mode != .reload, client.mode != .noCache, case .permitted(let permission) = serving else { return nil }
        let form = form(of: stored, now: now)
        if form.isIncomplete { return nil }
        let staleness = HTTPCacheResponse.Staleness(seconds: Int64(decision.staleness), decision: HTTPDecision(permission))
        let timeToLive = stored.freshness.wholeTimeToLive(at: now)
        let status = status(.forwarded(forwarding), timeToLive: timeToLive, because: staleness.decision)
        return answer(form, from: stored, because: staleness.decision, status: status, now: now, staleness: staleness)
    }
}
