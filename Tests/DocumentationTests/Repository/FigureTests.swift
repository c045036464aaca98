// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Measured figures are in `docs/figures.json` once, and the documents show the same figures.
@Suite(.timeLimit(.minutes(5))) struct FigureTests {
    /// The documents that may show figures. Documents that tell what was true when they were written are left out.
    static let documents: [String] = {
        let pages = ((try? Repository.names(in: "docs")) ?? []).filter { $0.hasSuffix(".md") && $0 != "decisions.md" }.map { "docs/\($0)" }
        let guides = ((try? Repository.names(in: "docs/guides")) ?? []).filter { $0.hasSuffix(".md") }.map { "docs/guides/\($0)" }
        return ["README.md", "Benchmarks/README.md"] + pages + guides
    }()

    /// The runs of `docs/figures.json`.
    private static func runs() throws -> [String: Any] {
        let data = try Data(contentsOf: Repository.root.appendingPathComponent("docs/figures.json"))
        let content = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(content["runs"] as? [String: Any])
    }

    /// The figure with a path such as `proxy-hits/hoard/rate-1k`: its median, least and most.
    private static func figure(_ path: Substring, in runs: [String: Any]) -> [Double?]? {
        let names = path.split(separator: "/").map(String.init)
        guard names.count == 3, let run = runs[names[0]] as? [String: Any], let figures = run["figures"] as? [String: [String: Any]] else {
            return nil
        }
        let figure = figures[names[1]]?[names[2]]
        if let list = figure as? [Any] { return list.map { ($0 as? NSNumber)?.doubleValue } }
        return (figure as? NSNumber).map { [$0.doubleValue] }
    }

    /// The numbers in a text such as `1,150 (930 to 1,200)`.
    private static func numbers(in text: Substring) -> [Double] {
        text.split { !"-.,0123456789".contains($0) }.compactMap { Double($0.filter { $0 != "," }) }
    }

    /// The parts of a marker: a path, `~3` or `:full` behind it, and the text.
    struct Shown {
        let path: Substring
        let form: Substring
        let text: Substring
    }

    /// The figures between markers of a document, without regular expressions, which are slow in long documents.
    private static func shown(in document: String) -> [Shown] {
        var (shown, rest): ([Shown], Substring) = ([], document[...])
        while let opening = rest.firstRange(of: "<!-- figure: ") {
            rest = rest[opening.upperBound...]
            guard let middle = rest.firstRange(of: " -->"), let closing = rest.firstRange(of: "<!-- /figure -->") else { break }
            let name = rest[..<middle.lowerBound]
            let path = name.prefix { $0 != "~" && $0 != ":" }
            shown.append(Shown(path: path, form: name.dropFirst(path.count), text: rest[middle.upperBound..<closing.lowerBound]))
            rest = rest[closing.upperBound...]
        }
        return shown
    }

    @Test("Each figure between markers is the one of figures.json", arguments: documents)
    func figuresBetweenMarkersAreThoseOfTheFile(document: String) throws {
        let runs = try Self.runs()
        for shown in Self.shown(in: try Repository.text(document)) {
            let figure = try #require(Self.figure(shown.path, in: runs), "\(document): there is no figure \(shown.path)")
            let numbers = Self.numbers(in: shown.text)
            var wanted = figure.compactMap(\.self)
            if shown.form == ":spread" || figure.first == .some(nil) {
                wanted = Array(wanted.suffix(2))
            } else if shown.form != ":full" {
                wanted = Array(wanted.prefix(1))
            }
            #expect(numbers.count == wanted.count, "\(document): \(shown.path) is shown as \(shown.text)")
            for (one, other) in zip(numbers, wanted) {
                // Three significant digits differ by half a percent at most.
                #expect(abs(one - other) <= abs(other) * (shown.form == "~3" ? 0.005 : 1e-9), "\(document): \(shown.path) is \(other), not \(one)")
            }
        }
    }

    @Test("Figures between markers are found")
    func figuresBetweenMarkersAreFound() throws {
        let shown = Self.shown(
            in: "It does <!-- figure: a/b/c:full -->1,150 (930 to 1,200)<!-- /figure -->/s, and <!-- figure: a/b/d~3 -->-0.38<!-- /figure -->."
        )
        #expect(shown.map(\.path) == ["a/b/c", "a/b/d"])
        #expect(shown.map(\.form) == [":full", "~3"])
        #expect(shown.map { Self.numbers(in: $0.text) } == [[1_150, 930, 1_200], [-0.38]])
        #expect(Self.shown(in: try Repository.text("docs/proxy-performance.md")).count >= 20)
    }

    @Test("Each run says when, where, how and by which command it was measured")
    func everyRunSaysHowItWasMeasured() throws {
        let runs = try Self.runs()
        #expect(runs.count >= 20)
        for (name, run) in runs {
            let run = try #require(run as? [String: Any], "\(name)")
            for key in ["date", "machine", "command", "how"] { #expect((run[key] as? String)?.isEmpty == false, "\(name) has no \(key)") }
            #expect((run["date"] as? String)?.hasPrefix("20") == true, "\(name)")
        }
    }

    @Test("Each plot is shown")
    func everyPlotIsShown() throws {
        let pages = try ["README.md", "docs/benchmarks.md"].map { try Repository.text($0) }.joined()
        let plots = try Repository.names(in: "docs/plots").filter { $0.hasSuffix(".svg") }
        #expect(plots.count >= 8)
        for plot in plots { #expect(pages.contains("plots/\(plot))"), "\(plot)") }
    }

    // MARK: The script

    /// The output of `Scripts/figures`, and its exit status.
    private static func run(_ arguments: String...) throws -> (text: String, status: Int32) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Repository.root.appendingPathComponent("Scripts/figures").path] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }

    private static let hasPython = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("Scripts/figures finds nothing to write, and no figure outside of markers", .enabled(if: hasPython, "There is no python3."))
    func documentsAndPlotsAreThoseOfTheFigures() throws {
        let (text, status) = try Self.run("--check")
        #expect(status == 0, "\(text)")
    }

    /// A change of a copy of the repository's documents, and the mistake that the check finds.
    struct Damage: Sendable, CustomTestStringConvertible {
        let file: String
        let old: String
        let new: String
        let finding: String

        var testDescription: String { finding }
    }

    @Test(
        "The check finds",
        .enabled(if: hasPython, "There is no python3."),
        arguments: [
            Damage(file: "docs/benchmarks.md", old: "| 67,500 |", new: "| 67,600 |", finding: "docs/benchmarks.md differs from docs/figures.json"),
            Damage(
                file: "docs/benchmarks.md",
                old: "# Benchmarks\n",
                new: "# Benchmarks\n\nIt does 79,500/s.\n",
                finding: "docs/benchmarks.md:3: 79,500 is a figure of proxy-hits/hoard/rate-1k"
            ),
            Damage(
                file: "docs/figures.json",
                old: "[79503, 63081, 82019]",
                new: "[79504, 63081, 82019]",
                finding: "docs/proxy-performance.md differs from docs/figures.json"
            ),
            Damage(
                file: "docs/figures.json",
                old: "[79503, 63081, 82019]",
                new: "[99999, 63081, 82019]",
                finding: "proxy-hits/hoard/rate-1k lies outside of its spread"
            ),
            Damage(file: "docs/plots/redis.svg", old: "654.0", new: "655.0", finding: "docs/plots/redis.svg differs from docs/figures.json"),
        ]
    )
    func damageIsFound(damage: Damage) throws {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        try FileManager.default.createDirectory(at: copy.appendingPathComponent("Benchmarks"), withIntermediateDirectories: true)
        for file in ["README.md", "Benchmarks/README.md", "docs"] {
            try FileManager.default.copyItem(at: Repository.root.appendingPathComponent(file), to: copy.appendingPathComponent(file))
        }
        let place = copy.appendingPathComponent(damage.file)
        let text = try String(contentsOf: place, encoding: .utf8)
        let isThere = text.contains(damage.old)
        #expect(isThere)
        try text.replacing(damage.old, with: damage.new).write(to: place, atomically: true, encoding: .utf8)
        let (said, status) = try Self.run("--check", "--root", copy.path)
        #expect(status != 0)
        let isFound = said.contains(damage.finding)
        #expect(isFound, "\(said)")
    }
}
