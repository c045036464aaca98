// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import Hoard
internal import Synchronization

extension HTTPCache {
    /// Answers a request from the cache if possible, or else through `transport`.
    ///
    /// The target is normalised (RFC 9110 §4.2.3) and forwarded in that form, so that the response to one spelling is
    /// never stored for another that the origin reads differently.
    ///
    /// - Parameters:
    ///   - request: A request with scheme, authority and path.
    ///   - body: The request's content. It is not read unless the request is forwarded, or is a QUERY.
    ///   - mode: How the request uses the cache.
    ///   - partition: Whose request it is (``RequestOptions/partition``). `nil`: the one of the configuration.
    ///   - policy: The site owner's policy for this request. Requests for one URI should come with one policy; one that ignores other
    ///     parts of the query has other entries.
    ///   - keepsInMemoryOnly: Whether the response is kept in memory only (``RequestOptions/keepsInMemoryOnly``).
    ///   - onInterimResponse: Gets the interim (1xx) responses to this request, before the final one is returned. A request that waits for the answer to
    ///     another one gets none.
    /// - Throws: ``HTTPCacheError``. A body that breaks off while it is read throws the transport's error, or
    ///   ``HTTPBodyIncompleteError`` if a stored body breaks off.
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
        let request = Request(
            request,
            body: body,
            mode: mode,
            partition: partition,
            keepsInMemoryOnly: keepsInMemoryOnly,
            policy: CompiledHTTPCachePolicy(policy)
        )
        return try await respond(to: request, through: transport, onInterimResponse: onInterimResponse)
    }

    /// Answers a request, from the cache if that may be, else through `transport`. May suspend.
    ///
    /// - Throws: As ``respond(to:body:mode:partition:keepsInMemoryOnly:policy:through:onInterimResponse:)`` does.
    package func respond(
        to request: Request,
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        switch try begin(request) {
        case .hit(let response), .generated(let response): return response
        case .pending(let pending): return try await respond(to: pending, through: transport, onInterimResponse: onInterimResponse, isFresh: true)
        }
    }

    /// How far a request has been answered without waiting.
    package enum Beginning: Sendable {
        /// Memory has the response.
        case hit(HTTPCacheResponse)
        /// The cache made the response up, since the request wants nothing else.
        case generated(HTTPCacheResponse)
        /// The stores or the origin have to be asked.
        case pending(PendingRequest)
    }

    /// A request that memory does not answer, and the facts found out about it.
    package struct PendingRequest: Sendable {
        let call: Call
        let machine: HTTPCacheStateMachine
        /// The forwarding, if the origin has to be asked whatever is stored; `nil`: it depends on the lookup.
        fileprivate let forward: HTTPCacheStateMachine.Forward?
        /// Whether memory may have something of the URI.
        let isInMemory: Bool

        /// The key of its URI, without the parts that the policy ignores.
        var key: HTTPCacheKey { call.key }
        /// Whether a stored response may answer it.
        var isLookup: Bool { forward == nil }
    }

    /// Answers a request if that can be done without waiting. Never suspends. The rest is done by
    /// ``respond(to:through:onInterimResponse:isFresh:)``.
    ///
    /// - Throws: ``HTTPCacheError`` if the request cannot be answered.
    package func begin(_ request: Request) throws(HTTPCacheError) -> Beginning {
        guard let call = call(request) else {
            let status = CacheStatus(cacheName: configuration.name, .generated, detail: "INVALID-URI")
            throw HTTPCacheError(.invalidRequest, "The request has no usable http or https URI.", cacheStatus: status.fieldValue)
        }
        return counted(look(for: call), call.key)
    }

    /// Answers a request that has been begun. May suspend.
    ///
    /// - Parameters:
    ///   - transport: Asks the origin.
    ///   - isFresh: The request has been begun just now, so that memory has nothing that it had not then.
    ///   - early: The work that was done before the request was parsed: ``beginMiss(targetURI:selectingFields:)``.
    package func respond(
        to pending: PendingRequest,
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil,
        isFresh: Bool = false,
        after early: EarlyMiss? = nil
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        var (pending, isFresh) = (pending, isFresh)
        if pending.call.lacksQueryContent {
            switch try await beginReading(pending.call) {
            case .hit(let response), .generated(let response): return response
            case .pending(let read): (pending, isFresh) = (read, true)
            }
        }
        var call = pending.call
        call.transport = transport
        call.early = early
        call.onInterimResponse = onInterimResponse
        do {
            let (response, outcome) = try await answer(pending, call, asksMemory: !isFresh)
            count(outcome)
            record(response.report, call.key)
            return call.coding == nil ? response : await recoded(response, to: call)
        } catch {
            count(error.transportError?.code == .cancelled ? .abandoned : .failures)
            throw error
        }
    }

    /// The answer to a request without content, if memory has a fresh one with all of its body. Never suspends.
    ///
    /// - Parameter isAccepted: Whether the caller has a use for the answer. Otherwise nothing is counted.
    /// - Returns: `nil` if ``respond(to:through:onInterimResponse:)`` has to be asked.
    package func responseFromMemory(to request: Request, ifAccepted isAccepted: (HTTPCacheResponse) -> Bool = { _ in true }) -> HTTPCacheResponse? {
        guard let call = call(request), case .hit(let response) = look(for: call), isAccepted(response) else { return nil }
        return counted(response, .hits, tier: .memory, call.key)
    }

    /// Begins to answer a QUERY once its content has been read.
    private func beginReading(_ call: Call) async throws(HTTPCacheError) -> Beginning {
        var call = call
        do {
            try await call.readQueryContent(maximumByteCount: configuration.maximumQueryBytes)
        } catch {
            let failure = error as? TransportError
            let isCancelled = error is CancellationError || failure?.code == .cancelled
            count(isCancelled ? .abandoned : .failures)
            if isCancelled { throw .cancelled }
            throw HTTPCacheError(failure ?? TransportError(.failed, "The content of the request could not be read.", underlyingError: error))
        }
        return counted(look(for: call), call.key)
    }

    /// Answers the request if that is possible without waiting. Counts nothing.
    private func look(for call: Call) -> Beginning {
        var machine = machine(for: call)
        if call.lacksQueryContent { return .pending(PendingRequest(call: call, machine: machine, forward: nil, isInMemory: false)) }
        switch machine.start() {
        case .respond(let answer):
            return .generated(responseAtHand(answer, to: call) ?? .madeUp(answer))
        case .forward(let forward):
            return .pending(PendingRequest(call: call, machine: machine, forward: forward, isInMemory: false))
        case .lookUp:
            let lookup = entries.memoryLookup(forKey: call.key)
            if let lookup, let response = response(lookup, to: call, machine), recoding(of: response, to: call) == nil { return .hit(response) }
            return .pending(PendingRequest(call: call, machine: machine, forward: nil, isInMemory: lookup != nil))
        }
    }

    private func counted(_ beginning: Beginning, _ key: HTTPCacheKey) -> Beginning {
        switch beginning {
        case .hit(let response): .hit(counted(response, .hits, tier: .memory, key))
        case .generated(let response): .generated(counted(response, .generated, tier: .none, key))
        case .pending: beginning
        }
    }

    private func counted(_ response: HTTPCacheResponse, _ outcome: Outcome, tier: AnswerReport.Tier, _ key: HTTPCacheKey) -> HTTPCacheResponse {
        count(outcome)
        let response = reported(response, outcome, tier: tier).0
        record(response.report, key)
        return response
    }

    /// Counts a request by its outcome.
    func count(_ outcome: Outcome) { counters.withLock { $0.count(outcome) } }

    /// Returns the answer from memory alone, where `lookup` is memory's entry under the URI itself.
    private func response(_ lookup: Lookup<HTTPCacheEntry>, to call: Call, _ machine: HTTPCacheStateMachine) -> HTTPCacheResponse? {
        guard let found = take(lookup, at: call.key, machine.selectingFields) else { return nil }
        var machine = machine
        guard case .respond(let answer) = machine.lookedUp(found.response, isVaryMiss: false, now: clock.now()), answer.staleness == nil else {
            return nil
        }
        return responseAtHand(answer, to: call)
    }

    private func answer(_ pending: PendingRequest, _ call: Call, asksMemory: Bool) async throws(HTTPCacheError) -> (HTTPCacheResponse, Outcome) {
        var machine = pending.machine
        if let forward = pending.forward {
            if call.key.isMemoryOnly, call.request.method.isSafe { await removeStoredCopies(for: call) }
            let start = ticker.nanoseconds()
            let answer = try await send(forward, machine, call, nil).answer.get()
            return reported(answer.response, answer.outcome, .bypass, tier: .origin, since: start)
        }
        if call.key.isMemoryOnly { await removeStoredCopies(for: call) }
        let flight = call.early?.flight ?? Flight(key: call.key, space: call.space, selectingFields: .known(machine.selectingFields), cache: self)
        var found: Found
        if let early = call.early {
            found = early.found
        } else {
            // A response that is kept in memory alone has had time to appear there.
            let isInMemory = pending.isInMemory || asksMemory || call.key.isMemoryOnly
            found = await lookUp(call.key, machine.selectingFields, isInMemory: isInMemory)
        }
        flight.found = found
        while true {
            // Judged at the time at which the origin was asked, if it was: the clock may have been set back since.
            switch machine.lookedUp(found.response, isVaryMiss: found.isVaryMiss, now: call.early?.requestTime ?? clock.now()) {
            case .respond(let answer):
                if let early = call.early { forget(early) }
                if let response = await response(answer, to: call, key: found.key) {
                    return reported(response, Self.outcome(of: answer), tier: found.tier)
                }
            case .respondAndRefresh(let answer, let forward):
                if let early = call.early { forget(early) }
                if let response = await response(answer, to: call, key: found.key) {
                    refresh(forward, machine, call, flight)
                    return reported(response, Self.outcome(of: answer), tier: found.tier)
                }
            case .forward(let forward):
                let start = call.early?.start ?? ticker.nanoseconds()
                if call.wantsEarlyHints, let hints = machine.storedInQuestion.flatMap({ EarlyHints.response(of: $0) }) {
                    await call.onInterimResponse?(hints)
                }
                let (response, outcome) = try await ask(forward, machine, call, flight)
                return reported(response, outcome, tier: outcome.isOfOrigin ? .origin : found.tier, since: start)
            }
            // Part of the found response is gone.
            found = Found(base: found.base)
            flight.found = found
            machine = self.machine(for: call)
            _ = machine.start()
        }
    }

    /// The answer with its report.
    ///
    /// - Parameters:
    ///   - reportedOutcome: The outcome that is reported instead of the one that is counted.
    ///   - start: When the origin was asked; `nil` if it was not.
    func reported(
        _ response: HTTPCacheResponse,
        _ outcome: Outcome,
        _ reportedOutcome: AnswerReport.Outcome? = nil,
        tier: AnswerReport.Tier,
        since start: Int64? = nil
    ) -> (HTTPCacheResponse, Outcome) {
        var response = response
        // A miss has one already, with its outcome.
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

    /// The most revalidations in the background at a time. A response beyond that is revalidated by a later request.
    static let maximumRefreshes = 64

    /// Revalidates a response in the background, unless that is being done: [RFC 5861 §3](https://www.rfc-editor.org/rfc/rfc5861#section-3).
    private func refresh(_ forward: HTTPCacheStateMachine.Forward, _ machine: HTTPCacheStateMachine, _ call: Call, _ flight: Flight) {
        guard let key = flight.found?.key else { return }
        let isNew = refreshes.withLock { $0.count < Self.maximumRefreshes && $0.insert(key).inserted }
        guard isNew else { return }
        counters.withLock { $0.refreshes += 1 }
        // The client has its final response by then.
        var call = call
        call.onInterimResponse = nil
        work.start { [self, call] in
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
