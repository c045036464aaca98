// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardProcessTestSupport
import Testing

/// The macro as the compiler uses it. `make test-macros` has tests of each message and remedy.
@Suite(.timeLimit(.minutes(5))) struct PluginTests {
    private static let source = #"""
        @attached(body)
        @attached(peer, names: suffixed(Uncached))
        macro Cached<Calls>(in cache: Calls, tags: Set<String> = [], including: [String] = [], ignoring: [String] = []) =
            #externalMacro(module: "HoardMacroPlugin", type: "CachedMacro")

        struct Calls: Sendable {
            func key(ofCall function: String, of type: Any.Type? = nil, _ arguments: Any...) -> Int { 0 }
            func value(ofCall key: Int, tags: Set<String> = [], _ body: @escaping @Sendable () async throws -> Int) async throws -> Int { 0 }
        }
        let calls = Calls()

        struct Numbers: Sendable {
            let locale = ""
            @Cached(in: calls, tags: ["number-{id}"], ignoring: ["locale"]) func allowed(_ id: Int) async throws -> Int { self.locale.count + id }
            @Cached(in: calls) func state(_ id: Int) async throws -> Int { self.locale.count } // refused: 'state(_:)' reads 'self.locale', which is not part of the key
            @Cached(in: calls) mutating func change() async throws -> Int { 0 } // refused: A cached function cannot be mutating
        }
        func use() async throws -> Int { try await Numbers().allowed(1) + Numbers().allowedUncached(1) }
        @Cached(in: calls) func plain(_ id: Int) -> Int { 0 } // refused: A cached function has to be 'async throws'
        @Cached(in: calls) func nothing() async throws { } // refused: nothing() returns nothing that a cache could keep.
        @Cached(in: calls) func changes(_ id: inout Int) async throws -> Int { 0 } // refused: A parameter of a cached function cannot be 'inout'
        @Cached(in: calls) func many(_ ids: Int...) async throws -> Int { 0 } // refused: A variadic parameter cannot be passed on
        @Cached(in: calls) func unnamed(_: Int) async throws -> Int { 0 } // refused: A parameter without a name cannot be part of the key.
        @Cached(in: calls) func called(_ body: @escaping () -> Int) async throws -> Int { 0 } // refused: A function cannot be part of the key
        @Cached(in: calls) func pair(_ pair: (Int, Int)) async throws -> Int { 0 } // refused: A tuple cannot be part of the key
        @Cached(in: calls) func generic<ID: Sendable>(_ id: ID) async throws -> Int { 0 } // refused: 'ID' has to be Hashable and Sendable
        @Cached(in: Calls()) func made(_ id: Int) async throws -> Int { 0 } // refused: Name the cache
        @Cached(in: calls, tags: ["{other}"]) func tagged(_ id: Int) async throws -> Int { 0 } // refused: There is no parameter 'other'
        @Cached(in: calls, ignoring: ["other"]) func ignoring(_ id: Int) async throws -> Int { 0 } // refused: There is no parameter 'other' to leave out
        """#

    @Test func theCompilerRefusesWhatCannotBeCachedAndNothingElse() async throws {
        let plugin = ChildProcess.path(ofTool: "HoardMacroPlugin-tool")
        guard FileManager.default.isExecutableFile(atPath: plugin) else {
            print("The plugin is not beside the tests; skipped.")
            return
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-plugin-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("Numbers.swift")
        try Self.source.write(to: file, atomically: true, encoding: .utf8)

        let arguments = ["-typecheck", "-swift-version", "6", "-parse-as-library", "-diagnostic-style=llvm"]
        let loading = ["-load-plugin-executable", "\(plugin)#HoardMacroPlugin", file.path]
        let text = try await ChildProcess.run("/usr/bin/env", ["swiftc"] + arguments + loading).output

        var errors: [Int: [String]] = [:]
        for match in text.matches(of: /Numbers\.swift:(\d+):\d+: error: (.*)/) {
            errors[try #require(Int(match.1)), default: []].append(String(match.2))
        }
        for (index, line) in Self.source.components(separatedBy: "\n").enumerated() {
            let expected = line.components(separatedBy: "// refused: ").dropFirst().first
            let found = errors[index + 1] ?? []
            #expect(found.allSatisfy { expected != nil && $0.hasPrefix(expected ?? "") }, "\(line): \(found)")
            #expect(expected == nil || !found.isEmpty, "\(line): \(text.suffix(2_000))")
        }
    }
}
