// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

/// The rules of a route, as they are applied to its messages.
final class RouteRules: Sendable {
    let rules: CachingProxy.Configuration.Rules
    /// The content of responses that say that no server could be asked; `nil`: a line of text.
    let errorPage: ErrorDocument?
    /// The rules for a response that is known by its bytes; `nil`: it has to be parsed.
    let immediate: ImmediateRules?
    /// `nil`: clients need not prove their identity.
    let authentication: BasicAuthentication?
    /// The names of fields that are written into requests.
    let writtenRequestFields: [HTTPField.Name]
    /// These, and the names of fields that are taken out.
    let ruledRequestFields: [HTTPField.Name]
    private let crossOrigin: CrossOriginRules?

    /// Reads the files that rules name, so it blocks.
    ///
    /// - Parameters:
    ///   - mayTrustProxies: Whether another proxy may say how clients ask.
    ///   - before: The rules of the same route before a reload.
    /// - Returns: `nil` if nothing is to be done.
    /// - Throws: ``ProxyError`` that names a file that cannot be used.
    init?(_ rules: CachingProxy.Configuration.Rules, mayTrustProxies: Bool = false, inPlaceOf before: RouteRules? = nil) throws(ProxyError) {
        if rules == .init() { return nil }
        self.rules = rules
        errorPage = if let path = rules.errorPagePath { try ErrorDocument(path: path) } else { nil }
        authentication =
            if let settings = rules.authentication {
                try BasicAuthentication(path: settings.passwordPath, realm: settings.realm, inPlaceOf: before?.authentication)
            } else {
                nil
            }
        writtenRequestFields = (rules.requestFields.set + rules.requestFields.added).map(\.name)
        ruledRequestFields = rules.requestFields.names
        crossOrigin = rules.crossOrigin.map { CrossOriginRules($0) }
        immediate = ImmediateRules(rules, mayTrustProxies: mayTrustProxies)
    }

    /// The answer to a client that may not ask, or to a browser that asks whether it may; `nil` if the request goes on.
    func admission(of request: RuledRequest) -> HTTPServerResponse? {
        if !rules.allowedNetworks.isEmpty || !rules.deniedNetworks.isEmpty {
            let client = request.client
            let isAllowed = rules.allowedNetworks.isEmpty || rules.allowedNetworks.contains { $0.contains(client.address) }
            // A client whose address is unknown may have any address.
            if !client.isSettled || !isAllowed || rules.deniedNetworks.contains(where: { $0.contains(client.address) }) {
                return Self.response(.forbidden, "You may not ask for this.\n")
            }
        }
        return crossOrigin?.answer(to: request.head)
    }

    /// The answer to a request that goes no further; `nil` if it goes on.
    func answer(to request: RuledRequest) -> HTTPServerResponse? {
        switch rules.answer?.base {
        case nil:
            return nil
        case .redirect(let place, _) where place.names(.host) && request.host.isEmpty:
            return Self.response(.badRequest, "The request names no host.\n")
        case .redirect(let place, let status):
            var head = HTTPResponse(status: .init(code: status))
            head.headerFields[.location] = place.location(request)
            return HTTPServerResponse(head: head, body: .empty, report: AnswerReport(.generated, tier: .none))
        case .text(let text, let type, let status):
            return Self.response(.init(code: status), text.text(request), type: type)
        }
    }

    /// A response that a rule makes.
    static func response(_ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8") -> HTTPServerResponse {
        var head = HTTPResponse(status: status)
        // Such a response has no content: RFC 9110 §15.3.5, §15.3.6.
        guard status.code != 204, status.code != 205 else {
            return HTTPServerResponse(head: head, body: .empty, report: AnswerReport(.generated, tier: .none))
        }
        head.headerFields[.contentType] = type
        // For HEAD: with content the server counts itself.
        head.headerFields[.contentLength] = "\(text.utf8.count)"
        return HTTPServerResponse(head: head, body: HTTPBody(text), report: AnswerReport(.generated, tier: .none))
    }

    /// Changes a request that goes on to the cache.
    func change(_ head: inout HTTPRequest, _ request: RuledRequest) {
        // The password is the proxy's; with the field there, a shared cache would store nothing: RFC 9111 §3.5.
        if authentication != nil { head.headerFields[.authorization] = nil }
        rules.requestFields.apply(to: &head.headerFields, request)
        if let target = head.path { head.path = serverTarget(target, pathPrefix: request.pathPrefix) }
    }

    /// Path and query for the servers, of those that a client asks for.
    ///
    /// - Parameter pathPrefix: The beginning of the path on the route, in normal form.
    func serverTarget(_ target: String, pathPrefix: String) -> String {
        guard let replacement = rules.replacedPath, target.utf8.first == UInt8(ascii: "/") else { return target }
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = RoutePath.normalized(String(target[..<mark]))
        guard path.utf8.starts(with: pathPrefix.utf8) else { return target }
        return replacement + path.dropFirst(pathPrefix.count) + target[mark...]
    }

    /// Changes a response that is about to be sent.
    func change(_ response: inout HTTPServerResponse, to request: RuledRequest) {
        var request = request
        request.outcome = response.note?.report?.outcome
        rules.responseFields.apply(to: &response.head.headerFields, request)
        if rules.addsSecurityFields {
            for field in SecurityFields.all(isSecure: request.client.scheme == "https") where !response.head.headerFields.contains(field.name) {
                response.head.headerFields.append(field)
            }
        }
        crossOrigin?.change(&response.head.headerFields, to: request.head)
        if authentication != nil { Self.keepFromOthers(&response.head.headerFields) }
    }

    /// Tells caches between the proxy and its clients that a response is for a user with a password: servers do not
    /// know that ([RFC 9111 §3.5](https://www.rfc-editor.org/rfc/rfc9111#section-3.5)).
    private static func keepFromOthers(_ fields: inout HTTPFields) {
        let directives = fields[values: .cacheControl].flatMap { $0.split(separator: ",") }.map { directive in
            String(directive.trimmingPrefix { $0 == " " || $0 == "\t" })
        }
        let kept = directives.filter { directive in
            let name = directive.prefix { $0 != "=" && $0 != " " }.lowercased()
            return !["public", "private", "s-maxage"].contains(name)
        }
        fields[.cacheControl] = (["private"] + kept).joined(separator: ", ")
        // Fields for some caches only end so by convention, and hide Cache-Control from those (RFC 9213).
        func isTargeted(_ name: HTTPField.Name) -> Bool { name == .surrogateControl || name.canonicalName.hasSuffix("-cache-control") }
        if fields.contains(where: { isTargeted($0.name) }) { fields = HTTPFields(fields.filter { !isTargeted($0.name) }) }
    }
}

extension CachingProxy.Configuration.FieldRules {
    func apply(to fields: inout HTTPFields, _ request: RuledRequest) {
        if isEmpty { return }
        for name in removed where fields.contains(name) { fields[name] = nil }
        for rule in set {
            let value = rule.value.text(request)
            if fields.contains(rule.name) { fields[rule.name] = nil }
            fields.append(HTTPField(name: rule.name, value: value))
        }
        for rule in added { fields.append(HTTPField(name: rule.name, value: rule.value.text(request))) }
    }

    /// All names that something is done to.
    var names: [HTTPField.Name] { removed + set.map(\.name) + added.map(\.name) }

    /// All values that are written.
    var values: [MessageTemplate] { (set + added).map(\.value) }
}

/// Fields that tell browsers to be careful.
enum SecurityFields {
    static func all(isSecure: Bool) -> [HTTPField] { isSecure ? plain + [strictTransport] : plain }

    static let plain = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .xFrameOptions, value: "SAMEORIGIN"),
        HTTPField(name: .referrerPolicy, value: "strict-origin-when-cross-origin"),
    ]

    /// Not without TLS: [RFC 6797 §7.2](https://www.rfc-editor.org/rfc/rfc6797#section-7.2).
    static let strictTransport = HTTPField(name: .strictTransportSecurity, value: "max-age=31536000")
}

extension HTTPField.Name {
    fileprivate static let xFrameOptions = Self.constant("X-Frame-Options")
    fileprivate static let surrogateControl = Self.constant("Surrogate-Control")
    fileprivate static let referrerPolicy = Self.constant("Referrer-Policy")
}
