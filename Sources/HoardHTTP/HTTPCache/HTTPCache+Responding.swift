// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import Hoard
internal import Synchronization

extension HTTPCache {
    /// Answers a request, from the cache if that may be, else through `transport`.
    ///
    /// The target is normalised (RFC 9110 §4.2.3) and forwarded in that form, so that what one spelling gets is never
    /// stored for another that the origin reads differently.
    ///
    /// - Parameters:
    ///   - request: A request with scheme, authority and path.
    ///   - body: The request's content. It is not read unless the request is forwarded.
    ///   - mode: How the request uses the cache.
    ///   - partition: Whose request it is (``RequestOptions/partition``). `nil`: the one of the configuration.
    ///   - policy: What the owner of the site wants of the cache for this request. Requests for one URI should come with one policy; one that ignores other
    ///     parts of the query has other entries.
    ///   - keepsInMemoryOnly: Whether the response is kept in memory only (``RequestOptions/keepsInMemoryOnly``).
    ///   - onInterimResponse: Gets the interim (1xx) responses to this request, before the final one is returned. A request that waits for the answer to
    ///     another one gets none.
    /// - Throws: ``HTTPCacheError``. A body that breaks off while it is read throws the transport's error, or ``HTTPBodyIncompleteError`` if
    ///   what breaks off is a stored one.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody = .empty,
        mode: RequestCacheMode = .default,
        partition: String? = nil,
        keepsInMemoryOnly: Bool = false,
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        try await respond(
            to: request,
            body: body,
            mode: mode,
            partition: partition,
            keepsInMemoryOnly: keepsInMemoryOnly,
            compiledPolicy: CompiledHTTPCachePolicy(policy),
            through: transport,
            onInterimResponse: onInterimResponse
        )
    }

    /// The same with a policy that has been compiled once for many requests; `nil` for none.
    ///
    /// - Parameters:
    ///   - target: The request's, if the caller has made it.
    ///   - mayRefreshInBackground: Whether the transport can be asked when the answer has been given. If not, what `stale-while-revalidate` would
    ///     permit is validated before it is served.
    package func respond(
        to request: HTTPRequest,
        target: TargetURI? = nil,
        body: HTTPBody = .empty,
        mode: RequestCacheMode = .default,
        partition: String? = nil,
        keepsInMemoryOnly: Bool = false,
        compiledPolicy policy: CompiledHTTPCachePolicy?,
        mayRefreshInBackground: Bool = true,
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        let beginning = try begin(
            request,
            target: target,
            body: body,
            mode: mode,
            partition: partition,
            keepsInMemoryOnly: keepsInMemoryOnly,
            compiledPolicy: policy,
            mayRefreshInBackground: mayRefreshInBackground,
            through: transport,
            onInterimResponse: onInterimResponse
        )
        switch beginning {
        case .response(let response): return response
        case .pending(let pending): return try await respond(to: pending, isFresh: true)
        }
    }

    /// How far a request has been answered without waiting.
    package enum Beginning: Sendable {
        case response(HTTPCacheResponse)
        /// The stores or the origin have to be asked.
        case pending(PendingRequest)
    }

    /// A request that memory does not answer, and what has been found out about it.
    package struct PendingRequest: Sendable {
        fileprivate let call: Call
        fileprivate let machine: HTTPCacheStateMachine
        /// The origin has to be asked, whatever there is; `nil`: it depends on what is found.
        fileprivate let forward: HTTPCacheStateMachine.Forward?
        /// Whether memory may have something of the URI.
        fileprivate let isInMemory: Bool
    }

    /// Answers a request if that can be done without waiting. Never suspends. What is left is done by ``respond(to:)``.
    ///
    /// - Throws: ``HTTPCacheError`` if the request cannot be answered.
    package func begin(
        _ request: HTTPRequest,
        target: TargetURI? = nil,
        body: HTTPBody = .empty,
        mode: RequestCacheMode = .default,
        partition: String? = nil,
        keepsInMemoryOnly: Bool = false,
        compiledPolicy policy: CompiledHTTPCachePolicy?,
        mayRefreshInBackground: Bool = true,
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil
    ) throws(HTTPCacheError) -> Beginning {
        guard let target = target ?? TargetURI(request) else {
            let status = CacheStatus(cacheName: configuration.name, .generated, detail: "INVALID-URI")
            throw HTTPCacheError(.invalidRequest, "The request has no usable http or https URI.", cacheStatus: status.fieldValue)
        }
        var call = call(
            request,
            to: target,
            body: body,
            mode: mode,
            through: transport,
            onInterimResponse: onInterimResponse,
            in: space(partition: partition, isMemoryOnly: keepsInMemoryOnly),
            policy: policy
        )
        call.mayRefreshInBackground = mayRefreshInBackground
        switch begin(call) {
        case .hit(let response):
            count(.hits)
            return .response(reported(response, .hits, tier: .memory).0)
        case .generated(let response):
            count(.generated)
            return .response(reported(response, .generated, tier: .none).0)
        case .pending(let pending):
            return .pending(pending)
        }
    }

    /// Answers a request that has been begun. May suspend.
    ///
    /// - Parameter isFresh: It has been begun just now, so that memory has nothing that it had not then.
    package func respond(to pending: PendingRequest, isFresh: Bool = false) async throws(HTTPCacheError) -> HTTPCacheResponse {
        do {
            let (response, outcome) = try await answer(pending, asksMemory: !isFresh)
            count(outcome)
            return response
        } catch {
            count(error.transportError?.code == .cancelled ? .abandoned : .failures)
            throw error
        }
    }

    /// The answer to a request without content, if memory has a fresh one with all of its body. Never suspends.
    ///
    /// - Parameters:
    ///   - target: The request's, if the caller has made it.
    ///   - isAccepted: Whether the caller has a use for the answer. Otherwise nothing is counted.
    /// - Returns: `nil` if ``respond(to:body:mode:partition:keepsInMemoryOnly:policy:through:onInterimResponse:)`` has to be asked.
    package func respondFromMemory(
        to request: HTTPRequest,
        target: TargetURI? = nil,
        mode: RequestCacheMode = .default,
        partition: String? = nil,
        keepsInMemoryOnly: Bool = false,
        compiledPolicy policy: CompiledHTTPCachePolicy? = nil,
        ifAccepted isAccepted: (HTTPCacheResponse) -> Bool = { _ in true }
    ) -> HTTPCacheResponse? {
        guard let target = target ?? TargetURI(request) else { return nil }
        let space = space(partition: partition, isMemoryOnly: keepsInMemoryOnly)
        let call = call(request, to: target, mode: mode, through: NoTransport(), in: space, policy: policy)
        guard case .hit(let response) = begin(call), isAccepted(response) else { return nil }
        count(.hits)
        return reported(response, .hits, tier: .memory).0
    }

    private enum Begun {
        /// Memory has it.
        case hit(HTTPCacheResponse)
        /// It says what is wrong with the request.
        case generated(HTTPCacheResponse)
        case pending(PendingRequest)
    }

    private func begin(_ call: Call) -> Begun {
        var machine = machine(for: call)
        switch machine.start() {
        case .respond(let answer):
            return .generated(responseAtHand(answer, to: call) ?? .madeUp(answer))
        case .forward(let forward):
            return .pending(PendingRequest(call: call, machine: machine, forward: forward, isInMemory: false))
        case .lookUp:
            let lookup = entries.memoryLookup(forKey: call.key)
            if let lookup, let response = response(lookup, to: call, machine) { return .hit(response) }
            return .pending(PendingRequest(call: call, machine: machine, forward: nil, isInMemory: lookup != nil))
        }
    }

    /// Counts a request by its outcome.
    func count(_ outcome: Outcome) { counters.withLock { $0.count(outcome) } }

    /// The answer that memory has, without asking anybody, of which `lookup` is what it has under the URI itself.
    private func response(_ lookup: Lookup<HTTPCacheEntry>, to call: Call, _ machine: HTTPCacheStateMachine) -> HTTPCacheResponse? {
        guard let found = take(lookup, at: call.key, machine.selectingFields) else { return nil }
        var machine = machine
        guard case .respond(let answer) = machine.lookedUp(found.response, isVaryMiss: false, now: clock.now()), answer.staleness == nil else {
            return nil
        }
        return responseAtHand(answer, to: call)
    }

    private func answer(_ pending: PendingRequest, asksMemory: Bool) async throws(HTTPCacheError) -> (HTTPCacheResponse, Outcome) {
        let call = pending.call
        var machine = pending.machine
        if let forward = pending.forward {
            if call.key.isMemoryOnly, call.request.method.isSafe { await removeStoredCopies(for: call) }
            let start = ticker.nanoseconds()
            let answer = try await send(forward, machine, call, nil).answer.get()
            return reported(answer.response, answer.outcome, .bypass, tier: .origin, since: start)
        }
        if call.key.isMemoryOnly { await removeStoredCopies(for: call) }
        let flight = Flight(key: call.key, space: call.space, selectingFields: machine.selectingFields, cache: self)
        // A response that is kept in memory alone has had time to appear there.
        var found = await lookUp(call.key, machine.selectingFields, isInMemory: pending.isInMemory || asksMemory || call.key.isMemoryOnly)
        flight.found = found
        while true {
            switch machine.lookedUp(found.response, isVaryMiss: found.isVaryMiss, now: clock.now()) {
            case .respond(let answer):
                if let response = await response(answer, to: call, key: found.key) {
                    return reported(response, Self.outcome(of: answer), tier: found.tier)
                }
            case .respondAndRefresh(let answer, let forward):
                if let response = await response(answer, to: call, key: found.key) {
                    refresh(forward, machine, call, flight)
                    return reported(response, Self.outcome(of: answer), tier: found.tier)
                }
            case .forward(let forward):
                let start = ticker.nanoseconds()
                let (response, outcome) = try await ask(forward, machine, call, flight)
                return reported(response, outcome, tier: outcome.isOfOrigin ? .origin : found.tier, since: start)
            }
            // Part of what was found is gone.
            found = Found(base: found.base)
            flight.found = found
            machine = self.machine(for: call)
            _ = machine.start()
        }
    }

    /// The answer with its report.
    ///
    /// - Parameters:
    ///   - reportedOutcome: What is told instead of the outcome that is counted.
    ///   - start: When the origin was asked; `nil` if it was not.
    private func reported(
        _ response: HTTPCacheResponse,
        _ outcome: Outcome,
        _ reportedOutcome: AnswerReport.Outcome? = nil,
        tier: AnswerReport.Tier,
        since start: Int64? = nil
    ) -> (HTTPCacheResponse, Outcome) {
        var response = response
        // A miss has one already, which says what became of it.
        var report = response.report ?? AnswerReport(.miss, tier: .none)
        report.outcome = reportedOutcome ?? AnswerReport.Outcome(outcome)
        report.tier = outcome == .generated ? .none : tier
        if let start, outcome != .collapsedHits { report.originDuration = .nanoseconds(max(0, ticker.nanoseconds() - start)) }
        response.report = report
        return (response, outcome)
    }

    static func outcome(of answer: HTTPCacheStateMachine.Answer) -> Outcome {
        if answer.stored == nil { return .generated }
        if answer.staleness != nil { return .staleHits }
        return answer.wasValidated ? .validatedHits : .hits
    }

    // MARK: Revalidating in the background

    /// The most revalidations in the background at a time. What would need more is revalidated by a later request.
    static let maximumRefreshes = 64

    /// Revalidates a response in the background, unless that is being done: [RFC 5861 §3](https://www.rfc-editor.org/rfc/rfc5861#section-3).
    private func refresh(_ forward: HTTPCacheStateMachine.Forward, _ machine: HTTPCacheStateMachine, _ call: Call, _ flight: Flight) {
        guard let key = flight.found?.key else { return }
        let isNew = refreshes.withLock { $0.count < Self.maximumRefreshes && $0.insert(key).inserted }
        guard isNew else { return }
        counters.withLock { $0.refreshes += 1 }
        work.start { [self] in
            if case .success(let answer) = await send(forward, machine, call, flight).answer, !answer.response.isFromCache {
                do { for try await _ in answer.response.body {} } catch { /* What has not come is not stored. */  }
            }
            refreshes.withLock { _ = $0.remove(key) }
        }
    }
}

extension HTTPCacheResponse {
    /// An answer without content that the cache made up.
    fileprivate static func madeUp(_ answer: HTTPCacheStateMachine.Answer) -> HTTPCacheResponse {
        HTTPCacheResponse(head: answer.head, body: .empty, isFromCache: false)
    }
}

/// Stands where a transport is never asked.
private struct NoTransport: Transport {
    func send(_ request: HTTPRequest, body: HTTPBody, onInterimResponse: InterimResponseHandler?) async throws(TransportError) -> TransportResponse {
        throw TransportError(.failed, "There is no transport.")
    }
}

extension AnswerReport.Outcome {
    fileprivate init(_ outcome: HTTPCache.Outcome) {
        self =
            switch outcome {
            case .hits: .hit
            case .staleHits: .staleHit
            case .validatedHits: .validatedHit
            case .collapsedHits: .collapsedHit
            case .misses: .miss
            case .generated: .generated
            case .failures: .failure
            case .abandoned: .abandoned
            }
    }
}

extension HTTPCache.Outcome {
    /// Whether the content comes from the origin.
    fileprivate var isOfOrigin: Bool {
        switch self {
        case .misses, .collapsedHits: true
        case .hits, .staleHits, .validatedHits, .generated, .failures, .abandoned: false
        }
    }
}
