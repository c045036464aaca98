// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCacheStateMachine {
    /// A complete answer from the stored response, or one that the cache made up.
    package struct Answer: Sendable, Hashable {
        /// As the client gets it.
        package var head: HTTPResponse
        /// The bytes of the body of ``stored`` that follow.
        package var content: Content
        /// `nil` if the cache made the answer up.
        package var stored: StoredResponse?
        /// The reason for this answer.
        package var decision: HTTPDecision
        /// `nil` if the answer is fresh, or made up.
        package var staleness: HTTPCacheResponse.Staleness?
        /// Whether the origin has just confirmed the stored response.
        package var wasValidated: Bool
        /// Whether no other form of it would do better.
        package var isInForm = true

        package init(
            head: HTTPResponse,
            content: Content = .none,
            stored: StoredResponse? = nil,
            decision: HTTPDecision,
            staleness: HTTPCacheResponse.Staleness? = nil,
            wasValidated: Bool = false
        ) {
            self.head = head
            self.content = content
            self.stored = stored
            self.decision = decision
            self.staleness = staleness
            self.wasValidated = wasValidated
        }
    }

    package enum Content: Sendable, Hashable {
        /// For HEAD, 304, 416, and answers that the cache made up.
        case none
        case whole
        case range(Range<Int>)
        case multipart(MultipartByteRanges)
    }
}

extension HTTPCacheStateMachine {
    /// The answer that a stored response gives in this form.
    ///
    /// - Parameter isArriving: Whether the content is still coming in, so that ``StoredResponse/body`` does not have it.
    func answer(
        _ form: AnswerForm,
        from stored: StoredResponse,
        because decision: HTTPDecision,
        status: CacheStatus,
        now: Date,
        staleness: HTTPCacheResponse.Staleness? = nil,
        wasValidated: Bool = false,
        isArriving: Bool = false
    ) -> Answer {
        let (stored, isInForm) = served(stored)
        var head = stored.headWithoutAge
        var content = Content.none
        switch form {
        case .whole:
            content = .whole
        case .headOnly, .incomplete:
            break
        case .notModified:
            head = head.notModifiedForm()
            coding?.nameHeldForm(in: &head)
        case .ranges(let ranges):
            content = Self.content(of: ranges, from: stored)
            head = head.partialForm(content, completeLength: stored.body.completeLength)
        case .unsatisfiable(let completeLength):
            head = HTTPResponse(status: .rangeNotSatisfiable)
            head.headerFields.append(HTTPField(name: .contentRange, value: ContentRange.unsatisfied(completeLength: completeLength)))
            head.headerFields.append(HTTPField(name: .contentLength, value: "0"))
            head.headerFields.append(HTTPField(name: .date, value: HTTPDate(now).description))
        }
        if client.fields.contains(.wantedDigests), !isArriving, form.isOfContent, stored.statusCode == 200, stored.isComplete,
            stored.body.lengthAtHand ?? .max <= WantedDigests.maximumByteCount, let bytes = stored.body.bytesAtHand,
            let wanted = WantedDigests(client.passedOn.headerFields)
        {
            wanted.add(to: &head.headerFields, for: bytes, isPart: head.status == .partialContent)
        }
        head.headerFields.reserveCapacity(head.headerFields.count + 2)
        if case .unsatisfiable = form {} else { head.headerFields.append(HTTPField(name: .age, value: stored.freshness.age.fieldValue(at: now))) }
        status.append(to: &head.headerFields)
        var answer = Answer(head: head, content: content, stored: stored, decision: decision, staleness: staleness, wasValidated: wasValidated)
        answer.isInForm = isInForm
        return answer
    }

    private static func content(of ranges: [Range<Int>], from stored: StoredResponse) -> Content {
        if ranges.count == 1 { return .range(ranges[0]) }
        // An author of the content must not be able to foresee the boundary: RFC 9110 §14.6.
        var generator = RandomNumbers()
        return .multipart(
            MultipartByteRanges(
                ranges: ranges,
                boundary: MultipartByteRanges.boundary(using: &generator),
                contentType: stored.head.headerFields[fields: .contentType].first?.valueBytes,
                completeLength: stored.body.completeLength
            )
        )
    }

    /// A response that the cache makes up.
    func generated(_ status: HTTPResponse.Status, because decision: HTTPDecision) -> Answer {
        var head = HTTPResponse(status: status)
        self.status(.generated, because: decision).append(to: &head.headerFields)
        return Answer(head: head, decision: decision)
    }

    func status(_ outcome: CacheStatus.Outcome, timeToLive: Double? = nil, because decision: HTTPDecision? = nil) -> CacheStatus {
        CacheStatus(cacheName: rules.cacheName, outcome, timeToLive: timeToLive, detail: decision?.token)
    }
}

extension HTTPResponse {
    /// The 206 with a part of this stored response: [RFC 9110 §15.3.7](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7).
    ///
    /// Digests of the content are left out, as those stored are of the whole. `Repr-Digest` is always of the whole.
    fileprivate func partialForm(_ content: HTTPCacheStateMachine.Content, completeLength: Int?) -> HTTPResponse {
        var fields = HTTPFields()
        fields.reserveCapacity(headerFields.count + 4)
        var isMultipart = false
        if case .multipart = content { isMultipart = true }
        for field in headerFields {
            switch field.name.canonicalName {
            case "content-length", "content-range", "content-digest", "content-md5": continue
            case "content-type" where isMultipart: continue
            default: fields.append(field)
            }
        }
        switch content {
        case .range(let range):
            fields.append(HTTPField(name: .contentRange, value: ContentRange.fieldValue(range, completeLength: completeLength)))
            fields.append(HTTPField(name: .contentLength, value: String(range.count)))
        case .multipart(let parts):
            fields.append(HTTPField(name: .contentType, value: parts.responseContentType))
            fields.append(HTTPField(name: .contentLength, value: String(parts.length)))
        case .none, .whole:
            break
        }
        return HTTPResponse(status: .partialContent, headerFields: fields)
    }
}

extension ResponseFreshness {
    /// The time to live that fits the `Age` field, which is in whole seconds: both together are the lifetime.
    func wholeTimeToLive(at now: Date) -> Double {
        Double(lifetime.seconds) - age.seconds(at: now).rounded(.down)
    }
}
