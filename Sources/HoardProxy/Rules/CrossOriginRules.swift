// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

/// Permissions for scripts of other sites: the server's part of CORS ([Fetch §3.2](https://fetch.spec.whatwg.org/#http-cors-protocol)).
///
/// It is added to responses that leave the proxy, not to stored ones, so that one stored response serves all sites. The
/// servers' own fields of this kind are taken out.
struct CrossOriginRules: Sendable {
    private let rules: CachingProxy.Configuration.CrossOrigin
    private let allowsAll: Bool
    private let exact: Set<String>
    /// `https://` and `.example.com`, of `https://*.example.com`.
    private let wildcards: [(scheme: String, suffix: String)]

    init(_ rules: CachingProxy.Configuration.CrossOrigin) {
        self.rules = rules
        allowsAll = rules.origins.contains("*")
        let origins = rules.origins.map { $0.lowercased() }
        exact = Set(origins.filter { !$0.contains("*") })
        wildcards = origins.compactMap { origin in
            guard let star = origin.firstRange(of: "://*.") else { return nil }
            return (String(origin[..<star.lowerBound]) + "://", String(origin[origin.index(before: star.upperBound)...]))
        }
    }

    /// The fields of all responses, where they are the same for every request; else `nil`.
    var constantFields: [HTTPField]? {
        guard allowsAll, !rules.allowsCredentials else { return nil }
        return [HTTPField(name: .accessControlAllowOrigin, value: "*")] + exposed
    }

    /// The names of fields that are taken out of servers' responses.
    static let replaced: [HTTPField.Name] = [.accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlExposeHeaders]

    /// The answer to a browser's question whether it may send a request; `nil` if the request is none.
    func answer(to request: HTTPRequest) -> HTTPServerResponse? {
        guard request.method == .options, let origin = request.headerFields[.origin],
            request.headerFields.contains(.accessControlRequestMethod)
        else { return nil }
        guard allows(origin) else { return RouteRules.response(.forbidden, "Scripts of this site may not ask for this.\n") }
        var fields = HTTPFields()
        fields[.accessControlAllowMethods] = rules.methods.joined(separator: ", ")
        let requestFields =
            rules.requestFields.contains("*") ? request.headerFields[.accessControlRequestHeaders] : rules.requestFields.joined(separator: ", ")
        if let requestFields, !requestFields.isEmpty { fields[.accessControlAllowHeaders] = requestFields }
        fields[.accessControlMaxAge] = "\(rules.maximumAge.components.seconds)"
        fields[.vary] = "Access-Control-Request-Headers"
        let head = HTTPResponse(status: .noContent, headerFields: fields)
        return HTTPServerResponse(head: head, body: .empty, report: AnswerReport(.generated, tier: .none))
    }

    func change(_ fields: inout HTTPFields, to request: HTTPRequest) {
        for name in Self.replaced where fields.contains(name) { fields[name] = nil }
        if let constantFields { return fields.append(contentsOf: constantFields) }
        // Other sites get another answer: a cache further on has to know.
        fields.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = request.headerFields[.origin], allows(origin) else { return }
        fields.append(HTTPField(name: .accessControlAllowOrigin, value: origin))
        if rules.allowsCredentials { fields.append(HTTPField(name: .accessControlAllowCredentials, value: "true")) }
        fields.append(contentsOf: exposed)
    }

    private var exposed: [HTTPField] {
        rules.responseFields.isEmpty ? [] : [HTTPField(name: .accessControlExposeHeaders, value: rules.responseFields.joined(separator: ", "))]
    }

    /// - Parameter origin: As browsers write it, in small letters and without a path: [RFC 6454 §6.2](https://www.rfc-editor.org/rfc/rfc6454#section-6.2).
    private func allows(_ origin: String) -> Bool {
        if allowsAll || exact.contains(origin) { return true }
        return wildcards.contains { wildcard in
            guard origin.hasPrefix(wildcard.scheme), origin.hasSuffix(wildcard.suffix) else { return false }
            let name = origin.dropFirst(wildcard.scheme.count).dropLast(wildcard.suffix.count)
            return !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                }
        }
    }
}

extension HTTPFields {
    fileprivate mutating func append(contentsOf fields: [HTTPField]) {
        for field in fields { append(field) }
    }
}
