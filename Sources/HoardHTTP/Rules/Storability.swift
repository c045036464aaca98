// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Whether a response may be kept in order to answer later requests.
///
/// [RFC 9111 §3](https://www.rfc-editor.org/rfc/rfc9111#section-3). What is stricter here than there:
///
/// - Only responses to GET are stored, and no partial ones.
/// - A response with `Vary: *` could be reused for no request ([§4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1)), so it is not stored.
/// - A response with neither a lifetime nor a validator could never be reused, so it is not stored.
///
/// `Set-Cookie` does not prevent storing: a response that belongs to one user has to say so ([§7.3](https://www.rfc-editor.org/rfc/rfc9111#section-7.3)).
package enum Storability: Hashable, Sendable {
    case storable
    case notStorable(Reason)

    /// Why a response is not stored.
    package struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A constant in capitals, for the `detail` parameter of `Cache-Status`.
        package let token: String
        /// Where the rule stands.
        package let section: String

        private init(_ token: String, _ section: String) {
            self.token = token
            self.section = section
        }

        package var description: String { "\(token) (\(section))" }

        /// The method is not GET.
        package static let method = Self("METHOD", "RFC 9111 §3")
        /// The status is interim, or 304, or needs an explicit lifetime that is missing.
        package static let status = Self("STATUS", "RFC 9111 §3")
        /// The status is 206.
        package static let partial = Self("PARTIAL", "RFC 9111 §3.3")
        /// The response requires an understanding of its status that this cache does not have.
        package static let notUnderstood = Self("MUST-UNDERSTAND", "RFC 9111 §5.2.2.3")
        /// The request forbids it.
        package static let requestNoStore = Self("REQUEST-NO-STORE", "RFC 9111 §5.2.1.5")
        /// The response forbids it.
        package static let noStore = Self("NO-STORE", "RFC 9111 §5.2.2.5")
        /// The response is for one user, and the cache is shared.
        package static let `private` = Self("PRIVATE", "RFC 9111 §5.2.2.7")
        /// The request was authenticated, and the response does not say that it may be shared.
        package static let authorization = Self("AUTHORIZATION", "RFC 9111 §3.5")
        /// No request will ever match.
        package static let varyStar = Self("VARY-STAR", "RFC 9111 §4.1")
        /// Neither a lifetime nor a validator.
        package static let noExplicitFreshness = Self("NO-EXPLICIT-FRESHNESS", "RFC 9111 §3")
    }

    /// Judges a response to a request.
    ///
    /// - Parameters:
    ///   - request: As it was received, so that a field named in `Connection` still counts.
    ///   - response: As it was received, before fields are left out.
    ///   - requestDirectives: The directives of `request`.
    ///   - cacheControl: The directives in force for the response in this cache.
    ///   - lifetime: The lifetime that follows from them.
    package init(
        of response: HTTPResponse,
        to request: HTTPRequest,
        requestDirectives: CacheControl,
        cacheControl: CacheControl,
        lifetime: FreshnessLifetime,
        mode: CacheMode
    ) {
        let reason =
            Self.reasonInRequest(request, requestDirectives)
            ?? Self.reasonInStatus(response.status, cacheControl)
            ?? Self.reasonInDirectives(cacheControl, request, mode)
            ?? Self.reasonInReuse(response, cacheControl, lifetime, mode)
        self = reason.map { .notStorable($0) } ?? .storable
    }

    /// Judges a response to a request by its `Cache-Control` field.
    package init(of response: HTTPResponse, to request: HTTPRequest, freshness: ResponseFreshness) {
        self.init(
            of: response,
            to: request,
            requestDirectives: CacheControl(request: request.headerFields),
            cacheControl: freshness.cacheControl,
            lifetime: freshness.lifetime,
            mode: freshness.mode
        )
    }

    private static func reasonInRequest(_ request: HTTPRequest, _ directives: CacheControl) -> Reason? {
        if request.method != .get { return .method }
        return directives.noStore ? .requestNoStore : nil
    }

    private static func reasonInStatus(_ status: HTTPResponse.Status, _ cacheControl: CacheControl) -> Reason? {
        switch status.code {
        case 206: .partial
        case 304, ..<200: .status
        default: cacheControl.mustUnderstand && !status.isUnderstood ? .notUnderstood : nil
        }
    }

    private static func reasonInDirectives(_ cacheControl: CacheControl, _ request: HTTPRequest, _ mode: CacheMode) -> Reason? {
        // By now the status is understood if that is required; then no-store is meant for caches that do not know must-understand.
        if cacheControl.noStore, !cacheControl.mustUnderstand { return .noStore }
        guard mode == .shared else { return nil }
        if cacheControl.privateScope == .wholeResponse { return .private }
        let mayBeShared = cacheControl.isPublic || cacheControl.mustRevalidate || cacheControl.sharedMaxAge != nil
        return request.headerFields.contains(.authorization) && !mayBeShared ? .authorization : nil
    }

    private static func reasonInReuse(
        _ response: HTTPResponse,
        _ cacheControl: CacheControl,
        _ lifetime: FreshnessLifetime,
        _ mode: CacheMode
    ) -> Reason? {
        if Vary(response.headerFields) == .any { return .varyStar }
        if lifetime.isExplicit { return nil }
        let isMarked = cacheControl.isPublic || (mode == .private && cacheControl.privateScope != nil)
        guard isMarked || response.status.isHeuristicallyCacheable else { return .status }
        return lifetime.source == .none && Validators(of: response.headerFields).isEmpty ? .noExplicitFreshness : nil
    }
}

extension HTTPResponse.Status {
    /// Whether this cache knows and obeys what RFC 9110 says of responses with this final status.
    ///
    /// 206 and 304 are left out: they are never stored by themselves.
    var isUnderstood: Bool {
        switch code {
        case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }
}
