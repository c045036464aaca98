// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardProxy

/// `docs/configuration.md` has every option as the code has it.
@Suite struct ConfigurationDocumentTests {
    private static var url: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/configuration.md").standardizedFileURL
    }

    private static let opening = "<!-- made by the code: options -->\n"
    private static let closing = "<!-- end -->"

    /// A table for each group of options.
    private static var options: String {
        var text = "### At the top\n\n" + table(of: "")
        for description in ProxySettings.descriptions where description.isGroup {
            text += "\n### `\(description.path)`\n\n\(description.summary)\n"
            if let flag = description.flag {
                text += "On the command line `--\(flag)`, in the environment `\(ProxySettings.environmentName(ofFlag: flag))`.\n"
            }
            text += "\n" + table(of: description.path)
        }
        return text
    }

    private static func table(of group: String) -> String {
        "| Option | Value | Default | Flag | Meaning |\n| --- | --- | --- | --- | --- |\n"
            + ProxySettings.descriptions.filter { !$0.isGroup && $0.group == group }.map { row($0) }.joined()
    }

    private static func row(_ description: SettingDescription) -> String {
        let name = description.path.split(separator: ".").last.map(String.init) ?? description.path
        let initial = description.defaultText.map { $0.isEmpty ? "none" : "`\($0)`" } ?? ""
        let flag = description.flag.map { "`--\($0)`" } ?? ""
        let summary = description.summary.replacingOccurrences(of: "|", with: "\\|")
        return "| `\(name)` | \(description.form.words) | \(initial) | \(flag) | \(summary) |\n"
    }

    /// With `HOARD_UPDATE_DOCS=1` the file is written instead.
    @Test func documentHasWhatTheCodeHas() throws {
        let text = try String(contentsOf: Self.url, encoding: .utf8)
        let start = try #require(text.range(of: Self.opening))
        let end = try #require(text.range(of: Self.closing, range: start.upperBound..<text.endIndex))
        let expected = text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: Self.options + "\n")
        if ProcessInfo.processInfo.environment["HOARD_UPDATE_DOCS"] == "1" {
            try expected.write(to: Self.url, atomically: true, encoding: .utf8)
        } else {
            #expect(text == expected, "docs/configuration.md is not what the code makes; set HOARD_UPDATE_DOCS=1 to write it anew.")
        }
    }

    @Test(arguments: ["dist/config/proxy.yaml", "dist/docker/proxy.yaml"]) func filesThatComeWithThePackageMakeSense(path: String) throws {
        let url = Self.url.deletingLastPathComponent().deletingLastPathComponent().appending(path: path)
        let text = try String(contentsOf: url, encoding: .utf8)
        let environment = text.contains("\norigin:") ? [:] : ["HOARD_PROXY_ORIGIN": "http://app:3000"]
        _ = try ProxySettings(.init(file: (path, text), environment: environment)).configuration()
    }

    @Test func settingsOfTheManifestsMakeSense() throws {
        let url = Self.url.deletingLastPathComponent().deletingLastPathComponent().appending(path: "dist/kubernetes/hoard.yaml")
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasSuffix("proxy.yaml: |") })
        let text = lines[(start + 1)...].prefix { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }.joined(separator: "\n")
        let configuration = try ProxySettings(.init(file: ("hoard.yaml", text))).configuration()
        #expect(configuration.admin != nil && configuration.listeners.count == 1)
    }

    @Test func examplesOfTheDocumentAreSettingsThatMakeSense() throws {
        let text = try String(contentsOf: Self.url, encoding: .utf8)
        let examples = text.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        #expect(examples.count >= 2)
        for example in examples {
            let settings = try ProxySettings(.init(file: ("example.yaml", example)))
            _ = try settings.configuration()
        }
    }
}

extension SettingDescription {
    fileprivate var isGroup: Bool { form == .section || form == .sections }

    /// The path of the group; empty at the top.
    fileprivate var group: String { path.split(separator: ".").dropLast().joined(separator: ".") }
}
