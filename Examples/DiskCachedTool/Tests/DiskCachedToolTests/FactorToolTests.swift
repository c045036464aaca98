// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import DiskCachedTool

@Suite(.timeLimit(.minutes(1))) final class FactorToolTests {
    private struct Failure: Error {}

    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("factor-tool-\(UUID().uuidString)")
    private let computations = Counter()

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func increment() { count.withLock { $0 += 1 } }
    }

    private func tool() -> FactorTool {
        var tool = FactorTool(directory: directory.path)
        tool.factor = { [computations] number in
            computations.increment()
            return primeFactors(of: number)
        }
        return tool
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    @Test func theSecondRunAnswersFromTheDisk() async throws {
        #expect(try await tool().run("600851475143") == "600851475143 = 71 × 839 × 1471 × 6857")
        #expect(try await tool().run("600851475143") == "600851475143 = 71 × 839 × 1471 × 6857, as computed before")
        #expect(computations.value == 1)
    }

    @Test func anErrorIsNotRemembered() async throws {
        var broken = tool()
        broken.factor = { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await broken.run("12") }
        #expect(try await tool().run("12") == "12 = 2 × 2 × 3")
    }

    @Test func aToolWithoutADirectoryStillAnswersAndSaysSo() async throws {
        try Data("a file".utf8).write(to: directory)
        var tool = tool()
        let warnings = Counter()
        tool.warn = { _ in warnings.increment() }
        for _ in 0..<2 { #expect(try await tool.run("7") == "7 = 7") }
        #expect(computations.value == 2)
        #expect(warnings.value == 2)
    }

    @Test(arguments: ["", "1", "-7", "seven"]) func whatIsNoNumberIsRefused(_ argument: String) async {
        await #expect(throws: FactorTool.UsageError.self) { try await tool().run(argument) }
    }
}
