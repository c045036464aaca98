// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore
internal import Synchronization

extension HTTPCache {
    /// Sends a request to the origin, and stores, freshens or invalidates as its answer demands.
    ///
    /// - Parameters:
    ///   - flight: The flight that may store the response; `nil` if nothing was looked up.
    ///   - onEnd: Called when a body that is received has been stored, or will not be.
    func send(
        _ forward: HTTPCacheStateMachine.Forward,
        _ machine: HTTPCacheStateMachine,
        _ call: Call,
        _ flight: Flight?,
        onEnd: @escaping @Sendable () -> Void = {}
    ) async -> Exchange.Landing {
        var (forward, machine) = (forward, machine)
        let isUnsafe = !forward.request.method.isSafe
        // A response that was requested before a change may be older than the change: RFC 9111 §4.4. So it is not stored, and neither is one that is
        // requested while the origin works on the change.
        if isUnsafe { breakFences(of: keys(of: call)) }
        var flight = flight ?? Flight(key: call.key, space: call.space, selectingFields: .known(machine.selectingFields), cache: self)
        // Keeps the body that the origin is about to confirm, or to complete, from being removed meanwhile.
        let lease = segments.lease(flight.found?.response?.body.references ?? [])
        defer { withExtendedLifetime(lease) {} }
        // It may have been sent before it was parsed. Only the first request can be that one.
        var sentBefore = call.early?.requestTime
        while true {
            let requestTime = sentBefore.take() ?? clock.now()
            counters.withLock { $0.originRequests += 1 }
            let received: TransportResponse
            do {
                received = try await call.transport.send(forward.request, body: call.body, onInterimResponse: call.onInterimResponse)
                    .heldToItsLength(for: forward.request)
            } catch {
                if isUnsafe { await changeMayHaveHappened(error, call) }
                flight.close()
                let failure = HTTPCacheStateMachine.ForwardFailure(detail: error.code.description, isUnreachable: error.meansUnreachable)
                let answer = await failed(failure, error, &machine, call, foundKey: flight.found?.key)
                return .init(answer: answer, shared: .failed(failure, error))
            }
            if isUnsafe {
                let found = flight.found
                change(&flight, call) { breakFences(of: keys(of: call), sparing: $0) }
                flight.found = found
            }
            let action = machine.received(
                received.head,
                bodyLength: received.body.length,
                requestTime: requestTime,
                responseTime: clock.now()
            )
            switch action {
            case .deliver(let head, let effects):
                await apply(effects, call, &flight)
                flight.close()
                return .init(answer: .success(.miss(head, received.body, forward.reason, isStored: false)), shared: .unshareable)

            case .deliverAndStore(let head, let storing, let effects):
                await apply(effects, call, &flight)
                return await deliver(head, of: received, forward.reason, storing, flight, onEnd)

            case .deliverCombined(let head, let stored, let storing, let effects):
                let key = flight.found?.key
                await apply(effects, call, &flight)
                // Together they are no response that may be stored.
                if effects.removesFound { flight.close() }
                let body = await combinedBody(received.body, stored, storing, key, flight, onEnd)
                if let body {
                    let isStored = !effects.removesFound
                    return .init(answer: .success(.miss(head, body, forward.reason, isStored: isStored)), shared: .unshareable)
                }

            case .respond(let answer, let storing, let effects):
                let key = flight.found?.key
                if let response = await response(answer, to: call, key: key) {
                    await apply(effects, call, &flight)
                    if let storing { await flight.store(storing) }
                    flight.close()
                    let shared = storing.flatMap { $0.isComplete ? Exchange.Shared.stored($0) : nil }
                    return .init(answer: .success(.init(response, Self.outcome(of: answer))), shared: shared ?? .unshareable)
                }

            case .forwardAgain(let next):
                forward = next
                continue
            }
            // Part of the response that the origin has confirmed or completed is gone. It is asked as if there had been nothing.
            flight.found = nil
            machine = self.machine(for: call)
            guard case .lookUp = machine.start(), case .forward(let next) = machine.lookedUp(nil, isVaryMiss: false, now: clock.now()) else {
                flight.close()
                let error = TransportError(.failed, "The stored response is no longer complete.")
                return .init(answer: .failure(HTTPCacheError(error)), shared: .unshareable)
            }
            forward = next
        }
    }

    /// Breaks fences after a failed unsafe request, and marks stored responses stale if the origin may have made the change. They are confirmed before
    /// they are used again.
    private func changeMayHaveHappened(_ error: TransportError, _ call: Call) async {
        let keys = keys(of: call)
        breakFences(of: keys)
        if error.meansNothingWasSent { return }
        await startTask { [self] in
            await tellOfRemoval(of: keys)
            for key in keys { await markStoredStale(key) }
        }.value
    }

    /// The keys under which responses that an unsafe request changes may be stored.
    private func keys(of call: Call) -> [HTTPCacheKey] { keys(of: call.key.targetURI, like: call.key) }

    /// The answer to a request for which the origin gave none: something stored, or none.
    func failed(
        _ failure: HTTPCacheStateMachine.ForwardFailure,
        _ error: TransportError,
        _ machine: inout HTTPCacheStateMachine,
        _ call: Call,
        foundKey: HTTPCacheKey?
    ) async -> Result<Exchange.LeaderAnswer, HTTPCacheError> {
        switch machine.forwardFailed(failure, now: clock.now()) {
        case .respond(let answer):
            if let response = await response(answer, to: call, key: foundKey) { return .success(.init(response, Self.outcome(of: answer))) }
            return .failure(HTTPCacheError(error))
        case .fail(let status, let prohibition):
            let isProhibited = prohibition != nil
            return .failure(HTTPCacheError(error, cacheStatus: status.fieldValue, isStaleProhibited: isProhibited))
        }
    }

    /// Carries out the changes of the cache that an answer demands, before anything is stored.
    private func apply(_ effects: HTTPCacheStateMachine.Effects, _ call: Call, _ flight: inout Flight) async {
        journal.note(effects.reason, for: call.key)
        if let replacement = effects.replacement { await flight.replaceFound(with: replacement) }
        guard effects.removesFound || !effects.invalidatedURIs.isEmpty || !effects.invalidatedGroups.isEmpty else { return }
        let old = flight
        let invalidated = effects.invalidatedURIs.flatMap { keys(of: $0, like: call.key, call.policy) }
        change(&flight, call, after: old) { next in
            breakFences(of: invalidated, sparing: next)
            if effects.removesFound { old.breakFencesOfFound(sparing: next) }
        }
        // A cancelled task would not find all that has to go.
        await startImmediateTask { [self, flight] in
            if effects.removesFound { await old.removeFound(sparing: flight) }
            await removeStored(invalidated, sparing: flight)
            await removeStored(groups: effects.invalidatedGroups, of: call.key)
        }.value
    }

    /// Breaks fences because of a request's own change. If no other change has come since the request was sent, its response may still be stored.
    ///
    /// - Parameter breakFences: Gets the flight whose fences are to be spared.
    private func change(_ flight: inout Flight, _ call: Call, after old: Flight? = nil, _ breakFences: (Flight) -> Void) {
        // Made first: changes by others from now on break the fences of this one, and their earlier changes have broken
        // those of the old one.
        let next = Flight(key: call.key, space: call.space, selectingFields: .known(machine(for: call).selectingFields), cache: self, after: old)
        interleavingPoint()
        let isIntact = flight.isIntact
        breakFences(next)
        if isIntact { flight = next }
    }

    // MARK: Bodies

    /// Gives the leader the body as it comes, and stores it when it is whole.
    private func deliver(
        _ head: HTTPResponse,
        of received: TransportResponse,
        _ reason: CacheStatus.ForwardReason,
        _ storing: HTTPCacheStateMachine.Storing,
        _ flight: Flight,
        _ onEnd: @escaping @Sendable () -> Void
    ) async -> Exchange.Landing {
        let body = received.body
        // A body that is empty (RFC 9110 §15.3.5, §15.3.6), such as that of many a redirect, need not be read.
        let status = storing.response.statusCode
        let isEmpty = status == 204 || status == 205 || body.length == 0
        if let bytes = isEmpty ? ByteBuffer() : body.bytesAtHand {
            if let digest = storing.digest, !digest.isMet(by: bytes) {
                journal.note(.wrongDigest, for: flight.key)
                flight.close()
                onEnd()
                if configuration.digests.refuses { return .init(answer: .failure(HTTPCacheError(.wrongDigest)), shared: .unshareable) }
                return .init(answer: .success(.miss(head, body, reason, isStored: false)), shared: .unshareable)
            }
            var storing = storing
            storing.digest = nil
            let stored = await store(bytes, storing, flight)
            onEnd()
            return .init(answer: .success(.miss(head, body, reason, isStored: true)), shared: stored.map { .stored($0) } ?? .unshareable)
        }
        let shared = receive(body, storing, flight, onEnd)
        // There is nothing yet that could have made it leave.
        guard let reader = shared.addReader() else { return .init(answer: .failure(.cancelled), shared: .unshareable) }
        let announcesTrailers = storing.placement == nil && received.head.headerFields.contains(.trailer)
        startReceiving(body, storing, flight, into: shared, announcesTrailers: announcesTrailers, onEnd)
        return .init(
            answer: .success(.miss(head, reader.makeBody(length: body.length), reason, isStored: true)),
            shared: storing.placement == nil ? .arriving(storing.response, shared) : .unshareable
        )
    }

    /// The stored part of a body, and the missing one as it comes.
    ///
    /// - Returns: `nil` if part of the stored response is gone.
    private func combinedBody(
        _ body: HTTPBody,
        _ stored: StoredResponse,
        _ storing: HTTPCacheStateMachine.Storing,
        _ key: HTTPCacheKey?,
        _ flight: Flight,
        _ onEnd: @escaping @Sendable () -> Void
    ) async -> HTTPBody? {
        guard let placement = storing.placement, let length = placement.completeLength ?? stored.body.completeLength else { return nil }
        // One byte more than belongs there, and all that follows would be in a wrong place.
        let body = body.length == nil ? body.held(to: placement.length) : body
        let before = StoredContent.Piece.range(0..<placement.offset)
        // Asked before the transfer begins, which cannot be begun again.
        if await StoredContent.firstSegment(of: [before], in: stored.body, segments).isMissing { return nil }
        let shared = receive(body, storing, flight, onEnd)
        guard let reader = shared.addReader() else { return nil }
        let after = StoredContent.Piece.range(placement.range.upperBound..<max(length, placement.range.upperBound))
        guard let content = await content([before, .received(reader), after], of: stored.body, key: key) else { return nil }
        startReceiving(body, storing, flight, into: shared, onEnd)
        return HTTPBody(content, length: length)
    }
}

extension Exchange.LeaderAnswer {
    /// The origin's response, and whether it is stored or being stored.
    fileprivate static func miss(_ head: HTTPResponse, _ body: HTTPBody, _ reason: CacheStatus.ForwardReason, isStored: Bool) -> Self {
        let isUnusable = [.stale, .varyMiss, .request, .partial].contains(reason)
        let report = AnswerReport(.miss, tier: .origin, isStored: isStored, foundUnusable: isUnusable)
        return Self(HTTPCacheResponse(head: head, body: body, isFromCache: false, report: report), .misses)
    }
}

extension TransportError {
    /// Whether the origin cannot have got the request.
    var meansNothingWasSent: Bool {
        if progress == .notProcessed || progress == .lostWithOthers(mayBeProcessed: false) { return true }
        return switch code {
        case .invalidURL, .cannotConnect, .tlsFailed: true
        default: false
        }
    }

    /// Whether the origin could not be asked at all, or did not answer.
    fileprivate var meansUnreachable: Bool {
        switch code {
        case .cannotConnect, .timedOut, .connectionClosed: true
        default: false
        }
    }
}
