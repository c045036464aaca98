// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A request as a client sent it, with the facts that decide how it is answered, read once.
struct ClientRequest: Sendable {
    enum Kind: Sendable, Hashable {
        case get, head, query, otherSafe, unsafe
    }

    /// As it came. Storing is judged by this, so that a field named in `Connection` still counts.
    private(set) var original: HTTPRequest
    /// The request without the fields of the client's connection; `nil` if it has none of them.
    private var shortened: HTTPRequest?
    let directives: CacheControl
    private(set) var fields: Fields
    /// Whether it has content that the key of the stored response does not cover.
    let hasContent: Bool
    let mode: RequestCacheMode
    private(set) var kind: Kind

    init(_ request: HTTPRequest, hasContent: Bool, mode: RequestCacheMode) {
        let fields = Fields(of: request.headerFields)
        self.original = request
        self.hasContent = hasContent
        self.mode = mode
        self.fields = fields
        self.kind = Kind(request.method)
        self.directives = fields.contains(.directives) ? CacheControl(request: request.headerFields) : CacheControl()
        if fields.contains(.connectionOptions) {
            var shortened = request
            shortened.headerFields = request.headerFields.removingHopByHopFields()
            self.shortened = shortened
        }
    }

    /// The request without the fields that concern only the client's connection.
    var passedOn: HTTPRequest { shortened ?? original }

    /// The reason for which stored responses do not matter to the request, if they do not.
    var causeToBypass: ForwardCause? {
        switch kind {
        case .otherSafe, .unsafe: return .method
        case .get, .head, .query: break
        }
        if hasContent { return .content }
        if directives.noStore { return .requestNoStore }
        if mode == .noStore { return .modeNoStore }
        return fields.isDisjoint(with: .originConditions) ? nil : .originCondition
    }

    /// Whether a response to a request that is not looked up may be stored: that to a POST may answer later GETs.
    var mayStoreWithoutLookup: Bool {
        original.method == .post && mode != .noStore && !directives.noStore
            && fields.isDisjoint(with: [.cacheConditions, .originConditions, .range, .ifRange])
    }

    /// Whether the client takes a stored response or none.
    var wantsNoForwarding: Bool { directives.onlyIfCached || mode == .onlyIfCached }

    /// Makes this the request that fetches the response anew in the background: a GET or QUERY for all of it, without conditions.
    mutating func becomeRefresh() {
        if kind == .head {
            kind = .get
            original.method = .get
            shortened?.method = .get
        }
        remove([.range, .ifRange, .ifNoneMatch, .ifModifiedSince])
        fields.subtract([.range, .ifRange, .cacheConditions])
    }

    /// Makes this a request that nothing but a full response answers.
    mutating func dropCacheConditions() {
        remove([.ifNoneMatch, .ifModifiedSince])
        fields.subtract(.cacheConditions)
    }

    private mutating func remove(_ names: [HTTPField.Name]) {
        for name in names where original.headerFields.contains(name) {
            original.headerFields[name] = nil
            shortened?.headerFields[name] = nil
        }
    }
}

extension ClientRequest {
    /// Returns the request that is sent to the origin.
    func request(asking question: HTTPCacheStateMachine.Exchange.Question, about stored: StoredResponse?) -> HTTPRequest {
        var request = passedOn
        switch (question, stored) {
        case (.validation, let stored?):
            request.headerFields = stored.validators.conditionalFields(from: request.headerFields)
        case (.completion(let part), let stored?):
            // A completion is only asked for of a response with a strong validator.
            request.headerFields = PartialContent.fieldsAsking(for: part, of: stored.head, from: request.headerFields) ?? request.headerFields
        case (.asClient, _), (_, nil):
            break
        }
        addDirectivesOfMode(to: &request.headerFields)
        return request
    }

    /// Adds the directives of the Fetch standard for modes that bypass other caches too, unless the request has its own:
    /// [HTTP-network-or-cache fetch](https://fetch.spec.whatwg.org/#http-network-or-cache-fetch).
    private func addDirectivesOfMode(to fields: inout HTTPFields) {
        switch mode {
        case .noCache:
            if !fields.contains(.cacheControl) { fields[.cacheControl] = "max-age=0" }
        case .noStore, .reload:
            if !fields.contains(.pragma) { fields[.pragma] = "no-cache" }
            if !fields.contains(.cacheControl) { fields[.cacheControl] = "no-cache" }
        default:
            break
        }
    }

    /// Whether the request may wait for the answer to another one like it, and others for the answer to it.
    ///
    /// Not if it asks for an answer that is newer than the request; nor if a shared cache could hardly give it another user's answer.
    func isCollapsible(asking question: HTTPCacheStateMachine.Exchange.Question, mode cacheMode: CacheMode) -> Bool {
        guard kind == .get || kind == .query, !hasContent, mode == .default || mode == .forceCache,
            fields.isDisjoint(with: [.range, .ifRange, .originConditions]), cacheMode == .private || !fields.contains(.authorization),
            directives.noCache == nil, !directives.noStore, directives.maxAge != 0
        else { return false }
        switch question {
        case .asClient: return fields.isDisjoint(with: .cacheConditions)
        case .validation: return true
        case .completion: return false
        }
    }
}

extension ClientRequest.Kind {
    init(_ method: HTTPRequest.Method) {
        switch method {
        case .get: self = .get
        case .head: self = .head
        case .query: self = .query
        default: self = method.isSafe ? .otherSafe : .unsafe
        }
    }
}
