// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Whether a response may be kept in order to answer later requests.
///
/// [RFC 9111 §3](https://www.rfc-editor.org/rfc/rfc9111#section-3). These rules are stricter here than there:
///
/// - Only responses that answer a later GET are stored: responses to GET, and to POST where
///   [RFC 9110 §9.3.3](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.3) says so.
/// - A response with `Vary: *` could be reused for no request ([§4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1)), so it is not stored.
/// - A response with neither a lifetime nor a validator could never be reused, so it is not stored.
/// - A response with a transfer coding other than `chunked` has its content in a coding that this cache does not undo, so it is not stored.
/// - A response to a condition, an expectation or a range that was not met (412, 417, 416) says nothing about other requests, so it is not stored.
/// - Responses of four statuses must not be stored ([RFC 6585](https://www.rfc-editor.org/rfc/rfc6585)): 428, 429, 431 and 511.
///
/// `Set-Cookie` does not prevent storing: a response that belongs to one user has to say so
/// ([§7.3](https://www.rfc-editor.org/rfc/rfc9111#section-7.3)).
package enum Storability: Hashable, Sendable {
    case storable
    case notStorable(Reason)

    /// Judges a response to a request.
    ///
    /// - Parameters:
    ///   - response: As it was received, before fields are left out.
    ///   - request: As it was received, so that a field named in `Connection` still counts.
    ///   - freshness: Of the response, by the same rules.
    ///   - bodyLength: The length of the content, if it is known beforehand.
    package init(of response: HTTPResponse, to request: HTTPRequest, freshness: ResponseFreshness, rules: HTTPCacheRules, bodyLength: Int? = nil) {
        let directives = freshness.cacheControl
        let reason =
            Self.reasonInRequest(request, response, freshness)
            ?? Self.reasonInStatus(response, request, directives, bodyLength)
            ?? Self.reasonInDirectives(directives, request, freshness.mode)
            ?? Self.reasonInReuse(response, freshness)
            ?? Self.reasonInSize(response, rules, bodyLength)
        self = reason.map { .notStorable($0) } ?? .storable
    }

    private static func reasonInRequest(_ request: HTTPRequest, _ response: HTTPResponse, _ freshness: ResponseFreshness) -> Reason? {
        switch request.method {
        case .get, .query: break
        case .post: if !isAnswerToLaterGET(response, request, freshness) { return .method }
        default: return .method
        }
        return CacheControl(request: request.headerFields).noStore ? .requestNoStore : nil
    }

    /// Whether a response to POST may answer a later GET: it says for how long, and that its content is a
    /// representation of the target URI.
    private static func isAnswerToLaterGET(_ response: HTTPResponse, _ request: HTTPRequest, _ freshness: ResponseFreshness) -> Bool {
        guard response.status == .ok, freshness.lifetime.isExplicit, let target = TargetURI(request),
            let line = response.headerFields.singleLine(of: .contentLocation), let location = String(validating: line, as: UTF8.self)
        else { return false }
        return target.resolving(location) == target
    }

    private static func reasonInStatus(
        _ response: HTTPResponse,
        _ request: HTTPRequest,
        _ directives: CacheControl,
        _ bodyLength: Int?
    ) -> Reason? {
        let status = response.status
        if let reason = reason(inStatus: status.code) { return reason }
        if status.code == 206 {
            let isPart = request.headerFields.contains(.range) && PartialContent(response, bodyLength: bodyLength) != nil
            return isPart ? nil : .partial
        }
        return directives.mustUnderstand && !status.isUnderstood ? .notUnderstood : nil
    }

    /// The reason not to store any response of a status.
    private static func reason(inStatus code: Int) -> Reason? {
        switch code {
        case 304, ..<200: .status
        case 412, 416, 417: .unmetDemand
        case 428, 429, 431, 511: .neverStored
        default: nil
        }
    }

    private static func reasonInDirectives(_ directives: CacheControl, _ request: HTTPRequest, _ mode: CacheMode) -> Reason? {
        if let reason = prohibition(in: directives, mode: mode) { return reason }
        guard mode == .shared else { return nil }
        let mayBeShared = directives.isPublic || directives.mustRevalidate || directives.sharedMaxAge != nil
        return request.headerFields.contains(.authorization) && !mayBeShared ? .authorization : nil
    }

    /// The reason why a response must not be stored whatever its other fields say, if its directives are reached at all.
    static func prohibition(in directives: CacheControl, mode: CacheMode) -> Reason? {
        // By now the status is understood if that is required; then no-store is meant for caches that do not know must-understand.
        if directives.noStore, !directives.mustUnderstand { return .noStore }
        return mode == .shared && directives.privateScope == .wholeResponse ? .private : nil
    }

    /// Whether a final response of this status, to a plain GET, is judged by its directives first.
    static func isJudgedByDirectives(_ status: Int) -> Bool { status != 206 && reason(inStatus: status) == nil }

    private static func reasonInReuse(_ response: HTTPResponse, _ freshness: ResponseFreshness) -> Reason? {
        if Vary(response.headerFields) == .any { return .varyStar }
        if freshness.lifetime.isExplicit { return nil }
        let directives = freshness.cacheControl
        let isMarked = directives.isPublic || (freshness.mode == .private && directives.privateScope != nil)
        guard isMarked || response.status.isHeuristicallyCacheable else { return .status }
        return freshness.lifetime.source == .none && Validators(of: response.headerFields).isEmpty ? .noExplicitFreshness : nil
    }

    private static func reasonInSize(_ response: HTTPResponse, _ rules: HTTPCacheRules, _ bodyLength: Int?) -> Reason? {
        if response.headerFields.hasUnknownTransferCoding { return .transferCoding }
        if response.headerFields.contains(.contentLength), response.headerFields.contentLength == nil { return .length }
        if bodyLength ?? response.headerFields.contentLength ?? 0 > rules.maximumObjectBytes { return .tooLarge }
        return CacheTags.usableTags(in: response.headerFields) == nil ? .tags : nil
    }
}

extension HTTPFields {
    /// Whether the content came in a transfer coding that is not undone: [RFC 9112 §7](https://www.rfc-editor.org/rfc/rfc9112#section-7).
    fileprivate var hasUnknownTransferCoding: Bool {
        contains(.transferEncoding) && self[values: .transferEncoding].contains { $0.lowercased() != "chunked" && !$0.isEmpty }
    }
}

extension HTTPResponse.Status {
    /// Whether this cache knows and obeys the rules of RFC 9110 for responses with this final status.
    ///
    /// 304 is left out: it is never stored by itself.
    var isUnderstood: Bool {
        switch code {
        case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}
