// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPCacheStateMachine {
    /// Decides whether a stored response answers the request: [RFC 9111 §4](https://www.rfc-editor.org/rfc/rfc9111#section-4).
    ///
    /// - Parameters:
    ///   - stored: The stored response, whole or incomplete, that the request selects.
    ///   - isVaryMiss: Whether there are responses for the URI, but none that the request selects.
    package mutating func lookedUp(_ stored: StoredResponse?, isVaryMiss: Bool, now: Date) -> LookupAction {
        guard case .lookingUp = state else { preconditionFailure("lookedUp() in state \(stateDescription)") }
        guard let stored, isSelectedAsPolicyWants(stored) else {
            return ask(isVaryMiss || stored != nil ? .varyMiss : .uriMiss, .asClient, about: nil)
        }
        let form = form(of: stored, now: now)
        switch client.mode {
        case .reload: return ask(.modeReload, .asClient, about: stored)
        case .noCache: return validate(stored, form, because: .modeNoCache)
        case .forceCache, .onlyIfCached: return reuse(stored, form, now: now)
        default: break
        }
        let decision = ReuseDecision(request: client.directives, stored: stored.freshness, now: now)
        switch decision.verdict {
        case .fresh:
            return reuse(stored, form, now: now)
        case .mustRevalidate(let reason):
            if case .permitted(let permission) = StaleServing.beforeAsking(decision), !form.isIncomplete,
                permission != .staleWhileRevalidate || mayRefreshInBackground || client.wantsNoForwarding
            {
                return serveStale(stored, form, permission, decision, now: now)
            }
            return validate(stored, form, because: .mustRevalidate(reason))
        }
    }

    /// Decides whether the answer to another request, for which this one has waited, answers this one too.
    ///
    /// Its head has come and will be stored; its content may still be arriving. Only a response that is fresh, and that this request would have selected,
    /// will do: [RFC 9111 §4](https://www.rfc-editor.org/rfc/rfc9111#section-4), [§4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1).
    ///
    /// - Parameters:
    ///   - stored: The response as it will be stored.
    ///   - leaderFields: ``selectingFields`` of the request that it answers.
    /// - Returns: An answer, or the request to be sent after all.
    package mutating func joined(_ stored: StoredResponse, leaderFields: HTTPFields, now: Date) -> LookupAction {
        guard case .forwarding(let exchange) = state else { preconditionFailure("joined() in state \(stateDescription)") }
        let decision = ReuseDecision(request: client.directives, stored: stored.freshness, now: now)
        guard case .fresh = decision.verdict, let key = stored.vary.variantKey(for: leaderFields),
            key == stored.vary.variantKey(for: selectingFields), isSelectedAsPolicyWants(stored)
        else {
            return .forward(forward(exchange))
        }
        state = .done
        let forwarding = CacheStatus.Forwarding(exchange.cause.reason, isCollapsed: true)
        let status = status(.forwarded(forwarding), timeToLive: stored.freshness.wholeTimeToLive(at: now))
        let form = form(of: stored, now: now, isArriving: true)
        return .respond(answer(form, from: stored, because: .collapsed, status: status, now: now, isArriving: true))
    }

    /// Whether all fields by which the policy selects have selected the response. One that was stored under another policy may be meant for other requests.
    private func isSelectedAsPolicyWants(_ stored: StoredResponse) -> Bool {
        guard let fields = policy?.policy.keyFields, !fields.isEmpty, case .fields(let names) = stored.vary else { return true }
        return fields.allSatisfy(names.contains)
    }

    /// Answers from the stored response, if all of it is there.
    private mutating func reuse(_ stored: StoredResponse, _ form: AnswerForm, now: Date) -> LookupAction {
        if form.isIncomplete { return validate(stored, form, because: .incomplete) }
        state = .done
        let timeToLive = stored.freshness.wholeTimeToLive(at: now)
        let staleness = client.mode == .default ? nil : forcedStaleness(of: stored, now: now)
        let status = status(.hit, timeToLive: timeToLive, because: staleness?.decision ?? form.reason)
        let decision = staleness?.decision ?? form.reason ?? .fresh
        return .respond(answer(form, from: stored, because: decision, status: status, now: now, staleness: staleness))
    }

    /// How stale a response is that the caller wants to have whether it is stale or not.
    private func forcedStaleness(of stored: StoredResponse, now: Date) -> HTTPCacheResponse.Staleness? {
        let decision = ReuseDecision(request: CacheControl(), stored: stored.freshness, now: now)
        if case .fresh = decision.verdict { return nil }
        return HTTPCacheResponse.Staleness(seconds: Int64(decision.staleness), decision: .modeForced)
    }

    private mutating func serveStale(
        _ stored: StoredResponse,
        _ form: AnswerForm,
        _ permission: StalePermission,
        _ decision: ReuseDecision,
        now: Date
    ) -> LookupAction {
        let staleness = HTTPCacheResponse.Staleness(seconds: Int64(decision.staleness), decision: HTTPDecision(permission))
        let status = status(.hit, timeToLive: stored.freshness.wholeTimeToLive(at: now), because: staleness.decision)
        let answer = answer(form, from: stored, because: staleness.decision, status: status, now: now, staleness: staleness)
        guard permission == .staleWhileRevalidate, !client.wantsNoForwarding else {
            state = .done
            return .respond(answer)
        }
        client.becomeRefresh()
        let question: Exchange.Question = stored.hasValidators ? .validation : .asClient
        return .respondAndRefresh(answer, forward(Exchange(cause: .stale, question: question, stored: stored, isRefresh: true)))
    }

    /// Has the origin confirm the stored response, or send its missing parts.
    private mutating func validate(
        _ stored: StoredResponse,
        _ form: AnswerForm,
        because cause: ForwardCause
    ) -> LookupAction {
        let question: Exchange.Question
        switch form {
        case _ where client.kind == .head:
            // A response to HEAD without the cache's conditions says more about the stored response: RFC 9111 §4.3.5.
            question = .asClient
        case .incomplete(let wantsRanges):
            // A 304 would be of no use. Parts that the client asks for are asked for as it does.
            let missing = wantsRanges || StrongValidator(of: stored.head.headerFields) == nil ? nil : PartialContent.missingPart(of: stored.body)
            question = missing.map { .completion($0) } ?? .asClient
        default:
            question = stored.hasValidators ? .validation : .asClient
        }
        return ask(cause, question, about: stored)
    }

    /// Forwards the request, unless its client wants none forwarded.
    private mutating func ask(
        _ cause: ForwardCause,
        _ question: Exchange.Question,
        about stored: StoredResponse?
    ) -> LookupAction {
        guard !client.wantsNoForwarding else {
            state = .done
            return .respond(generated(.gatewayTimeout, because: .onlyIfCached))
        }
        return .forward(forward(Exchange(cause: cause, question: question, stored: stored)))
    }
}
