// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The part of a stored response that a request gets.
enum AnswerForm: Hashable, Sendable {
    case whole
    /// To HEAD.
    case headOnly
    /// The client has the content already: 304.
    case notModified
    /// 206.
    case ranges([Range<Int>])
    /// 416.
    case unsatisfiable(completeLength: Int)
    /// Not all of the requested content is stored. `wantsRanges`: the request asks for parts.
    case incomplete(wantsRanges: Bool)

    /// The form in which a response answers a request.
    ///
    /// The client's conditions are judged in the order of [RFC 9110 §13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2), and `Range` after all of
    /// them. It counts only for GET and where the answer would be 200 without it ([§14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)).
    ///
    /// - Parameters:
    ///   - isArriving: Whether the content is still coming in, and will be whole.
    ///   - ignoresRange: Whether the answer is the whole, as if there were no `Range`.
    ///   - base: The response that `stored` is a form of; conditions are about that.
    init(
        of stored: StoredResponse,
        to request: ClientRequest,
        now: Date,
        isArriving: Bool = false,
        ignoresRange: Bool = false,
        base: StoredResponse? = nil
    ) {
        if !request.fields.isDisjoint(with: .cacheConditions), let condition = ConditionalRequest(request.passedOn, now: now),
            condition.isNotModified((base ?? stored).headWithoutAge, responseTime: stored.responseTime)
        {
            self = .notModified
        } else if request.kind == .head {
            self = .headOnly
        } else if request.fields.contains(.range), stored.statusCode == 200, !isArriving, !ignoresRange,
            let ranges = Self.ranges(of: stored, to: request.passedOn)
        {
            self = ranges
        } else {
            self = isArriving || stored.isComplete ? .whole : .incomplete(wantsRanges: false)
        }
    }

    /// The reason why the cache makes up the answer, if it does.
    var reason: HTTPDecision? {
        if case .unsatisfiable = self { .unsatisfiable } else { nil }
    }

    /// Whether it has content of the representation, or would have if the request were no HEAD.
    var isOfContent: Bool {
        switch self {
        case .whole, .headOnly, .ranges: true
        case .notModified, .unsatisfiable, .incomplete: false
        }
    }

    var isIncomplete: Bool {
        if case .incomplete = self { true } else { false }
    }

    /// - Returns: `nil` if the answer is the whole, as if there were no `Range`.
    private static func ranges(of stored: StoredResponse, to request: HTTPRequest) -> Self? {
        guard let asked = RangeRequest(request.headerFields) else { return nil }
        if let condition = IfRange(request.headerFields), !condition.isMet(by: stored.headWithoutAge.headerFields) { return nil }
        let ranges: [Range<Int>]
        if let completeLength = stored.body.completeLength {
            switch asked.resolved(completeLength: completeLength) {
            case .satisfiable(let resolved): ranges = resolved
            case .unsatisfiable: return .unsatisfiable(completeLength: completeLength)
            case .ignored: return nil
            }
        } else {
            guard let resolved = asked.resolvedWithoutLength() else { return .incomplete(wantsRanges: true) }
            ranges = resolved
        }
        return ranges.allSatisfy { stored.body.contains($0) } ? .ranges(ranges) : .incomplete(wantsRanges: true)
    }
}
