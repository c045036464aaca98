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
        through transport: any Transport,
        onInterimResponse: InterimResponseHandler? = nil
    ) async throws(HTTPCacheError) -> HTTPCacheResponse {
        let space = space(partition: partition, isMemoryOnly: keepsInMemoryOnly)
        guard let call = call(request, body: body, mode: mode, through: transport, onInterimResponse: onInterimResponse, in: space) else {
            let status = CacheStatus(cacheName: configuration.name, .generated, detail: "INVALID-URI")
            throw HTTPCacheError(.invalidRequest, "The request has no usable http or https URI.", cacheStatus: status.fieldValue)
        }
        do {
            let (response, outcome) = try await respond(to: call)
            count(outcome)
            return response
        } catch {
            count(.failures)
            throw error
        }
    }

    /// The answer to a request without a partition of its own, if memory has a fresh one with all of its body. Never suspends.
    ///
    /// - Returns: `nil` if ``respond(to:body:mode:partition:keepsInMemoryOnly:through:onInterimResponse:)`` has to be asked.
    package func respondFromMemory(to request: HTTPRequest) -> HTTPCacheResponse? {
        guard let call = call(request, through: NoTransport(), in: space) else { return nil }
        var machine = machine(for: call)
        guard case .lookUp = machine.start(), let response = responseFromMemory(to: call, machine) else { return nil }
        count(.hits)
        return response
    }

    /// Counts a request by its outcome.
    func count(_ outcome: Outcome) { counters.withLock { $0.count(outcome) } }

    private func responseFromMemory(to call: Call, _ machine: HTTPCacheStateMachine) -> HTTPCacheResponse? {
        guard let found = lookUpInMemory(call.key, machine.selectingFields) else { return nil }
        var machine = machine
        guard case .respond(let answer) = machine.lookedUp(found.response, isVaryMiss: false, now: clock.now()), answer.staleness == nil else {
            return nil
        }
        return responseAtHand(answer, to: call)
    }

    private func respond(to call: Call) async throws(HTTPCacheError) -> (HTTPCacheResponse, Outcome) {
        var machine = machine(for: call)
        switch machine.start() {
        case .respond(let answer):
            return (await response(answer, to: call, key: nil) ?? .madeUp(answer), .generated)
        case .forward(let forward):
            if call.key.isMemoryOnly, call.request.method.isSafe { await removeStoredCopies(for: call) }
            let answer = try await send(forward, machine, call, nil).answer.get()
            return (answer.response, answer.outcome)
        case .lookUp: break
        }
        if let response = responseFromMemory(to: call, machine) { return (response, .hits) }
        if call.key.isMemoryOnly { await removeStoredCopies(for: call) }
        let flight = Flight(key: call.key, space: call.space, selectingFields: machine.selectingFields, cache: self)
        var found = await lookUp(call.key, machine.selectingFields)
        flight.found = found
        while true {
            switch machine.lookedUp(found.response, isVaryMiss: found.isVaryMiss, now: clock.now()) {
            case .respond(let answer):
                if let response = await response(answer, to: call, key: found.key) { return (response, Self.outcome(of: answer)) }
            case .respondAndRefresh(let answer, let forward):
                if let response = await response(answer, to: call, key: found.key) {
                    refresh(forward, machine, call, flight)
                    return (response, Self.outcome(of: answer))
                }
            case .forward(let forward):
                return try await ask(forward, machine, call, flight)
            }
            // Part of what was found is gone.
            found = Found(base: found.base)
            flight.found = found
            machine = self.machine(for: call)
            _ = machine.start()
        }
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
