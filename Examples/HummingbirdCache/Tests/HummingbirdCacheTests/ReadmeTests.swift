// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import HummingbirdCache

/// The README shows exactly the output of the program. `HOARD_UPDATE_DOCS=1` writes it anew.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReadmeTests {
    private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../README.md").standardized

    @Test
    func tourIsAsInTheReadme() async throws {
        let lines = Mutex<[String]>([])
        try await Tour.run { line in lines.withLock { $0.append(line) } }
        let printed = lines.withLock { $0 }.joined(separator: "\n")
        let text = try String(contentsOf: Self.url, encoding: .utf8)
        let start = try #require(text.range(of: "```text\n"))
        let end = try #require(text.range(of: "\n```\n", range: start.upperBound..<text.endIndex))
        if ProcessInfo.processInfo.environment["HOARD_UPDATE_DOCS"] == "1" {
            let updated = text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: printed)
            try updated.write(to: Self.url, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[start.upperBound..<end.lowerBound]) == printed)
        }
    }

    @Test
    func programTakesTheTour() async throws {
        let (output, status) = try await run(["tour"])
        #expect(status == 0)
        #expect(output.hasPrefix("A gazette whose pages are made once and sent often.\n"))
        #expect(output.contains("/archive × 100"))
    }

    @Test
    func programSaysHowItIsUsed() async throws {
        let (output, status) = try await run(["--port", "x"])
        #expect(status == 64)
        #expect(output.hasPrefix("Usage: HummingbirdCacheServer"))
    }

    @Test
    func programSaysThatACertificateIsMissing() async throws {
        let (output, status) = try await run(["--port", "0", "--certificate", "/nowhere/chain.pem", "--key", "/nowhere/key.pem"])
        #expect(status == 1)
        #expect(output.hasPrefix("The gazette cannot appear:"))
    }

    /// Runs the built program.
    private func run(_ arguments: [String]) async throws -> (output: String, status: Int32) {
        let process = Process()
        // The directory of the test bundle is that of the build's products.
        let products = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        process.executableURL = products.appendingPathComponent("HummingbirdCacheServer")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let (statuses, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            ended.yield(process.terminationStatus)
            ended.finish()
        }
        try process.run()
        let (outputs, read) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            read.yield(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
            read.finish()
        }
        var output = ""
        for await text in outputs { output += text }
        var status: Int32 = -1
        for await code in statuses { status = code }
        return (output, status)
    }
}
