// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardSimulator
import Testing

@testable import HoardCommand

@Suite("hoard trace", .timeLimit(.minutes(5)))
struct TraceCommandTests {
    private func generate(_ arguments: String...) async throws -> HoardProcess.Result {
        try await HoardProcess(["trace", "generate"] + arguments).result()
    }

    @Test func theTraceHasALineForEachAccess() async throws {
        let result = try await generate("loop", "--capacity", "64", "--seed", "3", "--length", "40000")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        var generator = try TraceGenerator(.loop, capacity: 64, seed: 3, length: 40_000)
        #expect(result.text == (0..<40_000).map { _ in "\(generator.next())\n" }.joined())
    }

    @Test func unknownFamilyIsAUsageError() async throws {
        let result = try await generate("lopp", "--capacity", "64")
        #expect(result.status == 64)
        #expect(result.errors.contains("lopp") && result.errors.contains("tenants"))
    }

    @Test(arguments: [
        (["--capacity", "15"], "The capacity must be between 16 and 16777216 keys, not 15."),
        (["--capacity", "64", "--length", "0"], "The length must be between 1 and 1099511627776 accesses, not 0."),
    ])
    func numberThatIsOutOfRangeIsAUsageError(options: [String], message: String) async throws {
        let result = try await HoardProcess(["trace", "generate", "loop"] + options).result()
        #expect(result.status == 64)
        #expect(result.errors.contains(message))
        #expect(result.text.isEmpty)
    }
}
