// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import Hoard
package import HoardMessages
package import NIOCore
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Requests that are sent to the origin before the ordinary way of the cache begins: plain misses before anything of them has been parsed, and what memory has
/// stale.
extension HTTPCache {
    /// A request for which the cache has nothing that it may use, and that is on its way to the origin.
    ///
    /// It ends in one of four ways: the response is passed on as it came (``passedOn(_:because:)``); it is whole, and answers the request
    /// (``answer(_:to:with:_:)``); the request is answered in the ordinary way, with what has been sent already
    /// (``respond(to:through:onInterimResponse:isFresh:after:)``); or it has to be forgotten (``forget(_:)``).
    package struct EarlyMiss: Sendable {
        package let key: HTTPCacheKey
        let flight: Flight
        /// The exchange that others may join; `nil`: requests for the key are not collapsed now.
        let exchange: Exchange?
        /// The response in memory that may not be used as it is, if there is one.
        let found: Found
        let requestTime: Date
        let start: Int64
    }

    /// How far a request has come before it is parsed.
    package enum EarlyBeginning: Sendable {
        case miss(EarlyMiss)
        /// Memory has something, which may be stale: ``beginValidation(_:)``.
        case found
        /// It has to be answered in the ordinary way.
        case nothing
    }

    /// Begins a plain request (``freshHit(targetURI:isHead:now:)``) with GET, if it is certain that neither memory nor a store has anything for it, and nobody else
    /// is asking for the same. Never suspends, and reads no store. From here on a removal keeps what is fetched from being stored.
    ///
    /// - Parameters:
    ///   - targetURI: The normalised URI, as keys have it.
    ///   - selectingFields: Parses those fields of the request that go beyond the connection.
    package func beginMiss(targetURI: String, selectingFields: @escaping @Sendable () -> HTTPFields) -> EarlyBeginning {
        guard beginsEarly else { return .nothing }
        let key = HTTPCacheKey(scope: space.baseScope, targetURI: targetURI)
        let fields = SelectingFields.parsedWhenNeeded(selectingFields)
        let flight = Flight(key: key, space: space, selectingFields: fields, cache: self)
        guard let miss = begin(Found(base: key), flight, fields) else { return .nothing }
        if entries.isKnownAbsent(key), !mayHaveSearchRules.load(ordering: .acquiring) || entries.isKnownAbsent(key.searchRulesKey) {
            return .miss(miss)
        }
        forget(miss)
        return entries.memoryLookup(forKey: key) == nil ? .nothing : .found
    }

    /// A request to the origin about a stale response in memory.
    package struct EarlyValidation: Sendable {
        package let miss: EarlyMiss
        /// The request to the origin.
        package let request: HTTPRequest
        fileprivate let call: Call
        fileprivate let machine: HTTPCacheStateMachine
    }

    /// Begins a request without content if memory has the whole response that it selects, the origin has to be asked about that, and nobody else is asking it.
    /// Never suspends.
    ///
    /// - Returns: `nil` if the request has to be answered in the ordinary way.
    package func beginValidation(_ request: Request) -> EarlyValidation? {
        guard beginsEarly, let call = call(request) else { return nil }
        var machine = machine(for: call)
        guard case .lookUp = machine.start() else { return nil }
        let fields = machine.selectingFields
        let flight = Flight(key: call.key, space: call.space, selectingFields: .known(fields), cache: self)
        guard let found = lookUpInMemory(call.key, fields), let stored = found.response, stored.isComplete, stored.body.bytesAtHand != nil,
            case .forward(let forward) = machine.lookedUp(stored, isVaryMiss: false, now: clock.now()), forward.isCollapsible
        else { return nil }
        flight.found = found
        guard let miss = begin(found, flight, .known(fields)) else { return nil }
        return EarlyValidation(miss: miss, request: forward.request, call: call, machine: machine)
    }

    /// Other ways of waiting for others, and of having nobody wait, are the ordinary way's.
    private var beginsEarly: Bool { configuration.collapseTimeout > .zero && !configuration.collapsesAcrossCaches && rules.hasPlainTargets }

    /// - Returns: `nil` if somebody else is asking for the same.
    private func begin(_ found: Found, _ flight: Flight, _ fields: SelectingFields) -> EarlyMiss? {
        let flightKey = FlightKey(found)
        let exchange: Exchange?
        switch flights.enterFirst(flightKey, makeExchange: { Exchange(key: flightKey, leaderFields: fields, flight: flight) }) {
        case .lead(let led): exchange = led
        case .alone: exchange = nil
        case .follow, .landed, nil: return nil
        }
        return EarlyMiss(
            key: flight.key,
            flight: flight,
            exchange: exchange,
            found: found,
            requestTime: clock.now(),
            start: ticker.nanoseconds()
        )
    }

    /// Whether an early miss is one of this request, as the cache understands it.
    package func isBegun(_ pending: PendingRequest, by miss: EarlyMiss) -> Bool { pending.isLookup && pending.key == miss.key }

    /// Why a response to an early miss must not be stored, if its `Cache-Control` is enough to know. `nil`: it has to be judged whole.
    ///
    /// - Parameters:
    ///   - cacheControl: The value of the only such field. No field with directives for this kind of cache alone may stand beside it.
    ///   - status: The response's.
    package func prohibition(byCacheControl cacheControl: [UInt8], status: Int) -> Storability.Reason? {
        let directives = CacheControl(responseLine: cacheControl)
        guard !directives.mustUnderstand, Storability.isJudgedByDirectives(status) else { return nil }
        return Storability.prohibition(in: directives, mode: rules.mode)
    }

    /// Stores a response that is passed on as it came, if nothing of it has to be changed for that, and ends its early miss. Never suspends.
    ///
    /// - Parameters:
    ///   - head: Judged are all its fields but the ``UnjudgedFields``.
    ///   - content: All of it.
    /// - Returns: The report of the answer, and what `Cache-Status` says of the lifetime; `nil` if that takes more. Then nothing has been done.
    package func store(_ miss: EarlyMiss, _ head: PlainResponseHead, _ content: UnsafeRawBufferPointer) -> (report: AnswerReport, timeToLive: Double)?
    {
        guard content.count <= maximumByteCountStoredAtOnce else { return nil }
        let now = clock.now()
        let freshness = ResponseFreshness(of: head.judged, requestTime: miss.requestTime, responseTime: now, rules: rules)
        let directives = freshness.cacheControl
        // Fields that a directive names are not stored.
        guard directives.noCache ?? .wholeResponse == .wholeResponse, directives.privateScope ?? .wholeResponse == .wholeResponse,
            case .storable = Storability(of: head.judged, to: Self.plainRequest, freshness: freshness, rules: rules, bodyLength: content.count),
            let response = StoredResponse(head, content: content, requestTime: miss.requestTime, freshness: freshness),
            storeAtOnce(response, miss, storableBytes: content.count)
        else { return nil }
        passedOnMisses.wrappingAdd(1, ordering: .relaxed)
        journal.note(.stored, for: miss.key)
        let report = report(of: miss, isStored: true)
        return (report, freshness.wholeTimeToLive(at: now))
    }

    /// A request that says nothing of storing, like every plain one.
    private static let plainRequest = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)

    /// Ends an early miss whose response has been passed on as it came. Requests for the URI are not collapsed for a while.
    ///
    /// - Returns: The report of the answer.
    package func passedOn(_ miss: EarlyMiss, because reason: Storability.Reason) -> AnswerReport {
        passedOnMisses.wrappingAdd(1, ordering: .relaxed)
        journal.note(HTTPDecision(reason), for: miss.key)
        let report = report(of: miss, isStored: false)
        end(miss, sharing: .unshareable)
        return report
    }

    /// How an early miss is answered whose whole response has been parsed.
    package enum EarlyAnswer: Sendable {
        /// At once.
        case response(HTTPCacheResponse)
        /// When the function has been called and has returned: memory has the response then, and the stores are not behind. It rarely suspends.
        case responseToStore(HTTPCacheResponse, @Sendable () async -> Void)
    }

    /// Answers an early miss from the whole response. Never suspends.
    ///
    /// - Parameters:
    ///   - request: The same request, parsed.
    ///   - head: The head of the origin's response, which is final.
    ///   - content: Its content.
    /// - Returns: `nil` if the response takes more than to be stored. Then nothing has been done.
    package func answer(_ miss: EarlyMiss, to request: Request, with head: HTTPResponse, _ content: ByteBuffer) -> EarlyAnswer? {
        guard let call = call(request), call.key == miss.key else { return nil }
        var machine = machine(for: call)
        guard case .lookUp = machine.start(), case .forward = machine.lookedUp(nil, isVaryMiss: false, now: clock.now()) else { return nil }
        return answer(miss, call, machine, with: head, content)
    }

    /// The same for a request for what memory has stale.
    package func answer(_ validation: EarlyValidation, with head: HTTPResponse, _ content: ByteBuffer) -> EarlyAnswer? {
        answer(validation.miss, validation.call, validation.machine, with: head, content)
    }

    private func answer(
        _ miss: EarlyMiss,
        _ call: Call,
        _ machine: HTTPCacheStateMachine,
        with head: HTTPResponse,
        _ content: ByteBuffer
    ) -> EarlyAnswer? {
        var machine = machine
        let body = HTTPBody(content)
        switch machine.received(head, bodyLength: body.length, requestTime: miss.requestTime, responseTime: clock.now()) {
        case .deliver(let head, let effects) where effects.isStoringOnly:
            count(.misses, of: miss, effects.reason)
            let report = report(of: miss, isStored: false)
            end(miss, sharing: .unshareable)
            return .response(HTTPCacheResponse(head: head, body: body, isFromCache: false, report: report))
        case .deliverAndStore(let head, let storing, let effects) where effects.isStoringOnly && storing.placement == nil:
            count(.misses, of: miss, effects.reason)
            let response = HTTPCacheResponse(head: head, body: body, isFromCache: false, report: report(of: miss, isStored: true))
            if storeAtOnce(content, storing, miss) { return .response(response) }
            return .responseToStore(response) { [self] in
                let stored = await store(content, storing, miss.flight)
                end(miss, sharing: stored.map { .stored($0) } ?? .unshareable)
            }
        case .respond(let answer, let storing, let effects) where effects.isStoringOnly:
            guard let response = responseAtHand(answer, to: call) else { return nil }
            let outcome = Self.outcome(of: answer)
            count(outcome, of: miss, effects.reason)
            let reported = reported(response, outcome, tier: miss.found.tier, since: miss.start).0
            if let storing, storeAtOnce(storing, miss) { return .response(reported) }
            return .responseToStore(reported) { [self] in
                if let storing { await miss.flight.store(storing) }
                end(miss, sharing: storing.flatMap { $0.isComplete ? .stored($0) : nil } ?? .unshareable)
            }
        default: return nil
        }
    }

    /// Stores a response without suspending, and ends its miss.
    ///
    /// - Returns: Whether that has been done.
    private func storeAtOnce(_ response: StoredResponse, _ miss: EarlyMiss, storableBytes: Int = 0) -> Bool {
        guard let isStored = miss.flight.storeAtOnce(response.packed) else { return false }
        counters.withLock { counters in
            counters.storableBytes += storableBytes
            if isStored { counters.storedResponses += 1 }
        }
        // A response that a removal has kept from being stored still answers those who had asked before.
        end(miss, sharing: response.isComplete ? .stored(response) : .unshareable)
        return true
    }

    private func storeAtOnce(_ content: ByteBuffer, _ storing: HTTPCacheStateMachine.Storing, _ miss: EarlyMiss) -> Bool {
        let length = content.readableBytes
        guard length <= maximumByteCountStoredAtOnce, let response = storing.response(with: .bytes(content), length: length, isWhole: true) else {
            return false
        }
        return storeAtOnce(response, miss, storableBytes: length)
    }

    /// Longer content is stored in pieces, or not in the head's memory.
    private var maximumByteCountStoredAtOnce: Int { min(PackedContent.maximumByteCount, configuration.inlineBodyBytes, rules.maximumObjectBytes) }

    private func count(_ outcome: Outcome, of miss: EarlyMiss, _ reason: HTTPDecision) {
        journal.note(reason, for: miss.key)
        counters.withLock { counters in
            counters.originRequests += 1
            counters.count(outcome)
        }
    }

    /// Ends an early miss of which nothing will come. The requests that wait for it ask by themselves.
    package func forget(_ miss: EarlyMiss) { forget(miss, sharing: .unshareable) }

    private func forget(_ miss: EarlyMiss, sharing shared: Exchange.Shared) {
        miss.flight.close()
        guard let exchange = miss.exchange else { return }
        flights.remove(exchange)
        exchange.land(.init(answer: .failure(.cancelled), shared: shared))
    }

    /// Ends an early miss that has been answered.
    private func end(_ miss: EarlyMiss, sharing shared: Exchange.Shared) {
        if case .unshareable = shared, let exchange = miss.exchange { flights.markUnshareable(exchange.key) }
        forget(miss, sharing: shared)
    }

    private func report(of miss: EarlyMiss, isStored: Bool) -> AnswerReport {
        let duration = Duration.nanoseconds(max(0, ticker.nanoseconds() - miss.start))
        return AnswerReport(.miss, tier: .origin, originDuration: duration, isStored: isStored, foundUnusable: miss.found.response != nil)
    }

    /// `Cache-Status` of a response that is passed on as it came: the text before its status, and the text behind it. Of one that is stored, `ttl` stands between.
    ///
    /// - Parameter reason: Why it is not stored; `nil`: it is.
    package func passedOnStatus(because reason: Storability.Reason?) -> (prefix: String, suffix: String) {
        let forwarding = CacheStatus.Forwarding(.uriMiss, isStored: reason == nil)
        let plain = CacheStatus(cacheName: configuration.name, .forwarded(CacheStatus.Forwarding(.uriMiss))).fieldValue
        let detail = reason.map { HTTPDecision($0).token }
        let detailed = CacheStatus(cacheName: configuration.name, .forwarded(forwarding), detail: detail).fieldValue
        return (plain + "; fwd-status=", String(detailed.dropFirst(plain.count)))
    }
}

extension HTTPCacheStateMachine.Effects {
    /// Whether nothing that is stored is touched.
    fileprivate var isStoringOnly: Bool { invalidatedURIs.isEmpty && !removesFound && replacement == nil }
}
