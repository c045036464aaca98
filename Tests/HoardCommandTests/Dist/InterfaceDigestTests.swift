// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `Scripts/api-digest`, with symbol graphs made for the test.
@Suite(.timeLimit(.minutes(5)))
struct InterfaceDigestTests {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized
    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    private static let hasPython = path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

    private func run(_ directory: TemporaryDirectory, _ arguments: String...) async throws -> HoardProcess.Result {
        let environment = ["PATH": Self.path, "HOARD_SYMBOL_GRAPHS": directory.path("graphs"), "HOARD_API_DIGEST": directory.path("api")]
        let command = [Self.root.appendingPathComponent("Scripts/api-digest").path] + arguments
        return try await HoardProcess(command: command, environment: environment).result()
    }

    private func symbol(_ path: [String], _ kind: String, _ declaration: String) -> [String: Any] {
        [
            "identifier": ["precise": path.joined(separator: "/")], "kind": ["identifier": "swift.\(kind)"], "pathComponents": path,
            "declarationFragments": [["spelling": declaration]],
        ]
    }

    private static let conformance = ["kind": "conformsTo", "source": "Box", "target": "s:s8SendableP", "targetFallback": "Swift.Sendable"]

    /// Writes a graph of `Hoard` with these symbols, and empty ones of the other modules.
    private func write(_ symbols: [[String: Any]], to directory: TemporaryDirectory) throws {
        try FileManager.default.createDirectory(atPath: directory.path("graphs"), withIntermediateDirectories: true)
        let settings = try String(contentsOf: Self.root.appendingPathComponent(".spi.yml"), encoding: .utf8)
        let list = try #require(settings.firstMatch(of: /documentation_targets: \[(.*)\]/)).output.1
        for module in list.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            let graph: [String: Any] =
                module == "Hoard" ? ["symbols": symbols, "relationships": [Self.conformance]] : ["symbols": [], "relationships": []]
            try JSONSerialization.data(withJSONObject: graph).write(to: URL(fileURLWithPath: directory.path("graphs/\(module).symbols.json")))
        }
    }

    @Test(.enabled(if: hasPython, "there is no python3"))
    func aDigestHasSortedDeclarationsAndConformances() async throws {
        let directory = try TemporaryDirectory()
        try write([symbol(["Box", "value"], "property", "var value:\n    Int"), symbol(["Box"], "struct", "struct Box")], to: directory)
        let result = try await run(directory)
        #expect(result.status == 0, "\(result.errors)")
        let lines = try String(contentsOfFile: directory.path("api/Hoard.txt"), encoding: .utf8).split(separator: "\n").dropFirst()
        #expect(Array(lines) == ["struct Box", "Box: conforms to Sendable", "Box: var value: Int"])
        #expect(try await run(directory, "--check").status == 0)
    }

    @Test(.enabled(if: hasPython, "there is no python3"))
    func aChangeIsNamedByWhatWasAddedAndRemoved() async throws {
        let directory = try TemporaryDirectory()
        let box = symbol(["Box"], "struct", "struct Box")
        try write([box, symbol(["Box", "open()"], "method", "func open()")], to: directory)
        #expect(try await run(directory).status == 0)
        try write([box, symbol(["Box", "open()"], "method", "func open() throws")], to: directory)
        let result = try await run(directory, "--check")
        #expect(result.status == 1)
        #expect(result.text == "Hoard: 1 removed, 1 added\n  - Box: func open()\n  + Box: func open() throws\n")
        #expect(result.errors.contains("the public interface differs from docs/api"))
    }

    @Test(.enabled(if: hasPython, "there is no python3"))
    func aModuleWithoutAGraphIsAnError() async throws {
        let directory = try TemporaryDirectory()
        let result = try await run(directory, "--check")
        #expect(result.status == 1)
        #expect(result.errors.contains("has no symbol graph of Hoard."))
    }
}
