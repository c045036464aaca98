// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Screens

/// The README shows exactly the output of the programs. `HOARD_UPDATE_DOCS=1` writes it anew.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReadmeTests {
    @Test
    func tourIsAsInTheReadme() async throws {
        let directory = try TemporaryDirectory()
        let lines = Lines()
        try await Tour.run(directory: directory.path) { lines.append($0) }
        try Readme().compare(lines.all, toBlock: "text")
    }

    @Test
    func sessionIsAsInTheReadme() async throws {
        let typed = Mutex(["2", "1", "back", "login ana", "open /screens/profile", "logout", "quit"])
        let directory = try TemporaryDirectory()
        let lines = Lines()
        try await withServer { _, url in
            let browser = try Browser(url: url, directory: directory.path, clock: .standing)
            var shell = Shell(browser: browser) { lines.append($0) }
            await shell.run(
                AsyncStream {
                    guard let line = typed.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
                    lines.append("> " + line)
                    return line
                }
            )
            await browser.close()
        }
        try Readme().compare(lines.all, toBlock: "console")
    }

    @Test
    func readmeNamesEveryOutcome() throws {
        let text = try Readme().text
        for outcome in Visit.Outcome.allCases { #expect(text.contains("`\(outcome.rawValue)`")) }
    }
}

/// The README of the example.
private struct Readme {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../README.md").standardized
    let text: String

    init() throws {
        text = try String(contentsOf: url, encoding: .utf8)
    }

    /// Compares lines to the only fenced block of a language, or writes them there.
    func compare(_ lines: [String], toBlock language: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let start = try #require(text.range(of: "```\(language)\n"), sourceLocation: sourceLocation)
        let end = try #require(text.range(of: "\n```\n", range: start.upperBound..<text.endIndex), sourceLocation: sourceLocation)
        let printed = lines.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["HOARD_UPDATE_DOCS"] == "1" {
            try text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: printed).write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[start.upperBound..<end.lowerBound]) == printed, sourceLocation: sourceLocation)
        }
    }
}
