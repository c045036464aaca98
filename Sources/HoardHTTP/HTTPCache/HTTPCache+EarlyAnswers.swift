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

/// Answers to requests that have been sent to the origin early.
extension HTTPCache {
    /// The reason why a response to an early miss must not be stored, if its `Cache-Control` is enough to know. `nil`:
    /// it has to be judged whole.
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
    ///   - head: Judged are all its fields but the ``UnjudgedFields``. Its status is neither 304 nor, if the miss is about a stale response, that of an error of
    ///     the origin's.
    ///   - content: All of it.
    /// - Returns: The report of the answer, and the lifetime for `Cache-Status`; `nil` if that takes more. Then nothing
    ///   has been done.
    package func store(_ miss: EarlyMiss, _ head: PlainResponseHead, _ content: UnsafeRawBufferPointer) -> (report: AnswerReport, timeToLive: Double)?
    {
        let now = clock.now()
        guard let response = storeAtOnce(head, content, miss, now: now, storableBytes: content.count) else { return nil }
        passedOnMisses.wrappingAdd(1, ordering: .relaxed)
        journal.note(.stored, for: miss.key)
        let report = report(of: miss, isStored: true)
        record(report, miss.key)
        return (report, response.freshness.wholeTimeToLive(at: now))
    }

    /// Answers an early miss with the stale response that it is about, which the origin has confirmed, if nothing but lines of its head has to be changed for that.
    /// Ends the miss. Never suspends.
    ///
    /// [RFC 9111 §4.3.4](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.4)
    ///
    /// - Parameter notModified: A 304. None of its fields need be judged.
    /// - Returns: `nil` if that takes more. Then nothing has been done.
    package func confirm(_ miss: EarlyMiss, by notModified: PlainResponseHead) -> (hit: FreshHit, report: AnswerReport)? {
        let now = clock.now()
        guard !miss.conditions.isEmpty, let stored = miss.found.response, let wire = stored.wireHead, stored.vary == .fields([]),
            stored.trailers.isEmpty,
            let length = stored.body.lengthAtHand, wire.contentLength == length, let validators = PlainValidators(notModified.lines),
            wire.withLines({ PlainValidators($0)?.areConfirmed(by: validators) ?? false }),
            let updated = wire.updated(with: notModified)
        else { return nil }
        let confirmed = updated.bytes.withUnsafeBytes { bytes in
            let lines = PlainLines(UnsafeRawBufferPointer(rebasing: bytes[wire.statusLine.count...]))
            let judged = HTTPFields(lines) { !UnjudgedFields.contains($0) }
            let head = PlainResponseHead(
                bytes: bytes,
                fieldsStart: wire.statusLine.count,
                fieldCount: updated.fieldCount,
                judged: HTTPResponse(status: .init(code: stored.statusCode, reasonPhrase: wire.reasonPhrase), headerFields: judged)
            )
            return stored.body.withBytesAtHand { storeAtOnce(head, $0, miss, now: now, storableBytes: 0) }
        }
        guard let hit = confirmed??.hit(at: now) else { return nil }
        count(.validatedHits, of: miss, .validated)
        let report = AnswerReport(.validatedHit, tier: miss.found.tier, originDuration: duration(of: miss))
        record(report, miss.key)
        return (hit, report)
    }

    private func storeAtOnce(
        _ head: PlainResponseHead,
        _ content: UnsafeRawBufferPointer,
        _ miss: EarlyMiss,
        now: Date,
        storableBytes: Int
    ) -> StoredResponse? {
        guard content.count <= maximumByteCountStoredAtOnce, !rules.checksDigests || ContentDigest(of: head.judged) == nil else { return nil }
        let freshness = ResponseFreshness(of: head.judged, requestTime: miss.requestTime, responseTime: now, rules: rules)
        let directives = freshness.cacheControl
        // Fields that a directive names are not stored.
        guard directives.noCache ?? .wholeResponse == .wholeResponse, directives.privateScope ?? .wholeResponse == .wholeResponse,
            case .storable = Storability(of: head.judged, to: Self.plainRequest, freshness: freshness, rules: rules, bodyLength: content.count),
            let response = StoredResponse(head, content: content, requestTime: miss.requestTime, freshness: freshness),
            storeAtOnce(response, miss, storableBytes: storableBytes)
        else { return nil }
        return response
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
        record(report, miss.key)
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
        guard case .lookUp = machine.start(), case .forward = machine.lookedUp(miss.found.response, isVaryMiss: false, now: miss.requestTime) else {
            return nil
        }
        return answer(miss, call, machine, head, content)
    }

    /// - Parameter machine: Has been told of the lookup.
    func answer(
        _ miss: EarlyMiss,
        _ call: Call,
        _ machine: HTTPCacheStateMachine,
        _ head: HTTPResponse,
        _ content: ByteBuffer
    ) -> EarlyAnswer? {
        var machine = machine
        let body = HTTPBody(content)
        switch machine.received(head, bodyLength: body.length, requestTime: miss.requestTime, responseTime: clock.now()) {
        case .deliver(let head, let effects) where effects.isStoringOnly:
            count(.misses, of: miss, effects.reason)
            let report = report(of: miss, isStored: false)
            record(report, miss.key)
            end(miss, sharing: .unshareable)
            return .response(HTTPCacheResponse(head: head, body: body, isFromCache: false, report: report))
        case .deliverAndStore(let head, let storing, let effects)
        where effects.isStoringOnly && storing.placement == nil && storing.digest == nil:
            count(.misses, of: miss, effects.reason)
            let report = report(of: miss, isStored: true)
            record(report, miss.key)
            let response = HTTPCacheResponse(head: head, body: body, isFromCache: false, report: report)
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
            record(reported.report, miss.key)
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
        // A response that a removal has kept from being stored still answers requests that had come before.
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

    private func report(of miss: EarlyMiss, isStored: Bool) -> AnswerReport {
        AnswerReport(.miss, tier: .origin, originDuration: duration(of: miss), isStored: isStored, foundUnusable: miss.isOfStale)
    }

    private func duration(of miss: EarlyMiss) -> Duration { .nanoseconds(max(0, ticker.nanoseconds() - miss.start)) }

    /// `Cache-Status` of a response that is passed on as it came: the text before its status, and the text behind it. Of one that is stored, `ttl` stands between.
    ///
    /// - Parameters:
    ///   - reason: Why it is not stored; `nil`: it is.
    ///   - isOfStale: Whether memory had a stale response.
    package func passedOnStatus(because reason: Storability.Reason?, isOfStale: Bool = false) -> (prefix: String, suffix: String) {
        let cause = isOfStale ? CacheStatus.ForwardReason.stale : .uriMiss
        let forwarding = CacheStatus.Forwarding(cause, isStored: reason == nil)
        let plain = CacheStatus(cacheName: configuration.name, .forwarded(CacheStatus.Forwarding(cause))).fieldValue
        let detail = reason.map { HTTPDecision($0).token }
        let detailed = CacheStatus(cacheName: configuration.name, .forwarded(forwarding), detail: detail).fieldValue
        return (plain + "; fwd-status=", String(detailed.dropFirst(plain.count)))
    }
}

extension HTTPCacheStateMachine.Effects {
    /// Whether nothing that is stored is touched.
    fileprivate var isStoringOnly: Bool { invalidatedURIs.isEmpty && invalidatedGroups.isEmpty && !removesFound && replacement == nil }
}
