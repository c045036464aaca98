// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

extension RouteTable {
    /// Explains the way of a GET for a URL, a line for each step, in their order. Nothing is asked of the cache or the servers.
    ///
    /// It tells which clients may ask, and asks for no credentials.
    ///
    /// - Parameter text: A URL as clients know it, or a path alone, which is asked for of a host that has no routes of its own.
    /// - Returns: `nil` if the text is neither.
    func explanation(of text: String) -> [String]? {
        guard let target = TargetURI(URIReference(text.utf8.first == UInt8(ascii: "/") ? "http://localhost\(text)" : text)) else { return nil }
        let path = target.pathAndQuery
        let head = HTTPRequest(method: .get, scheme: target.scheme, authority: target.authority, path: path)
        switch match(authority: head.authority, target: path) {
        case .unknownHost: return ["Route: none for the host “\(HostPatterns.host(of: target.authority))”: 421."]
        case .unknownPath: return ["Route: none for the path, though there are some for the host: 404."]
        case .ambiguousPath: return ["Route: none, since servers read the path in different ways: 400."]
        case .route(let route):
            let number = (routes.firstIndex { $0 === route } ?? 0) + 1
            let hosts = route.configuration.hosts
            let first =
                "Route: number \(number), for \(hosts.isEmpty ? "all hosts" : hosts.joined(separator: ", ")) and paths that begin with \(route.pathPrefix)."
            let request = route.ruled(head, client: .init(address: "{client}", scheme: target.scheme))
            return [first] + route.explanation(request)
        }
    }
}

extension ProxyRoute {
    fileprivate func explanation(_ request: RuledRequest) -> [String] {
        var head = request.head
        var lines: [String] = []
        if let rules {
            lines += rules.explanationOfClients
            if let response = rules.answer(to: request) {
                let place = response.head.headerFields[.location].map { " to \($0)" } ?? ""
                lines.append("Answer: \(response.head.status.code)\(place), without the cache and the servers.")
                return lines + rules.rules.responseFields.explanation(of: "Response", request) + rules.explanationOfBrowsers
            }
            // Not the values, which may be secrets by which servers know the proxy.
            lines += rules.rules.requestFields.removed.map { "Request: without \($0.rawName)." }
            lines += rules.writtenRequestFields.map { "Request: with \($0.rawName)." }
            rules.change(&head, request)
        }
        let target = ForwardedRequest.path(head.path ?? "/", below: origin.basePath)
        lines.append("Goes to: the upstream “\(upstream.name)”, as \(origin.scheme)://\(authority(forClients: head.authority))\(target).")
        if policy?.isBypassed == true {
            lines.append("Cache: passed by.")
        } else if let key = keyURI(authority: request.head.authority, target: request.head.path ?? "/") {
            let fields = policy?.policy.keyFields.map(\.rawName) ?? []
            lines.append("Cache: stored for \(key)\(fields.isEmpty ? "" : ", and for the values of \(fields.joined(separator: ", "))").")
        }
        if let rules { lines += rules.rules.responseFields.explanation(of: "Response", request) + rules.explanationOfBrowsers }
        return lines
    }
}

extension RouteRules {
    fileprivate var explanationOfClients: [String] {
        var parts: [String] = []
        if !rules.allowedNetworks.isEmpty { parts.append("only those of \(rules.allowedNetworks.map(\.description).joined(separator: ", "))") }
        if !rules.deniedNetworks.isEmpty { parts.append("not those of \(rules.deniedNetworks.map(\.description).joined(separator: ", "))") }
        let passwords = rules.authentication.map { ["Clients: those who have a name and a password in \($0.passwordPath)."] } ?? []
        return (parts.isEmpty ? [] : ["Clients: \(parts.joined(separator: ", "))."]) + passwords
    }

    fileprivate var explanationOfBrowsers: [String] {
        var lines: [String] = []
        if rules.addsSecurityFields { lines.append("Response: the fields that tell browsers to be careful, where it has none.") }
        if let crossOrigin = rules.crossOrigin { lines.append("Scripts: those of \(crossOrigin.origins.joined(separator: ", ")) may ask.") }
        return lines
    }
}

extension CachingProxy.Configuration.FieldRules {
    fileprivate func explanation(of message: String, _ request: RuledRequest) -> [String] {
        func text(_ rule: CachingProxy.Configuration.FieldRule) -> String {
            // The cache's part is not known before.
            rule.value.names(.cache) ? rule.value.description : rule.value.text(request)
        }
        return removed.map { "\(message): without \($0.rawName)." } + set.map { "\(message): \($0.name.rawName): \(text($0))" }
            + added.map { "\(message): also \($0.name.rawName): \(text($0))" }
    }
}
