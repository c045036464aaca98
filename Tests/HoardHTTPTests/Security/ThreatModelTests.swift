// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The threat model names tests that exist.
@Suite struct ThreatModelTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The names in the last column of the tables: suites, and scripts.
    private func evidence() throws -> [String] {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/threat-model.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| **") }.flatMap { row in
            row.split(separator: "|").last.map { $0.split(separator: "`", omittingEmptySubsequences: false).enumerated() }.map { pieces in
                pieces.filter { $0.offset % 2 == 1 }.map { String($0.element) }
            } ?? []
        }
    }

    /// The sources of all tests, and of the tools with which users test.
    private func sources() throws -> String {
        var sources = ""
        for directory in ["Tests", "Sources/HoardTesting", "Examples"] {
            let files = FileManager.default.enumerator(at: Self.root.appendingPathComponent(directory), includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" && !file.path.contains("/.build/") {
                sources += try String(contentsOf: file, encoding: .utf8)
            }
        }
        return sources
    }

    @Test func everyTestThatIsNamedExists() throws {
        let names = try evidence()
        #expect(names.count > 30)
        let sources = try sources()
        for name in Set(names) {
            if name.hasPrefix("Scripts/") {
                let script = name.split(separator: " ").first.map { String($0) } ?? name
                #expect(FileManager.default.isExecutableFile(atPath: Self.root.appendingPathComponent(script).path), "\(name)")
            } else if name.first?.isUppercase == true {
                let declarations = ["struct", "enum", "class"].flatMap { kind in [" ", "<", ":"].map { "\(kind) \(name)\($0)" } }
                #expect(declarations.contains { sources.contains($0) }, "\(name)")
            }
        }
    }

    @Test func everyThreatHasATestOrIsSaidToBeOpen() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/threat-model.md"), encoding: .utf8)
        for row in text.split(separator: "\n") where row.hasPrefix("| **") {
            let cells = row.split(separator: "|")
            #expect(cells.count == 3, "\(row.prefix(80))")
            #expect(cells.last?.contains("`") == true || cells.last?.contains("by review") == true, "\(row.prefix(80))")
        }
    }
}
