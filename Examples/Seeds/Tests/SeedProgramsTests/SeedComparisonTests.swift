// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The code side by side in `docs/seeds.md`: the right side is that of the programs, and both can be read at once.
@Suite(.timeLimit(.minutes(5))) struct SeedComparisonTests {
    private static let maximumLineCount = 30
    private static let maximumLineLength = 64

    private let repository = Repository()

    private func document() throws -> String { try repository.text(of: "docs/seeds.md") }
    private func comparisons() throws -> [SeedComparison] { SeedComparison.all(in: try document()) }

    @Test func eachProgramHasAComparison() throws {
        let comparisons = try comparisons()
        #expect(comparisons.count == 5)
        #expect(comparisons.map(\.programs) == SeedProgram.all.map { [$0.name] })
        for comparison in comparisons {
            #expect(comparison.there.count == 1, "\(comparison.title)")
            #expect(!comparison.here.isEmpty, "\(comparison.title)")
        }
    }

    @Test func allCodeOfTheDocumentIsInComparisons() throws {
        let fences = try document().components(separatedBy: "```").count - 1
        let blocks = try comparisons().flatMap { $0.there + $0.here }
        #expect(fences == 2 * blocks.count)
    }

    @Test func codeOfTheRightSideIsInThePrograms() throws {
        for comparison in try comparisons() {
            let sources = try comparison.sources.map(repository.text(of:))
            for block in comparison.here {
                let isFound = sources.contains(where: block.isPart)
                #expect(isFound, "\(comparison.title): \(block.lines.first ?? "an empty block")")
            }
        }
    }

    @Test func aBlockThatDiffersIsNoticed() throws {
        for comparison in try comparisons() {
            let sources = try comparison.sources.map(repository.text(of:))
            for block in comparison.here {
                for index in block.lines.indices where !block.lines[index].isEmpty {
                    var lines = block.lines
                    lines[index] += "x"
                    let changedIsFound = sources.contains(where: CodeBlock(lines: lines).isPart)
                    #expect(!changedIsFound, "\(comparison.title): \(lines[index])")
                    // Without its first or last line a block is still part of the file.
                    guard index > 0, index < block.lines.count - 1 else { continue }
                    lines.remove(at: index)
                    let shortenedIsFound = sources.contains(where: CodeBlock(lines: lines).isPart)
                    #expect(!shortenedIsFound, "\(comparison.title) without \(block.lines[index])")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("a\nb\nc", "b", true), ("a\n\n    b\nc", "a\nb", true), ("a\nb", "    a\n\n    b", true), ("a\na\nb", "a\nb", true),
            ("a\nb\nc", "a\nc", false), ("a\nb", "b\na", false), ("a\nb", "b\nc", false), ("ab", "a", false), ("a", "", false), ("", "a", false),
        ]
    )
    func linesAreFoundWhereTheyFollowEachOther(source: String, block: String, isPart: Bool) {
        #expect(CodeBlock(lines: block.components(separatedBy: "\n")).isPart(of: source) == isPart)
    }

    @Test func bothSidesAreShort() throws {
        for comparison in try comparisons() {
            for block in comparison.there {
                #expect(block.lines.count <= Self.maximumLineCount, "\(comparison.title)")
            }
            for line in (comparison.there + comparison.here).flatMap(\.lines) {
                #expect(line.count <= Self.maximumLineLength, "\(comparison.title): \(line)")
            }
        }
    }

    @Test func everyPointNamesTheTestOfADefect() throws {
        var tests: Set<String> = []
        for source in try repository.sources(in: "Examples/Seeds/Tests/SeedDefectsTests") {
            guard let suite = source.firstMatch(of: /@Suite.* struct (\w+)/)?.1 else { continue }
            for test in source.matches(of: /@Test func (\w+)\(/) { tests.insert("\(suite).\(test.1)") }
        }
        #expect(tests.count > 30)
        for comparison in try comparisons() {
            #expect((2...5).contains(comparison.points.count), "\(comparison.title)")
            for point in comparison.points {
                let named = point.codeSpans.filter { $0.contains("Defects.") }
                #expect(!named.isEmpty, "\(point)")
                #expect(tests.isSuperset(of: named), "\(point)")
            }
        }
    }
}

/// A section of `docs/seeds.md` with a table of two cells: the code of a tutorial in short, and that of its program.
private struct SeedComparison {
    let title: String
    /// The paths of the program's files that the text above the table links to.
    let sources: [String]
    let there: [CodeBlock]
    let here: [CodeBlock]
    /// The items of the list below the table.
    let points: [String]

    /// The names of the programs whose files are linked to.
    var programs: Set<String> { Set(sources.compactMap { $0.split(separator: "/").dropFirst(3).first.map(String.init) }) }

    static func all(in document: String) -> [SeedComparison] {
        document.components(separatedBy: "\n### ").dropFirst().compactMap { SeedComparison(section: $0.components(separatedBy: "\n## ")[0]) }
    }

    private init?(section: String) {
        guard let start = section.range(of: "<table>"), let end = section.range(of: "</table>"),
            let border = section.range(of: "</td><td>", range: start.upperBound..<end.lowerBound)
        else { return nil }
        title = section.components(separatedBy: "\n")[0]
        sources = section[..<start.lowerBound].matches(of: /\]\(\.\.\/(Examples\/Seeds\/Sources\/[^)]+)\)/).map { String($0.1) }
        there = CodeBlock.all(in: section[start.upperBound..<border.lowerBound])
        here = CodeBlock.all(in: section[border.upperBound..<end.lowerBound])
        points = Array(section[end.upperBound...].components(separatedBy: "\n- ").dropFirst())
    }
}

/// Lines of code.
private struct CodeBlock {
    let lines: [String]

    /// The fenced blocks of a text in Markdown.
    static func all(in text: Substring) -> [CodeBlock] {
        text.components(separatedBy: "\n```swift\n").dropFirst().map { rest in
            CodeBlock(lines: rest.components(separatedBy: "\n```")[0].components(separatedBy: "\n"))
        }
    }

    /// Whether the lines follow each other in a file. Indentation and empty lines do not count.
    func isPart(of source: String) -> Bool {
        let (block, source) = (Self.words(lines), Self.words(source.components(separatedBy: "\n")))
        guard !block.isEmpty, block.count <= source.count else { return false }
        return (0...(source.count - block.count)).contains { source[$0...].starts(with: block) }
    }

    private static func words(_ lines: [String]) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
