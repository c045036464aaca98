// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardModels
import HoardTesting
import Testing

@MainActor @Suite("ObservedQuery", .timeLimit(.minutes(5)))
struct ObservedQueryTests {
    private let fixture = ModelFixture()

    private func query(_ parameters: Int? = nil) -> ObservedQuery<Int, String, Int> {
        ObservedQuery(
            fixture.cache,
            parameters: parameters,
            key: { "number \($0)" },
            refresh: .never,
            ticker: fixture.time
        ) { [fixture] in try await fixture.load("number \($0)") }
    }

    init() { for number in 1...3 { fixture.set(number, forKey: "number \(number)") } }

    @Test func nothingIsAskedForWithoutParameters() async throws {
        let query = query()
        query.start()
        #expect(query.value == nil)
        #expect(!query.isLoading)
        query.parameters = 1
        try await fixture.until { query.value == 1 }
        query.parameters = nil
        #expect(query.value == nil)
        #expect(fixture.loads == ["number 1"])
        query.stop()
    }

    @Test func newParametersCancelTheLoadForTheOld() async throws {
        let hasBegun = Shared(false)
        let wasCancelled = Shared(false)
        let query = ObservedQuery<Int, String, Int>(fixture.cache, parameters: 1, key: { "\($0)" }, refresh: .never) { number in
            if number == 1 {
                hasBegun.update { $0 = true }
                // A stream without elements ends with its task.
                for await _ in AsyncStream(Never.self, { _ in }) {}
                wasCancelled.update { $0 = Task.isCancelled }
                try Task.checkCancellation()
            }
            return number
        }
        query.start()
        defer { query.stop() }
        try await fixture.until { hasBegun.value }
        query.parameters = 2
        try await fixture.until { query.value == 2 }
        try await fixture.until { wasCancelled.value }
        #expect(await fixture.cache.value(forKey: "1") == nil)
    }

    @Test func parametersThatWereAskedForBeforeAreThereAtOnce() async throws {
        let query = query(1)
        query.start()
        defer { query.stop() }
        try await fixture.until { query.value == 1 }
        query.parameters = 2
        #expect(query.value == nil)
        try await fixture.until { query.value == 2 }
        query.parameters = 1
        #expect(query.value == 1)
        #expect(fixture.loads.count == 2)
    }

    @Test func theOldValueMayBeShownMeanwhile() async throws {
        let query = query(1)
        query.keepsPrevious = true
        query.start()
        defer { query.stop() }
        try await fixture.until { query.value == 1 }
        #expect(!query.isPrevious)
        query.parameters = 2
        #expect(query.value == 1)
        #expect(query.isPrevious)
        try await fixture.until { query.value == 2 }
        #expect(!query.isPrevious)
        query.parameters = nil
        #expect(query.value == nil)
    }

    @Test func theOldValueDoesNotComeBackAfterATimeWithoutParameters() async throws {
        let query = query(1)
        query.keepsPrevious = true
        query.start()
        defer { query.stop() }
        try await fixture.until { query.value == 1 }
        query.parameters = nil
        query.parameters = 2
        #expect(query.value == nil)
        #expect(!query.isPrevious)
        try await fixture.until { query.value == 2 }
    }

    @Test func theOldValueDoesNotComeBackWhenTheNewOneIsRemoved() async throws {
        let query = query(1)
        query.keepsPrevious = true
        query.start()
        defer { query.stop() }
        try await fixture.until { query.value == 1 }
        query.parameters = 2
        try await fixture.until { query.value == 2 }
        fixture.setAway(true)
        await fixture.cache.removeValue(forKey: "number 2")
        try await fixture.until { query.error != nil }
        #expect(query.value == nil)
        #expect(!query.isPrevious)
    }

    @Test func aFailureBelongsToItsParameters() async throws {
        let query = query(9)
        query.start()
        defer { query.stop() }
        try await fixture.until { query.error != nil }
        query.parameters = 1
        #expect(query.error == nil)
        try await fixture.until { query.value == 1 }
        fixture.set(5, forKey: "number 1")
        #expect(await query.refresh())
        try await fixture.until { query.value == 5 }
    }
}
