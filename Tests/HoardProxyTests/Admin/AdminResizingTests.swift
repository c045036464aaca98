// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTesting
import Testing

@testable import HoardProxy

/// New sizes that the admin server sets.
@Suite(.timeLimit(.minutes(1))) struct AdminResizingTests {
    private let harness = AdminHarness()

    private func resize(
        _ body: String,
        _ fields: HTTPFields = [.authorization: "Bearer secret", .contentType: "application/json"]
    ) async throws -> AdminHarness.Reply {
        try await harness.send(.post, "/api/size", fields, body: body)
    }

    @Test func memoryGetsAnotherSizeAndTheAnswerSaysWhich() async throws {
        let reply = try await resize(#"{"memoryBytes":1048576}"#)
        #expect(reply.code == 200)
        #expect(try reply.json["memoryBytes"] as? Int == 1 << 20)
        #expect(harness.cache.maximumMemoryBytes == 1 << 20)
    }

    @Test func responsesLeaveUntilTheyFit() async throws {
        for number in 0..<10 { try await harness.fill("/\(number)") }
        #expect(try await resize(#"{"memoryBytes":0}"#).code == 200)
        #expect(harness.cache.memoryByteCount == 0)
        // The store has them still.
        #expect(try await harness.isCached("/1"))
    }

    @Test(arguments: [
        ("", "must be an object"), ("[]", "must be an object"), (#"{"memoryBytes":"1G"}"#, "must be an object"),
        (#"{"memoryBytes":1.5}"#, "must be an object"),
        ("{}", "names no size"), (#"{"memory":1}"#, "no size “memory”"), (#"{"memoryBytes":-1}"#, "must not be negative"),
        (#"{"diskBytes":1}"#, "no disk store"),
    ])
    func whatMakesNoSenseIsRefusedInASentence(body: String, sentence: String) async throws {
        let before = harness.cache.maximumMemoryBytes
        let reply = try await resize(body)
        #expect(reply.code == 400)
        #expect(reply.text.contains(sentence), "\(reply.text)")
        #expect(harness.cache.maximumMemoryBytes == before)
    }

    @Test func itTakesTheTokenAndPost() async throws {
        #expect(try await resize(#"{"memoryBytes":1}"#, [.contentType: "application/json"]).code == 401)
        #expect(try await resize(#"{"memoryBytes":1}"#, [.authorization: "Bearer wrong", .contentType: "application/json"]).code == 401)
        #expect(try await resize(#"{"memoryBytes":1}"#, [.authorization: "Bearer secret"]).code == 415)
        #expect(try await harness.send(.get, "/api/size").code == 405)
    }
}
