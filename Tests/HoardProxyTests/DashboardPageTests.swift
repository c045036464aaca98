// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardNIO
import NIOCore
import Testing

@testable import HoardProxy

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct DashboardPageTests {
    private func text(_ response: HTTPServerResponse) throws -> String {
        String(buffer: try #require(response.body.bytesAtHand))
    }

    /// The text between two marks, each of which must be there once.
    private func part(of page: String, from opening: String, to closing: String) throws -> String {
        let parts = page.split(separator: opening, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(opening) must be there once")
        let inner = parts[1].split(separator: closing, omittingEmptySubsequences: false)
        try #require(inner.count == 2, "\(closing) must be there once")
        return String(inner[0])
    }

    /// The body of a function of the script.
    private func function(_ name: String, of script: String) throws -> Substring {
        let rest = script[try #require(script.firstRange(of: "function \(name)(")).upperBound...]
        return rest[..<(try #require(rest.firstRange(of: "\n}"))).lowerBound]
    }

    private func matches(_ pattern: String, in text: String) throws -> [String] {
        text.matches(of: try Regex(pattern)).compactMap { $0.output[1].substring.map(String.init) }
    }

    // MARK: - The response

    @Test func isADocumentThatIsNotKept() throws {
        let response = DashboardPage.response()
        #expect(response.head.status == .ok)
        #expect(response.head.headerFields[.contentType] == "text/html; charset=utf-8")
        #expect(response.head.headerFields[.cacheControl] == "no-store")
        #expect(try text(response).hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    }

    @Test func browsersMayNeitherGuessItsTypeNorFrameIt() throws {
        let fields = DashboardPage.response().head.headerFields
        #expect(fields[.xContentTypeOptions] == "nosniff")
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            #expect(fields[try #require(HTTPField.Name(name))] == value)
        }
    }

    @Test func policyForbidsWhatItDoesNotName() throws {
        let policy = try #require(DashboardPage.response().head.headerFields[.contentSecurityPolicy])
        let directives = Dictionary(
            uniqueKeysWithValues: policy.split(separator: "; ").map { directive in
                let words = directive.split(separator: " ", maxSplits: 1)
                return (String(words[0]), words.count == 2 ? String(words[1]) : "")
            }
        )
        for name in ["default-src", "base-uri", "form-action", "frame-ancestors", "trusted-types"] { #expect(directives[name] == "'none'") }
        #expect(directives["connect-src"] == "'self'")
        #expect(directives["img-src"] == "data:")
        #expect(directives["require-trusted-types-for"] == "'script'")
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
    }

    @Test func policyHasTheHashesOfScriptAndStyleAsTheyAreSent() throws {
        for allowsChanges in [true, false] {
            let response = DashboardPage.response(allowsChanges: allowsChanges)
            let policy = try #require(response.head.headerFields[.contentSecurityPolicy])
            let page = try text(response)
            let script = try part(of: page, from: "<script>", to: "</script>")
            let style = try part(of: page, from: "<style>", to: "</style>")
            #expect(script.utf8.count > 10_000)
            #expect(policy.contains("script-src '\(DashboardPage.hash(of: script))';"))
            #expect(policy.contains("style-src '\(DashboardPage.hash(of: style))';"))
        }
    }

    /// The example of FIPS 180-4.
    @Test func hashesAreSHA256InBase64() {
        #expect(DashboardPage.hash(of: "abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    }

    @Test func pageKnowsWhetherThereIsAToken() throws {
        #expect(try text(DashboardPage.response(allowsChanges: true)).contains("<body data-changes=\"yes\">"))
        #expect(try text(DashboardPage.response(allowsChanges: false)).contains("<body data-changes=\"no\">"))
        #expect(DashboardPage.script.contains("document.body.dataset.changes === \"yes\""))
    }

    @Test func marksAreReplaced() throws {
        let page = try text(DashboardPage.response())
        #expect(!page.contains(DashboardPage.styleMark) && !page.contains(DashboardPage.scriptMark))
    }

    // MARK: - The web files

    /// The texts in the binary, by the web files that they are made of.
    private static let texts = [
        "page.html": DashboardPage.markup, "style.css": DashboardPage.style, "parts.css": DashboardPage.partStyle,
        "basic.js": DashboardPage.basicScript, "chart.js": DashboardPage.chartScript, "panel.js": DashboardPage.panelScript,
        "curve.js": DashboardPage.curveScript, "entry.js": DashboardPage.entryScript, "advice.js": DashboardPage.adviceScript,
        "live.js": DashboardPage.liveScript,
    ]

    @Test func binaryHasWhatTheWebFilesSay() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/HoardProxy/Dashboard/Page").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        #expect(Set(names) == Set(Self.texts.keys))
        for (name, text) in Self.texts {
            let file = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            // The licence header, which the page leaves out, ends with the first empty line.
            let header = try #require(file.firstRange(of: "\n\n"), "\(name)")
            // A message, and not the whole file twice.
            let isSame = file[header.upperBound...].utf8.elementsEqual("\(text)\n".utf8)
            #expect(isSame, "Page/\(name) has changed: run Scripts/dashboard-page")
        }
    }

    // MARK: - What it loads, and how it writes

    @Test func nothingIsLoadedFromElsewhere() throws {
        let page = try text(DashboardPage.response())
        // The name of a language and an example in a field; neither is fetched.
        let allowed = ["http://www.w3.org/2000/svg", "https://…"]
        let rest = allowed.reduce(page) { $0.replacing($1, with: "") }
        #expect(try matches("(https?:/[^\\s\"']*)", in: rest).filter { !$0.hasPrefix("https?:\\/\\/") } == [])
        for forbidden in ["@import", "url(", "import(", "import ", "importScripts", "<link rel=\"stylesheet", "<iframe", "<object", "<img", "srcset"]
        {
            #expect(!page.contains(forbidden), "\(forbidden)")
        }
        let targets = try matches(#"(?:href|src|action)="([^"]*)""#, in: page)
        #expect(targets.count > 5)
        for target in targets where !target.hasPrefix("#") && !target.hasPrefix("data:image/svg+xml,") {
            #expect(["api/statistics", "metrics", "healthz", "readyz"].contains(target))
        }
    }

    @Test func dataNeverBecomesMarkupOrCode() {
        for forbidden in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "DOMParser", "eval(", "Function(",
            "setTimeout(\"", ".src =", ".href =", "cssText", "setAttribute(\"style", "setHTML",
        ] {
            #expect(!DashboardPage.script.contains(forbidden), "\(forbidden)")
        }
    }

    /// The fields may have been edited since: the buttons must not purge another prefix than that of the entries that are shown.
    @Test func changesOfManyConcernWhatWasListed() throws {
        let function = try function("showBulk", of: DashboardPage.entryScript)
        #expect(function.contains("listed.parameters"))
        #expect(!function.contains(".value"))
    }

    /// A store that does not answer, or a recording that is over, is left out of the figures.
    @Test func figuresThatAreSentNoMoreAreShownNoMore() throws {
        let function = try function("take", of: DashboardPage.liveScript)
        #expect(function.contains("state.now = message;"))
        #expect(!function.contains("...state.now,"))
    }

    /// A page that is hidden meanwhile would take a place among the listeners when its last question fails.
    @Test func lateAnswersDoNotChangeTheConnection() throws {
        #expect(!DashboardPage.liveScript.contains("getWhole().then(take, lose)"))
        #expect(try function("refresh", of: DashboardPage.liveScript).contains("turn === link.turn"))
    }

    @Test func tokenIsKeptNowhere() {
        for forbidden in ["localStorage", "sessionStorage", "document.cookie", "indexedDB", "history.pushState", "location", "console."] {
            #expect(!DashboardPage.script.contains(forbidden), "\(forbidden)")
        }
    }

    @Test func markupHasNeitherHandlersNorStylesOfItsOwn() throws {
        #expect(try matches(#"\s(on[a-z]+)="#, in: DashboardPage.markup) == [])
        #expect(try matches(#"\s(style)="#, in: DashboardPage.markup) == [])
    }

    // MARK: - Names that must agree

    private var identifiers: [String] {
        get throws { try matches(#"\sid="([^"]*)""#, in: DashboardPage.markup) }
    }

    @Test func eachIdentifierIsThereOnce() throws {
        let all = try identifiers
        #expect(all.count > 40)
        #expect(Set(all).count == all.count)
    }

    @Test func whatTheScriptFillsIsThere() throws {
        let used = try Set(matches(#"byId\("([^"]*)"\)"#, in: DashboardPage.script))
        #expect(used.count > 30)
        #expect(try used.subtracting(identifiers) == [])
    }

    @Test func labelsAndLinksPointToSomething() throws {
        let pointers =
            try matches(#"(?:for|aria-labelledby|aria-describedby)="([^"]*)""#, in: DashboardPage.markup)
            + matches(##"href="#([^"]*)""##, in: DashboardPage.markup)
        #expect(pointers.count > 10)
        #expect(try Set(pointers).subtracting(identifiers) == [])
    }

    @Test func everyToneOfTheScriptHasAColour() throws {
        let tones = try Set(matches(#""(as[A-Z][a-z]+)""#, in: DashboardPage.script))
        #expect(tones.count > 8)
        for tone in tones { #expect(DashboardPage.wholeStyle.contains(".\(tone) { --tone: var("), "\(tone)") }
    }

    @Test func everyColourIsDefinedForLightAndDark() throws {
        let parts = DashboardPage.wholeStyle.split(separator: "@media (prefers-color-scheme: dark)")
        try #require(parts.count == 2)
        let dark = try #require(parts[1].split(separator: "* { box-sizing").first)
        let light = try Set(matches(#"(--[a-zA-Z]+): #"#, in: String(parts[0])))
        #expect(light.count > 15)
        #expect(try Set(matches(#"(--[a-zA-Z]+): #"#, in: String(dark))) == light)
        let used = try Set(matches(#"var\((--[a-zA-Z]+)"#, in: DashboardPage.wholeStyle))
        #expect(used.subtracting(light) == ["--tone", "--toneWash", "--share"])
    }
}
