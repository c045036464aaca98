// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardMessages

extension CachingProxy.Configuration.Route {
    /// Rules that cannot be meant, each as the end of a sentence that begins with the route.
    func ruleContradictions(for upstream: CachingProxy.Configuration.Upstream) -> [String] {
        var found: [String] = []
        for name in rules.requestFields.names {
            if let objection = Self.objection(toRequestField: name) { found.append("has a rule for requests: \(objection)") }
        }
        if !upstream.passesUnderscores, let name = rules.requestFields.names.first(where: { $0.rawName.contains("_") }) {
            found.append("has a rule for “\(name.rawName)”, but servers get no fields with underscores; that needs “pass-underscores: yes”.")
        }
        for name in rules.responseFields.names {
            if let objection = Self.objection(toResponseField: name) { found.append("has a rule for responses: \(objection)") }
        }
        if let replacement = rules.replacedPath, pathPrefix.hasSuffix("/") != replacement.hasSuffix("/") {
            found.append(
                "has “replace-path: \(replacement)” for “path: \(pathPrefix)”; both have to end with a slash, or none, or one path would become part of another."
            )
        }
        if !policy.isBypassed, let rule = (rules.requestFields.set + rules.requestFields.added).first(where: { $0.value.names(.client) }) {
            found.append(
                "sets “\(rule.name.rawName)” of requests by {client}: every client would have stored responses of its own. That needs “bypass: yes”."
            )
        }
        if rules.requestFields.values.contains(where: { $0.names(.cache) }) {
            found.append("names {cache} in a field of requests, but what the cache does is known only of responses.")
        }
        switch rules.answer?.base {
        case .redirect(let place, let status):
            if let objection = place.objectionToLocation { found.append("has a “redirect” to nowhere: \(objection)") }
            if ![301, 302, 303, 307, 308].contains(status) {
                found.append("redirects with the status \(status), which is none of 301, 302, 303, 307 and 308.")
            }
        case .text(let text, _, let status):
            if text.names(.cache) { found.append("names {cache} in “answer-text”, but what it answers does not come from the cache.") }
            if !(200...599).contains(status) || status == 304 || status == 206 { found.append("answers with the status \(status), which cannot be.") }
        case nil: break
        }
        if let crossOrigin = rules.crossOrigin, crossOrigin.allowsCredentials, crossOrigin.origins.contains("*") {
            found.append("lets scripts of all sites ask with the user's cookies; name the sites in “cors-origins”.")
        }
        return found
    }

    /// The reason why rules must not touch a field of requests; `nil` if they may.
    static func objection(toRequestField name: HTTPField.Name) -> String? {
        switch name.canonicalName {
        case "host", "content-length": "“\(name.rawName)” belongs to the message, and is written by the proxy."
        case _ where name.isForwarding: "“\(name.rawName)” cannot be changed: what clients say in it is dropped, and the proxy writes it."
        default: ProxySettings.Route.objection(toKeyField: name)?.replacing("cannot select responses", with: "cannot be changed")
        }
    }

    /// The reason why rules must not touch a field of responses; `nil` if they may.
    static func objection(toResponseField name: HTTPField.Name) -> String? {
        switch name.canonicalName {
        case "content-length", "date", "trailer": "“\(name.rawName)” belongs to the message, and is written by the proxy."
        default: name.isHopByHop ? "“\(name.rawName)” is about the connection, and is written by the proxy." : nil
        }
    }
}

extension CachingProxy.Configuration {
    /// The fields that a route's rules write into requests, and that help to select stored responses.
    ///
    /// Fields that are the same for all requests with the same key are left out. So whatever servers are told by rules,
    /// a stored response answers only requests for which they would have been told the same.
    func requestFieldsInKeys(of route: Route, to upstream: Upstream) -> [HTTPField.Name] {
        guard !route.policy.isBypassed else { return [] }
        let sharesKeys = routes.contains { other in
            guard other.rules.requestFields != route.rules.requestFields, let otherUpstream = upstreams.first(where: { $0.name == other.upstream })
            else { return false }
            return upstream.mayShareKeys(with: otherUpstream)
        }
        let rules = route.rules.requestFields
        return (rules.set + rules.added).filter { rule in
            sharesKeys || rule.value.parts.contains { !$0.isSettledByKey(of: route, to: upstream, isOnlyRoute: routes.count == 1) }
        }.map(\.name)
    }
}

extension CachingProxy.Configuration.Upstream {
    /// Whether one key can stand for a response of either.
    fileprivate func mayShareKeys(with other: Self) -> Bool {
        forwardsHost || other.forwardsHost || hasServer(of: other)
    }
}

extension MessageTemplate.Part {
    /// Whether requests that have the same key on a route have the same text here.
    fileprivate func isSettledByKey(
        of route: CachingProxy.Configuration.Route,
        to upstream: CachingProxy.Configuration.Upstream,
        isOnlyRoute: Bool
    ) -> Bool {
        guard case .variable(let variable) = self else { return true }
        return switch variable.base {
        // Two routes may lead from different paths to one.
        case .path: isOnlyRoute || route.rules.replacedPath == nil
        case .rest: isOnlyRoute
        case .query: route.policy.ignoredQueryParameters.isEmpty
        case .host: upstream.forwardsHost
        case .scheme, .client, .user, .cache: false
        }
    }
}
