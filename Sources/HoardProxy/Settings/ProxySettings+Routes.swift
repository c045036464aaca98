// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

extension ProxySettings {
    func configuredRoutes(
        _ upstreams: [CachingProxy.Configuration.Upstream],
        _ problems: inout [SettingProblem]
    ) -> [CachingProxy.Configuration.Route] {
        if routes.isEmpty {
            if upstreams.count > 1 {
                problems.append(.init(nil, "There are \(upstreams.count) upstreams, but no “routes” that say which requests go where."))
            }
            return upstreams.prefix(1).map { .init(upstream: $0.name) }
        }
        var configured: [CachingProxy.Configuration.Route] = []
        for (index, route) in routes.enumerated() {
            let place = "The route number \(index + 1) (\(route.words))"
            for contradiction in route.contradictions { problems.append(.init(nil, "\(place) \(contradiction)")) }
            var result = CachingProxy.Configuration.Route(upstream: route.upstream ?? upstreams.first?.name ?? "")
            if let name = route.upstream, !upstreams.contains(where: { $0.name == name }) {
                let hint = Spelling.nearest(to: name, among: upstreams.map(\.name)).map { "; did you mean “\($0)”?" } ?? "."
                problems.append(.init(nil, "\(place) names the upstream “\(name)”, which there is not\(hint)"))
            } else if route.upstream == nil, upstreams.count > 1 {
                problems.append(.init(nil, "\(place) names no upstream, and there are \(upstreams.count)."))
            }
            (result.hosts, result.pathPrefix, result.policy) = (route.hosts, route.path, route.effectivePolicy)
            result.rules = route.effectiveRules
            (result.site, result.maximumRequestCount) = (route.site, route.maximumRequestCount)
            if let upstream = upstreams.first(where: { $0.name == result.upstream }) {
                for contradiction in result.ruleContradictions(for: upstream) { problems.append(.init(nil, "\(place) \(contradiction)")) }
            }
            if let earlier = configured.firstIndex(where: { $0.covers(result) }) {
                let words = routes[earlier].words
                problems.append(
                    .init(nil, "\(place) is never taken: the route number \(earlier + 1) (\(words)) comes before it and takes all its requests.")
                )
            }
            configured.append(result)
        }
        return configured
    }
}

extension ProxySettings.Route {
    /// The route for messages.
    fileprivate var words: String {
        hosts.isEmpty ? path : "\(hosts.prefix(3).joined(separator: ", "))\(hosts.count > 3 ? ", …" : "") \(path)"
    }

    fileprivate var effectivePolicy: HTTPCachePolicy {
        var result = policy
        result.lifetime = lifetime.map { .always($0) } ?? defaultLifetime.map { .ifUnspecified($0) }
        return result
    }

    fileprivate var effectiveRules: CachingProxy.Configuration.Rules {
        var result = rules
        if let redirect {
            result.answer = .redirect(redirect, status: redirectStatus)
        } else if let answerText {
            result.answer = .text(answerText, type: answerType, status: answerStatus ?? 200)
        }
        if let passwordFile {
            result.authentication = .init(passwordPath: passwordFile)
            result.authentication?.realm = realm
        }
        result.crossOrigin = crossOrigin.origins.isEmpty ? nil : crossOrigin
        return result
    }

    /// The contradictions between the options, each as the end of a sentence.
    fileprivate var contradictions: [String] {
        var found: [String] = []
        if lifetime != nil, defaultLifetime != nil {
            found.append(
                "has both “lifetime” and “default-lifetime”; the first is meant for all responses, the second only for those that say nothing."
            )
        }
        if redirect != nil, answerText != nil { found.append("has both “redirect” and “answer-text”, but a request gets one answer.") }
        if passwordFile == nil, realm != Self().realm { found.append("has a “realm”, but no “password-file”.") }
        if answerText == nil, answerStatus != nil { found.append("has “answer-status”, but no “answer-text”.") }
        if crossOrigin.origins.isEmpty, crossOrigin != .init(origins: []) { found.append("has options of “cors”, but no “cors-origins”.") }
        if policy.isBypassed {
            let others: [(name: String, isSet: Bool)] = [
                ("lifetime", lifetime != nil), ("default-lifetime", defaultLifetime != nil),
                ("stale-while-revalidate", policy.staleWhileRevalidate != nil), ("stale-if-error", policy.staleIfError != nil),
                ("ignore-query", !policy.ignoredQueryParameters.isEmpty), ("key-fields", !policy.keyFields.isEmpty), ("tags", !policy.tags.isEmpty),
            ]
            for other in others where other.isSet { found.append("has “bypass” and “\(other.name)”, but what bypasses the cache is not stored.") }
        }
        return found
    }
}

extension CachingProxy.Configuration.Route {
    /// Whether all requests that fit the other route fit this one.
    fileprivate func covers(_ other: Self) -> Bool {
        guard RoutePath.normalized(other.pathPrefix).utf8.starts(with: RoutePath.normalized(pathPrefix).utf8) else { return false }
        let patterns = HostPatterns(hosts)
        if patterns.isForAll { return true }
        if HostPatterns(other.hosts).isForAll { return false }
        let mine = Set(hosts.map { Authority.withoutDot($0.lowercased()) })
        return other.hosts.allSatisfy { host in
            let host = Authority.withoutDot(host.lowercased())
            // A star is no name's, so that names do not seem to be all that are below a domain.
            return mine.contains(host) || patterns.contain(host)
        }
    }
}
