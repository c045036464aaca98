// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

extension PlainCache {
    enum Storability {
        case must, may, mustNot
    }

    /// Fields that responses of the random origin vary by.
    static let selectingNames = ["x-tone", "accept-language"]

    /// Whether a response is stored: RFC 9111 §3. No cache must store a response, but this cache claims to store
    /// each response that it can use.
    func storability(_ response: PlainResponse, to request: PlainRequest) -> Storability {
        let directives = PlainDirectives(response.fields)
        let status = response.status
        guard request.method == "GET", status >= 200 else { return .mustNot }
        // §5.2.1.5.
        if PlainDirectives(request.fields).has("no-store") { return .mustNot }
        // A 206 or 304 needs more than these rules: §3.3, §4.3.4.
        if status == 206 || status == 304 { return .mustNot }
        var result = Storability.must
        if directives.has("must-understand") {
            // §5.2.2.3: no-store is ignored where the status is understood.
            if Self.isUnknown(status) { return .mustNot }
            if !Self.isHeuristicallyCacheable(status) { result = .may }
        } else if directives.has("no-store"), !has(.ignoresNoStore) {
            return .mustNot
        }
        if isShared, !has(.ignoresPrivate) {
            // §5.2.2.7: with a list of fields only these are private, but a cache may take it for the whole.
            if directives.hasUnqualified("private") { return .mustNot }
            if directives.has("private") { result = .may }
        }
        if isShared, !has(.sharesAuthorized), request.fields["authorization"] != nil {
            // §3.5.
            guard directives.has("public") || directives.has("s-maxage") || directives.has("must-revalidate") else { return .mustNot }
        }
        let isExplicit = directives.has("max-age") || response.fields["expires"] != nil || (isShared && directives.has("s-maxage"))
        let isMarked = directives.has("public") || (!isShared && directives.has("private"))
        guard isExplicit || isMarked || Self.isHeuristicallyCacheable(status) else { return .mustNot }
        // In a private cache it is of use to one user alone: a cache need not store anything.
        if !isShared, request.fields["authorization"] != nil { result = .may }
        // Storing is of no use, or of little.
        let hasValidator = response.fields["etag"] != nil || response.fields["last-modified"] != nil
        let isUseful = hasValidator || (isExplicit && !directives.has("no-cache"))
        if !isUseful || [401, 407, 412, 416, 417].contains(status) || PlainStored.varyNames(response.fields).contains("*") { result = .may }
        // A full response to the client's own condition is like any other, but nothing else is
        // known to be one: RFC 9110 §13.2.1.
        if status != 200, !PlainConditions(request.fields).isEmpty { result = .may }
        // A malformed directive may count as there or not.
        if !directives.members.allSatisfy({ $0.argument != .malformed }) { result = .may }
        return result
    }

    private static func isUnknown(_ status: Int) -> Bool { [299, 499, 599].contains(status) }

    /// The states after a full response.
    ///
    /// - Parameter found: The stored response that the request had selected.
    func storing(_ call: PlainCall, _ response: PlainResponse, for request: PlainRequest, _ world: PlainWorld, found: PlainStored?) -> [PlainWorld] {
        // A response that is not stored may contradict the stored one: §4.3.3 allows to keep that, and a cache need not
        // keep anything.
        let unstored = found.map { found in [world, world.filter { $0 != found }] } ?? [world]
        let storability = self.storability(response, to: request)
        guard storability != .mustNot else { return unstored }
        let stored = storedForms(response, selecting: Self.selecting(request), requestTime: call.requestTime, responseTime: call.responseTime)
        let worlds = stored.flatMap { adding($0, to: world, for: request) }
        return storability == .must ? worlds : worlds + unstored
    }

    /// Older responses that the same request selects may stay, since of several the most recent is
    /// used (§4); a cache need not keep them, or those with another Vary.
    private func adding(_ stored: PlainStored, to world: PlainWorld, for request: PlainRequest) -> [PlainWorld] {
        let others = world.filter { !selects($0, request) }
        let alike = others.filter { $0.varyNames == stored.varyNames }
        // The response takes the place of the one with the same Vary and the same fields.
        let unreplaced = world.filter { $0.varyNames != stored.varyNames || !selects($0, request) }
        return [others + [stored], alike + [stored], unreplaced + [stored], world + [stored]]
    }

    static func selecting(_ request: PlainRequest) -> PlainFields {
        var fields = PlainFields()
        for name in selectingNames { fields.add(name, request.fields[name]) }
        return fields
    }

    /// A response in each form in which a cache may keep it.
    func storedForms(_ response: PlainResponse, selecting: PlainFields, requestTime: Int, responseTime: Int) -> [PlainStored] {
        let date = Self.date(response.fields, responseTime: responseTime)
        let directives = PlainDirectives(response.fields)
        // With a list of fields, no-cache is for these alone, or is taken for the whole: §5.2.2.4.
        var isNoCache = [directives.has("no-cache")]
        if directives.has("no-cache"), !directives.hasUnqualified("no-cache") { isNoCache = [false, true] }
        if has(.ignoresNoCache) { isNoCache = [false] }
        let varyNames = PlainStored.varyNames(response.fields)
        let age = correctedInitialAge(response.fields, date: date, requestTime: requestTime, responseTime: responseTime)
        return lifetimes(response, date: date).flatMap { lifetime in
            isNoCache.map { isNoCache in
                PlainStored(
                    response: response,
                    selecting: selecting,
                    responseTime: responseTime,
                    date: date,
                    correctedInitialAge: age,
                    freshnessLifetime: lifetime,
                    isNoCache: isNoCache,
                    directives: directives,
                    varyNames: varyNames
                )
            }
        }
    }
}
