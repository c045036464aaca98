// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension ProxySettings {
    /// The options of routes that are about more than caching, in the order in which they are applied.
    static let ruleSchema: [Setting<Route>] = [
        .networks(
            "allow",
            \.rules.allowedNetworks,
            flag: "allow",
            "Networks, such as 10.0.0.0/8, whose clients may ask; others get 403. “unix” stands for Unix sockets. Empty: everybody may."
        ),
        .networks("deny", \.rules.deniedNetworks, flag: "deny", "Networks whose clients may not ask, allowed or not."),
        .texts(
            "cors-origins",
            \.crossOrigin.origins,
            flag: "cors-origins",
            "Sites whose scripts may ask: https://app.example.com, https://*.example.com for all below it, or * for all. What servers say of that is replaced, and the questions of browsers are answered by the proxy."
        ) { Route.objection(toOrigin: $0) },
        .texts("cors-methods", \.crossOrigin.methods, flag: "cors-methods", "Methods that scripts of those sites may use.") {
            HTTPRequest.Method($0) == nil ? "“\($0)” is no method." : nil
        },
        .texts(
            "cors-request-fields",
            \.crossOrigin.requestFields,
            flag: "cors-request-fields",
            "Fields that scripts of those sites may send; * for those they ask for."
        ) {
            Route.objection(toFieldName: $0)
        },
        .texts(
            "cors-response-fields",
            \.crossOrigin.responseFields,
            flag: "cors-response-fields",
            "Fields that scripts of those sites may read, beyond the usual ones."
        ) {
            Route.objection(toFieldName: $0)
        },
        .yesNo(
            "cors-credentials",
            \.crossOrigin.allowsCredentials,
            flag: "cors-credentials",
            "Whether scripts of those sites may use the user's cookies."
        ),
        .duration("cors-max-age", \.crossOrigin.maximumAge, flag: "cors-max-age", "How long a browser may rely on what it was told."),
        .text(
            "password-file",
            \.passwordFile,
            flag: "password-file",
            "A file of names and hashed passwords, as “hoard password” makes them, by which clients prove who they are (RFC 7617). Servers do not get them."
        ),
        .value("realm", .text, \.realm, flag: "realm", "What browsers say the password is for.") { value throws(SettingProblem) in
            let text = try value.text("a text")
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                throw value.problem("“\(text)” must have some letters, and none beyond ASCII.")
            }
            return text
        } write: {
            .scalar($0)
        },
        .template(
            "redirect",
            \.redirect,
            flag: "redirect",
            "Where all requests are sent, such as https://example.com{path}{query}."
        ) { $0.objectionToLocation },
        .number("redirect-status", \.redirectStatus, flag: "redirect-status", 301...308, "The status of a redirect: 301, 302, 303, 307 or 308."),
        .template("answer-text", \.answerText, flag: "answer-text", "A text that answers all requests, instead of the servers."),
        .optionalNumber("answer-status", \.answerStatus, flag: "answer-status", 200...599, "The status of such an answer. By default 200."),
        .value("answer-type", .text, \.answerType, flag: "answer-type", "The media type of such an answer.") { value throws(SettingProblem) in
            let text = try value.text("a media type")
            guard text.contains("/"), HTTPField.isValidValue(text) else {
                throw value.problem("“\(text)” is no media type; write text/html or application/json.")
            }
            return text
        } write: {
            .scalar($0)
        },
        .value(
            "replace-path",
            .text,
            \.rules.replacedPath,
            flag: "replace-path",
            "What servers get in place of “path”, the beginning of the path."
        ) {
            value throws(SettingProblem) in
            if value.isAbsent { return nil }
            let path = try value.path()
            guard !path.contains("?") else { throw value.problem("“\(path)” has a query; only the beginning of the path can be replaced.") }
            return path
        } write: {
            $0.map { .scalar($0) }
        },
        .fieldNames("request-remove", \.rules.requestFields.removed, flag: "request-remove", "Fields that are taken out of requests.") {
            CachingProxy.Configuration.Route.objection(toRequestField: $0)
        },
        .fieldRules(
            "request-set",
            \.rules.requestFields.set,
            flag: "request-set",
            hidesSecrets: true,
            "Fields that requests get in place of those of their names: “X-Site: {host}”."
        ) {
            CachingProxy.Configuration.Route.objection(toRequestField: $0)
        },
        .fieldRules(
            "request-add",
            \.rules.requestFields.added,
            flag: "request-add",
            hidesSecrets: true,
            "Fields that requests get beside those of their names."
        ) {
            CachingProxy.Configuration.Route.objection(toRequestField: $0)
        },
        .fieldNames("response-remove", \.rules.responseFields.removed, flag: "response-remove", "Fields that are taken out of responses.") {
            CachingProxy.Configuration.Route.objection(toResponseField: $0)
        },
        .fieldRules(
            "response-set",
            \.rules.responseFields.set,
            flag: "response-set",
            "Fields that responses get in place of those of their names: “X-Cache: {cache}”."
        ) {
            CachingProxy.Configuration.Route.objection(toResponseField: $0)
        },
        .fieldRules("response-add", \.rules.responseFields.added, flag: "response-add", "Fields that responses get beside those of their names.") {
            CachingProxy.Configuration.Route.objection(toResponseField: $0)
        },
        .yesNo(
            "security-fields",
            \.rules.addsSecurityFields,
            flag: "security-fields",
            "Whether responses get X-Content-Type-Options, X-Frame-Options, Referrer-Policy and, over TLS, Strict-Transport-Security, where they have none."
        ),
        .yesNo(
            "early-hints",
            \.rules.sendsEarlyHints,
            flag: "early-hints",
            "Whether clients of HTTP/2 get the links of a stored response in a 103 (RFC 8297) while the origin is asked whether it still holds."
        ),
        .text(
            "error-page",
            \.rules.errorPagePath,
            flag: "error-page",
            "A file with the content of responses that say that no server could be asked. Its name says the type: .html, .json or .txt."
        ),
    ]
}

extension ProxySettings.Route {
    /// An objection to a text that is to name a field; `nil` if there is none.
    fileprivate static func objection(toFieldName text: String) -> String? {
        HTTPField.Name(text) == nil ? "“\(text)” is no name of a field." : nil
    }

    /// An objection to a site whose scripts may ask; `nil` if there is none.
    static func objection(toOrigin text: String) -> String? {
        if text == "*" { return nil }
        let example = "write https://app.example.com, https://*.example.com, or *."
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return "“\(text)” is no origin of scripts; \(example)"
        }
        let authority = String(text.dropFirst(scheme.count))
        let host = authority.hasPrefix("*.") ? String(authority.dropFirst(2)) : authority
        guard !host.isEmpty, !host.contains("*"),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") })
        else {
            return "“\(text)” is no origin of scripts, which has no path; \(example)"
        }
        return nil
    }
}
