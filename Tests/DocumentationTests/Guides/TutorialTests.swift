// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The tutorials use all of their code files, and the code that compiles on Linux is compiled and run here.
@Suite struct TutorialTests {
    /// A tutorial, and the file of this folder that has its code.
    struct Tutorial: CustomTestStringConvertible {
        let path: String
        let examples: String
        var testDescription: String { path }

        static let all = [
            Tutorial(path: "Sources/HoardUI/HoardUI.docc/PhotoApp.tutorial", examples: "PhotoTutorialExamples.swift"),
            Tutorial(path: "Sources/HoardHummingbird/HoardHummingbird.docc/ProductServer.tutorial", examples: "ServerTutorialExamples.swift"),
        ]

        var catalog: String { path.split(separator: "/").dropLast().joined(separator: "/") }

        /// The names of the files in `@Code`.
        func codeFiles() throws -> [String] {
            try Repository.text(path).matches(of: /@Code\(name: "[^"]+", file: "([^"]+)"/).map { String($0.output.1) }
        }

        /// The paths of all Swift files in the catalog.
        func resources() throws -> [String] {
            let folder = Repository.root.appendingPathComponent(catalog)
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }.map { catalog + "/" + $0 }
        }

        func path(of name: String) throws -> String {
            let paths = try resources().filter { $0.hasSuffix("/" + name) }
            try #require(paths.count == 1, "\(name) is there \(paths.count) times")
            return paths[0]
        }
    }

    /// Views, and the programs that show them. `Scripts/apple-check` checks those in the folder `PhotoApp`; the others are only shown.
    private static let onlyForApple: Set = ["photos-7-view.swift", "photos-8-view.swift", "photos-9-app.swift"]

    @Test func everyTutorialIsTestedHere() throws {
        var paths: [String] = []
        let folder = Repository.root.appendingPathComponent("Sources")
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".tutorial") {
            if try Repository.text("Sources/" + path).contains("@Steps") { paths.append("Sources/" + path) }
        }
        #expect(paths.sorted() == Tutorial.all.map(\.path).sorted())
    }

    @Test(arguments: Tutorial.all)
    func everyCodeFileIsThereAndShown(tutorial: Tutorial) throws {
        let shown = try tutorial.codeFiles()
        try #require(shown.count >= 5)
        #expect(try tutorial.resources().compactMap { $0.split(separator: "/").last.map(String.init) }.sorted() == shown.sorted())
    }

    /// Compares the whole file, and not only each of its lines, so that no line is in another order or place.
    @Test(arguments: Tutorial.all)
    func everyCodeFileIsCompiledHere(tutorial: Tutorial) throws {
        let examples = try Repository.text("Tests/DocumentationTests/Guides/" + tutorial.examples)
        let compiled = squeezed(examples.split(separator: "\n"))
        for name in try tutorial.codeFiles() where !Self.onlyForApple.contains(name) {
            let lines = try Repository.text(try tutorial.path(of: name)).split(separator: "\n").dropFirst(2)
            let imports = lines.filter { $0.hasPrefix("import ") }
            // A test has no entry point.
            let code = squeezed(lines.filter { !$0.hasPrefix("import ") }).replacingOccurrences(of: "@main ", with: "")
            let isHere = compiled.contains(code)
            #expect(isHere, "\(name) is not compiled in \(tutorial.examples)")
            for line in imports { #expect(examples.contains("\n\(line)\n"), "\(name): \(line)") }
        }
    }

    @Test func theAppOfApplesSystemsIsCheckedAsAWhole() throws {
        let tutorial = Tutorial.all[0]
        for name in ["photos-1-server.swift", "photos-6-library.swift", "photos-8-view.swift"] {
            #expect(try tutorial.path(of: name).contains("/Resources/PhotoApp/"))
        }
        #expect(try Repository.text("Scripts/apple-check").contains(tutorial.catalog + "/Resources/PhotoApp"))
    }

    /// The words of the lines, as one line.
    private func squeezed(_ lines: some Sequence<Substring>) -> String {
        lines.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
