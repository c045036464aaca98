// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Decides how a cache answers one request. Does no I/O and reads no clock.
///
/// ``HTTPCache`` tells it what happens (``start()``, ``lookedUp(_:isVaryMiss:now:)``, ``received(_:bodyLength:requestTime:responseTime:)``,
/// ``forwardFailed(detail:)``), and does what the returned action says.
///
/// What it does not understand it forwards and does not store: methods but GET and HEAD, requests with content, for ranges,
/// or with conditions that only the origin can judge.
package struct HTTPCacheStateMachine {
    /// How the cache behaves.
    package struct Rules: Sendable {
        /// Names the cache in `Cache-Status`.
        package var cacheName: String
        package var mode: CacheMode
        /// Longer bodies are not stored.
        package var maximumObjectBytes: Int

        package init(cacheName: String, mode: CacheMode, maximumObjectBytes: Int) {
            self.cacheName = cacheName
            self.mode = mode
            self.maximumObjectBytes = maximumObjectBytes
        }
    }

    /// A complete answer that needs nothing from the origin any more.
    package struct Answer: Sendable, Hashable {
        package var head: HTTPResponse
        /// Empty for HEAD and for 304.
        package var body: ByteBuffer
        /// Whether it is a stored response, and not one that the cache made up.
        package var isStored = true
    }

    private enum State {
        case idle
        case lookingUp
        /// - `isConditional`: the origin was asked with the validators of `stored`.
        case forwarding(reason: CacheStatus.ForwardReason, stored: StoredResponse?, isConditional: Bool, mayStore: Bool)
        case done
    }

    /// The request as it is forwarded: without the fields that concern only the client's connection.
    private let request: HTTPRequest
    /// The request as it came, by which storing is judged.
    private let originalRequest: HTTPRequest
    private let hasContent: Bool
    private let directives: CacheControl
    private let rules: Rules
    private var state = State.idle

    package init(request: HTTPRequest, hasContent: Bool, rules: Rules) {
        self.originalRequest = request
        self.hasContent = hasContent
        self.rules = rules
        self.directives = CacheControl(request: request.headerFields)
        var forwarded = request
        forwarded.headerFields = request.headerFields.removingHopByHopFields()
        self.request = forwarded
    }

    // MARK: Start

    package enum StartAction {
        /// Look for a stored response that these fields select.
        case lookUp(selectingFields: HTTPFields)
        /// The request cannot be answered from the cache, and its client wants no other answer.
        case respond(Answer)
        case forward(HTTPRequest)
    }

    package mutating func start() -> StartAction {
        guard case .idle = state else { preconditionFailure("start() in state \(state)") }
        let reason: CacheStatus.ForwardReason? =
            switch request.method {
            case .get, .head: mustBypass ? .bypass : nil
            default: .method
            }
        if let reason {
            if reason == .bypass, directives.onlyIfCached { return .respond(gatewayTimeout()) }
            state = .forwarding(reason: reason, stored: nil, isConditional: false, mayStore: false)
            return .forward(request)
        }
        state = .lookingUp
        return .lookUp(selectingFields: request.headerFields)
    }

    /// Whether the request is one that this cache has no answer for.
    private var mustBypass: Bool {
        let fields = originalRequest.headerFields
        return hasContent || directives.noStore || fields.contains(.range) || fields.contains(.ifRange) || fields.contains(.ifMatch)
            || fields.contains(.ifUnmodifiedSince) || fields.contains(.upgrade)
    }

    // MARK: Lookup

    package enum LookupAction {
        case respond(Answer)
        case forward(HTTPRequest)
    }

    /// - Parameters:
    ///   - stored: The stored response that the request selects.
    ///   - isVaryMiss: Whether there are responses for the URI, but none that the request selects.
    package mutating func lookedUp(_ stored: StoredResponse?, isVaryMiss: Bool, now: Date) -> LookupAction {
        guard case .lookingUp = state else { preconditionFailure("lookedUp() in state \(state)") }
        guard let stored else { return forward(isVaryMiss ? .varyMiss : .uriMiss, validating: nil) }
        let freshness = ResponseFreshness(
            of: stored.head,
            requestTime: stored.requestTime,
            responseTime: stored.responseTime,
            mode: rules.mode
        )
        let decision = ReuseDecision(request: directives, stored: freshness, now: now)
        switch decision.verdict {
        case .fresh:
            state = .done
            var status = CacheStatus(cacheName: rules.cacheName, .hit)
            status.timeToLive = freshness.wholeTimeToLive(at: now)
            return .respond(answer(from: stored, age: freshness.age, status: status, now: now))
        case .mustRevalidate(let reason):
            return forward(reason.isDemandedByRequest ? .request : .stale, validating: stored)
        }
    }

    private mutating func forward(_ reason: CacheStatus.ForwardReason, validating stored: StoredResponse?) -> LookupAction {
        if directives.onlyIfCached { return .respond(gatewayTimeout()) }
        // A response to HEAD has no content to be stored, and confirms nothing that is.
        guard request.method == .get else {
            state = .forwarding(reason: reason, stored: nil, isConditional: false, mayStore: false)
            return .forward(request)
        }
        let validators = stored.map { Validators(of: $0.head.headerFields) }
        state = .forwarding(reason: reason, stored: stored, isConditional: validators?.isEmpty == false, mayStore: true)
        guard let validators else { return .forward(request) }
        var conditional = request
        conditional.headerFields = validators.conditionalFields(from: request.headerFields)
        return .forward(conditional)
    }

    /// The answer to a client that wants no request to be forwarded: [RFC 9111 §5.2.1.7](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1.7).
    private mutating func gatewayTimeout() -> Answer {
        state = .done
        var head = HTTPResponse(status: .gatewayTimeout)
        CacheStatus(cacheName: rules.cacheName, .generated, detail: "ONLY-IF-CACHED").append(to: &head.headerFields)
        return Answer(head: head, body: ByteBuffer(), isStored: false)
    }

    // MARK: The origin's response

    package enum ResponseAction {
        /// Give the client the head and the body that follows it.
        ///
        /// - `invalidating`: remove what is stored for these URIs.
        /// - `superseding`: remove the stored response that the request was about.
        case deliver(HTTPResponse, invalidating: [String], superseding: Bool)
        /// Give the client the head and the body, and keep `storing` with that body when it is complete.
        case deliverAndStore(HTTPResponse, storing: StoredResponse)
        /// The stored response is current: keep it in the new form if there is one, remove it otherwise, and give the client the answer.
        case respond(Answer, storing: StoredResponse?)
        /// The origin's 304 is about a response that the cache does not have. Ask again without condition.
        case forwardAgain(HTTPRequest)
    }

    /// - Parameter bodyLength: The length of the body, if it is known.
    package mutating func received(_ response: HTTPResponse, bodyLength: Int?, requestTime: Date, responseTime: Date) -> ResponseAction {
        guard case .forwarding(let reason, let stored, let isConditional, let mayStore) = state else {
            preconditionFailure("received() in state \(state)")
        }
        var response = response
        if response.headerFields[.date] == nil {
            // RFC 9110 §6.6.1: a recipient with a clock dates what has no date.
            response.headerFields[.date] = HTTPDate(responseTime).description
        }
        if isConditional, let stored, let notModified = NotModifiedResponse(response) {
            guard notModified.confirms(stored.head) else {
                state = .forwarding(reason: reason, stored: stored, isConditional: false, mayStore: mayStore)
                return .forwardAgain(unconditionalRequest)
            }
            state = .done
            return confirmed(stored, by: notModified, reason: reason, requestTime: requestTime, responseTime: responseTime)
        }
        state = .done
        var forwarding = CacheStatus.Forwarding(reason, status: response.status.code)
        let freshness = ResponseFreshness(of: response, requestTime: requestTime, responseTime: responseTime, mode: rules.mode)
        var detail: String?
        if mayStore {
            switch Storability(of: response, to: originalRequest, freshness: freshness) {
            case .notStorable(let reason):
                detail = reason.token
            case .storable where bodyLength ?? 0 > rules.maximumObjectBytes:
                detail = "TOO-LARGE"
            case .storable:
                forwarding.isStored = true
            }
        }
        var status = CacheStatus(cacheName: rules.cacheName, .forwarded(forwarding), detail: detail)
        if forwarding.isStored { status.timeToLive = freshness.wholeTimeToLive(at: responseTime) }
        var delivered = response
        delivered.headerFields = response.headerFields.removingHopByHopFields()
        status.append(to: &delivered.headerFields)
        if forwarding.isStored {
            var head = response
            head.headerFields = response.headerFields.removingFieldsNotStored(cacheControl: freshness.cacheControl, mode: rules.mode)
            let storing = StoredResponse(head: head, body: ByteBuffer(), requestTime: requestTime, responseTime: responseTime)
            return .deliverAndStore(delivered, storing: storing)
        }
        return .deliver(
            delivered,
            invalidating: Invalidation.uris(after: response, to: request),
            superseding: stored != nil && response.status.code < 500 && response.status.code != 304
        )
    }

    /// No response came.
    ///
    /// - Parameter detail: A constant that says why, for `Cache-Status`.
    package mutating func forwardFailed(detail: String) -> CacheStatus {
        guard case .forwarding(let reason, _, _, _) = state else { preconditionFailure("forwardFailed() in state \(state)") }
        state = .done
        return CacheStatus(cacheName: rules.cacheName, .forwarded(.init(reason)), detail: detail)
    }

    private var unconditionalRequest: HTTPRequest {
        var unconditional = request
        unconditional.headerFields[.ifNoneMatch] = nil
        unconditional.headerFields[.ifModifiedSince] = nil
        return unconditional
    }

    private func confirmed(
        _ stored: StoredResponse,
        by notModified: NotModifiedResponse,
        reason: CacheStatus.ForwardReason,
        requestTime: Date,
        responseTime: Date
    ) -> ResponseAction {
        var freshened = stored
        freshened.head = notModified.freshening(stored.head, responseTime: responseTime, mode: rules.mode)
        freshened.requestTime = requestTime
        freshened.responseTime = responseTime
        let freshness = ResponseFreshness(of: freshened.head, requestTime: requestTime, responseTime: responseTime, mode: rules.mode)
        let isStorable = Storability(of: freshened.head, to: originalRequest, freshness: freshness) == .storable
        let forwarding = CacheStatus.Forwarding(reason, status: 304, isStored: isStorable)
        var status = CacheStatus(cacheName: rules.cacheName, .forwarded(forwarding))
        status.timeToLive = freshness.wholeTimeToLive(at: responseTime)
        let answer = answer(from: freshened, age: freshness.age, status: status, now: responseTime)
        return .respond(answer, storing: isStorable ? freshened : nil)
    }

    /// What the client gets of a stored response: all of it, its head, or a 304 if it has the content already.
    private func answer(from stored: StoredResponse, age: ResponseAge, status: CacheStatus, now: Date) -> Answer {
        var head = stored.head
        var body = stored.body
        if let condition = ConditionalRequest(request, now: now), condition.isNotModified(stored.head, responseTime: stored.responseTime) {
            head = stored.head.notModifiedForm()
            body = ByteBuffer()
        } else if request.method == .head {
            body = ByteBuffer()
        }
        head.headerFields[.age] = age.fieldValue(at: now)
        status.append(to: &head.headerFields)
        return Answer(head: head, body: body)
    }
}

extension ResponseFreshness {
    /// The time to live that fits the `Age` field, which is in whole seconds: both together are the lifetime.
    fileprivate func wholeTimeToLive(at now: Date) -> Double {
        Double(lifetime.seconds) - age.seconds(at: now).rounded(.down)
    }
}
