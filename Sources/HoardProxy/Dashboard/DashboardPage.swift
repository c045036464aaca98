// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The page that shows an operator the proxy's work: one document with its style and script, which loads nothing from
/// anywhere.
///
/// The browser is told to run only the scripts and to use only the styles of the page, by their hashes (Content Security Policy, level 3). So a name
/// or a URL that a client brings into the figures can do no harm.
///
/// Its texts are the web files in `Page/`. `Scripts/dashboard-page` puts them into `DashboardPage+Generated.swift`, so that the one binary has all of it.
enum DashboardPage {
    /// Returns the response to a request for the page.
    ///
    /// - Parameter allowsChanges: Whether there is a token with which entries can be purged. Without one the page offers no such buttons.
    static func response(allowsChanges: Bool = true) -> HTTPServerResponse {
        var head = HTTPResponse(status: .ok)
        head.headerFields = fields
        return HTTPServerResponse(head: head, body: HTTPBody(allowsChanges ? pageWithChanges : pageWithoutChanges))
    }

    /// The page's Content Security Policy.
    static let policy = [
        "default-src 'none'", "script-src '\(hash(of: script))'", "style-src '\(hash(of: wholeStyle))'", "img-src data:", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    static let wholeStyle = style + "\n\n" + partStyle

    static let styleMark = "{style}"
    static let scriptMark = "{script}"

    private static let pageWithChanges = page(allowsChanges: true)
    private static let pageWithoutChanges = page(allowsChanges: false)

    private static func page(allowsChanges: Bool) -> String {
        // The script comes last, so that no mark is searched for in it.
        markup
            .replacing("<body>", with: "<body data-changes=\"\(allowsChanges ? "yes" : "no")\">")
            .replacing(styleMark, with: wholeStyle)
            .replacing(scriptMark, with: script)
    }

    private static let fields: HTTPFields = {
        var fields = HTTPFields()
        fields[.contentType] = "text/html; charset=utf-8"
        // A newer proxy has a newer page.
        fields[.cacheControl] = "no-store"
        fields[.contentSecurityPolicy] = policy
        fields[.xContentTypeOptions] = "nosniff"
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()

    /// A source expression for exactly this text.
    static func hash(of text: String) -> String {
        "sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())"
    }
}
