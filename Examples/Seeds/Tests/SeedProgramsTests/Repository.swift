// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The files of the project that the tests read.
struct Repository {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..").standardized

    func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// The texts of all Swift files below some directories.
    func sources(in directories: String...) throws -> [String] {
        try directories.flatMap { directory in
            try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(directory).path)
                .filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }
                .map { try text(of: directory + "/" + $0) }
        }
    }

    /// The block of text under a heading of the examples' README.
    func transcript(of name: String) throws -> String {
        let readme = try text(of: "Examples/Seeds/README.md")
        let section = try #require(readme.range(of: "\n## \(name)\n"), "The README has no section on \(name).")
        let start = try #require(readme.range(of: "\n```text\n", range: section.upperBound..<readme.endIndex))
        let end = try #require(readme.range(of: "\n```\n", range: start.upperBound..<readme.endIndex))
        return String(readme[start.upperBound..<end.lowerBound]) + "\n"
    }
}
