// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Decides how a cache answers one request. Does no I/O and reads no clock.
///
/// ``HTTPCache`` tells it the events, and carries out the returned actions:
///
/// 1. ``start()``;
/// 2. ``lookedUp(_:isVaryMiss:now:)``, if that was asked for;
/// 3. if the request is forwarded, ``received(_:bodyLength:requestTime:responseTime:)`` or ``forwardFailed(_:now:)``; or ``joined(_:leaderFields:now:)`` if
///    it waited for the answer to another request. After ``ResponseAction/forwardAgain(_:)`` once more.
///
/// Heads come out finished: without the fields of the connection, with `Date`, `Age`, `Content-Range` and `Cache-Status`.
///
/// `docs/http-decisions.md` has all decisions, and the machine's actions in each state.
package struct HTTPCacheStateMachine: Sendable {
    enum State: Sendable {
        case idle
        case lookingUp
        indirect case forwarding(Exchange)
        case done
    }

    /// The state in words.
    package var stateDescription: String {
        switch state {
        case .idle: "idle"
        case .lookingUp: "looking up"
        case .forwarding(let exchange) where exchange.isRefresh: "refreshing"
        case .forwarding(let exchange):
            switch exchange.question {
            case .asClient: "forwarding"
            case .validation: "validating"
            case .completion: "completing"
            }
        case .done: "done"
        }
    }

    /// A request that has been forwarded.
    struct Exchange: Sendable {
        /// The question that the origin has been asked.
        enum Question: Sendable, Hashable {
            /// The client's own question.
            case asClient
            /// Whether the stored response is still current.
            case validation
            /// For the part that the stored response lacks.
            case completion(RangeRequest.Part)
        }

        var cause: ForwardCause
        var question: Question
        /// The stored response that the lookup found.
        var stored: StoredResponse?
        /// Whether the response may be stored if its content and its fields allow it.
        var mayStore = true
        /// Whether the client has its answer already.
        var isRefresh = false
    }

    let rules: HTTPCacheRules
    /// The site owner's policy; `nil` for none.
    let policy: CompiledHTTPCachePolicy?
    /// Whether the origin can be asked in the background. If not, a response that `stale-while-revalidate` would permit
    /// is validated before it is served.
    package var mayRefreshInBackground = true
    /// The forms of content that the request accepts; `nil`: content is served as it came.
    var coding: CodingSelection? { sharedCoding?.selection }
    var sharedCoding: SharedCodingSelection?
    /// Whether the caller undoes codings, so that it has no use for parts of coded content.
    package var decodesContent = false
    var client: ClientRequest
    var state = State.idle

    /// - Parameters:
    ///   - request: As it came from the client, with scheme, authority and path, in normal form.
    ///   - hasContent: Whether it has content, be it of unknown length.
    ///   - policy: The site owner's policy; `nil` for none.
    package init(
        request: HTTPRequest,
        hasContent: Bool,
        rules: HTTPCacheRules,
        requestMode: RequestCacheMode = .default,
        policy: CompiledHTTPCachePolicy? = nil
    ) {
        self.rules = rules
        self.policy = policy
        self.client = ClientRequest(request, hasContent: hasContent, mode: requestMode)
    }

    /// The fields of the request that go beyond this connection. `Vary` selects by them.
    package var selectingFields: HTTPFields { client.passedOn.headerFields }

    /// The stored response that the request has selected, and that the origin is asked about.
    var storedInQuestion: StoredResponse? {
        if case .forwarding(let exchange) = state { exchange.stored } else { nil }
    }

    /// A stored response in the form in which the request wants it, if that has been made; or as it is.
    func served(_ stored: StoredResponse) -> (response: StoredResponse, isInForm: Bool) {
        guard let coding else { return (stored, true) }
        return switch stored.served(to: coding) {
        case .form(let form): (form, true)
        case .missing: (stored, false)
        }
    }

    /// The parts of a stored response that the request gets.
    func form(of stored: StoredResponse, now: Date, isArriving: Bool = false) -> AnswerForm {
        let (served, isInForm) = served(stored)
        let ignoresRange = client.fields.contains(.range) && self.ignoresRange(of: stored, isInForm: isInForm)
        return AnswerForm(of: served, to: client, now: now, isArriving: isArriving, ignoresRange: ignoresRange, base: stored)
    }

    /// Whether the request gets the whole though it asks for parts, as the stored content has other places than the content that the request would get.
    private func ignoresRange(of stored: StoredResponse, isInForm: Bool) -> Bool {
        guard let coding else { return decodesContent && stored.headWithoutAge.headerFields.contains(.contentEncoding) }
        // Whose date it is cannot be told where there are several forms.
        if coding.namesHeldFormByDate, stored.isCodable { return true }
        // Of a form that has to be made there are no parts yet. A client that names the stored form in If-Range means the parts of that.
        return !isInForm && !(client.fields.contains(.ifRange) && coding.accepts(stored.coding))
    }

    // MARK: Start

    /// Decides whether a stored response can matter to the request at all.
    package mutating func start() -> StartAction {
        guard case .idle = state else { preconditionFailure("start() in state \(stateDescription)") }
        guard let cause = client.causeToBypass ?? (isBypassed ? .policyBypass : nil) else {
            state = .lookingUp
            return .lookUp
        }
        if client.wantsNoForwarding {
            state = .done
            return .respond(generated(.gatewayTimeout, because: .onlyIfCached))
        }
        return .forward(forward(Exchange(cause: cause, question: .asClient, stored: nil, mayStore: client.mayStoreWithoutLookup && !isBypassed)))
    }

    private var isBypassed: Bool { policy?.isBypassed ?? false }

    /// Leaves the request with the origin.
    mutating func forward(_ exchange: Exchange) -> Forward {
        state = .forwarding(exchange)
        return Forward(
            request: client.request(asking: exchange.question, about: exchange.stored),
            reason: exchange.cause.reason,
            decision: exchange.cause.decision,
            isCollapsible: client.isCollapsible(asking: exchange.question, mode: rules.mode)
        )
    }
}
