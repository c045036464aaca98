// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTP
import HoardHTTPTestSupport

/// The part of `docs/http-decisions.md` that the code makes.
struct DecisionDocument {
    static var url: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/http-decisions.md").standardizedFileURL
    }

    /// The document with its generated parts made anew.
    static func updating(_ text: String) throws -> String {
        try replacing("actions", with: actions, in: replacing("reasons", with: reasons, in: text))
    }

    /// A row for each reason.
    static var reasons: String {
        let rows = HTTPDecision.catalogue.map { "| \($0.kind.words) | `\($0.token)` | \($0.section) | \($0.sentence) |" }
        return (["| For | Token | Rule | Reason |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n")
    }

    /// A row for each scenario.
    static var actions: String {
        let rows = DecisionScenario.all.map { scenario in
            let row = scenario.run()
            let tokens = row.decisions.map { "`\($0.token)`" }.joined(separator: ", ")
            let status = row.cacheStatus.isEmpty ? "" : "`\(row.cacheStatus)`"
            return "| \(row.state) | \(row.situation) | \(row.action) | \(tokens) | \(status) |"
        }
        return (["| State | Event | Action | Why | Cache-Status |", "| --- | --- | --- | --- | --- |"] + rows).joined(separator: "\n")
    }

    private static func replacing(_ part: String, with content: String, in text: String) throws -> String {
        let start = "<!-- made by the code: \(part) -->\n"
        guard let opening = text.range(of: start), let closing = text.range(of: "<!-- end -->", range: opening.upperBound..<text.endIndex) else {
            throw MissingPart(name: part)
        }
        return text.replacingCharacters(in: opening.upperBound..<closing.lowerBound, with: content + "\n")
    }

    private struct MissingPart: Error { let name: String }
}

extension HTTPDecision.Kind {
    fileprivate var words: String { self == .notStoring ? "not storing" : rawValue }
}
