// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import HoardProxy

/// The advice that the admin address gives.
@Suite(.timeLimit(.minutes(1))) struct ProxyAdviceTests {
    private func advice(of harness: AdminHarness) async throws -> AdviceDocument {
        let reply = try await harness.send(.get, "/api/advice")
        #expect(reply.code == 200)
        return try JSONDecoder().decode(AdviceDocument.self, from: Data(reply.text.utf8))
    }

    @Test func parametersThatSplitWhatIsStoredAreFound() async throws {
        let harness = AdminHarness()
        for page in 0..<12 {
            for source in 0..<4 { try await harness.fill("/pages/\(page)?utm_source=\(source)") }
        }
        let document = try await advice(of: harness)
        #expect(document.advice.map(\.kind) == ["ignoredParameters"])
        #expect(document.advice.first?.path == "/pages/")
        #expect(document.settings == "routes:\n  - path: /pages/\n    ignore-query: [\"utm_*\"]\n  - path: /\n")
    }

    @Test func aProxyWithoutTrafficSaysWhatItCannotJudge() async throws {
        let document = try await advice(of: AdminHarness())
        #expect(document.advice.isEmpty && document.settings.isEmpty)
        #expect(document.notJudged.count == 2)
        #expect(document.notJudged.first?.contains("Too few requests") == true)
    }
}
