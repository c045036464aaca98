// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// The answers of loaders, in both kinds of cache.
@Suite(.timeLimit(.minutes(5))) struct LoadResultTests {
    private let time = ManualTicker()
    private let loads = Counter()

    private struct Refusal: Error, Equatable { let number: Int }

    /// A loader whose answer depends on the key. A `Cache` and a `TieredCache` get the same function.
    @Sendable private func load(_ request: LoadRequest<String, Int>) -> LoadResult<Int> {
        let number = loads.increment()
        return switch request.key {
        case "absent": .absent(expiresAfter: .seconds(10))
        case "forgotten": .absent()
        case "failing": .failure(Refusal(number: number), expiresAfter: .seconds(10))
        case "short": .value(number, expiresAfter: .seconds(10), tags: ["t"])
        case "policy": .value(number, policy: CachePolicy(freshFor: .seconds(10)))
        default: .value(number, weight: 70)
        }
    }

    /// The two kinds of cache, which answer in the same way.
    private enum Kind: CaseIterable { case cache, tiered }

    private func ask(_ kind: Kind) -> @Sendable (String) async throws -> Int? {
        switch kind {
        case .cache:
            let cache = Cache<String, Int>(configuration: .init(maximumWeight: 100, expiration: .afterWrite(.seconds(60))), ticker: time)
            return { key in try await cache.valueIfExists(forKey: key, load: load) }
        case .tiered:
            let cache = TieredCache<String, Int>(
                configuration: .init(maximumWeight: 100, freshFor: .seconds(60)),
                stores: [],
                codec: .json,
                clock: time,
                ticker: time
            )
            return { key in try await cache.valueIfExists(forKey: key, load: load) }
        }
    }

    private func expectFailure(_ number: Int, _ body: () async throws -> Int?) async {
        await #expect(throws: Refusal(number: number)) { try await body() }
    }

    @Test func sameLoaderMeansTheSameToBothKinds() async throws {
        for kind in Kind.allCases {
            let ask = ask(kind)
            let first = loads.value
            for key in ["absent", "short", "policy"] {
                let before = loads.value
                let value = try await ask(key)
                #expect((value == nil) == (key == "absent"), "\(kind) \(key)")
                time.advance(by: .seconds(10) - .nanoseconds(1))
                #expect(try await ask(key) == value, "\(kind) \(key)")
                #expect(loads.value == before + 1, "\(kind) \(key)")
                time.advance(by: .nanoseconds(1))
                _ = try await ask(key)
                #expect(loads.value == before + 2, "\(kind) \(key)")
            }
            #expect(try await ask("forgotten") == nil)
            #expect(try await ask("forgotten") == nil)
            #expect(loads.value == first + 8, "\(kind)")
        }
    }

    @Test func keptFailureIsThrownForItsTimeByBothKinds() async throws {
        for kind in Kind.allCases {
            let ask = ask(kind)
            let first = loads.value + 1
            await expectFailure(first) { try await ask("failing") }
            time.advance(by: .seconds(10) - .nanoseconds(1))
            await expectFailure(first) { try await ask("failing") }
            #expect(loads.value == first, "\(kind)")
            time.advance(by: .nanoseconds(1))
            await expectFailure(first + 1) { try await ask("failing") }
        }
    }

    @Test func weightIsThatOfTheLoaderInBothKinds() async throws {
        for kind in Kind.allCases {
            let ask = ask(kind)
            let first = loads.value
            for key in ["a", "b", "a", "b"] { _ = try await ask(key) }
            #expect(loads.value > first + 2, "\(kind): two of them do not fit")
        }
    }

    // MARK: TieredCache

    private func tiered(_ policy: CachePolicy = CachePolicy(freshFor: .seconds(5))) -> TieredCache<String, Int> {
        let stores = [MemoryStore(clock: time)]
        return TieredCache(configuration: .init(maximumCount: 10, policy: policy), stores: stores, codec: .json, clock: time, ticker: time)
    }

    @Test(arguments: ["insert", "insert contents", "remove"])
    func writeOrRemovalEndsAKeptFailure(_ change: String) async throws {
        let cache = tiered()
        await expectFailure(1) { try await cache.valueIfExists(forKey: "failing", load: load) }
        switch change {
        case "insert": await cache.insert(7, forKey: "failing")
        case "insert contents": await cache.insert(contentsOf: ["failing": 7])
        default: await cache.removeValue(forKey: "failing")
        }
        time.advance(by: .seconds(6))
        await expectFailure(2) { try await cache.valueIfExists(forKey: "failing", load: load) }
    }

    @Test func failureThatAWriteHasOvertakenIsNotKept() async throws {
        let cache = tiered()
        let gate = Gate()
        let value = Task {
            try await cache.valueIfExists(forKey: "a") { _ in
                await gate.pass()
                return .failure(Refusal(number: 1), expiresAfter: .seconds(100))
            }
        }
        await gate.arrivals(1)
        await cache.insert(7, forKey: "a")
        gate.open()
        await expectFailure(1) { try await value.value }
        time.advance(by: .seconds(6))
        #expect(try await cache.value(forKey: "a") { _ in 8 } == 8)
    }

    @Test func staleValueStandsInForAKeptFailure() async throws {
        let cache = tiered(CachePolicy(freshFor: .seconds(5)).with { $0.staleIfError = .seconds(100) })
        await cache.insert(7, forKey: "failing")
        time.advance(by: .seconds(6))
        for _ in 0..<3 {
            #expect(try await cache.lookupIfExists(forKey: "failing", load: load)?.value == 7)
        }
        #expect(loads.value == 1)
    }

    @Test func valueThatNeedsOneThrowsAKeptFailureToo() async throws {
        let cache = tiered()
        await expectFailure(1) { try await cache.valueIfExists(forKey: "failing", load: load) }
        await expectFailure(1) { try await cache.value(forKey: "failing") { _ in 9 } }
        time.advance(by: .seconds(10))
        #expect(try await cache.value(forKey: "failing") { _ in 9 } == 9)
    }

    @Test func bulkLoadKeepsTheOthersAndThrowsTheFailure() async throws {
        let cache = tiered()
        await #expect(throws: Refusal(number: 3)) {
            _ = try await cache.lookups(forKeys: ["a", "b"]) { _ in
                ["a": .value(1), "b": .failure(Refusal(number: 3), expiresAfter: .seconds(10))]
            }
        }
        #expect(await cache.value(forKey: "a") == 1)
        await expectFailure(3) { try await cache.value(forKey: "b") { _ in 9 } }
        await #expect(throws: Refusal(number: 3)) { try await cache.values(forKeys: ["b", "c"]) { _ in ["b": 9, "c": 9] } }
        time.advance(by: .seconds(10))
        #expect(try await cache.values(forKeys: ["b"]) { _ in ["b": 9] } == ["b": 9])
    }

    @Test func bulkLoadGivesStandInsForTheKeysThatFail() async throws {
        let cache = tiered(CachePolicy(freshFor: .seconds(5)).with { $0.staleIfError = .seconds(100) })
        await cache.insert(contentsOf: ["a": 1, "b": 2])
        time.advance(by: .seconds(6))
        for _ in 0..<2 {
            let found = try await cache.lookups(forKeys: ["a", "b"]) { _ in
                ["a": .value(7), "b": .failure(Refusal(number: 3), expiresAfter: .seconds(10))]
            }
            #expect(found.mapValues(\.value) == ["a": 7, "b": 2])
        }
    }

    @Test func whoeverWantsALoadWhateverIsKnownGetsOne() async throws {
        let cache = tiered()
        await expectFailure(1) { try await cache.valueIfExists(forKey: "failing", load: load) }
        let policy = cache.policy.with { $0.skipping = .reads }
        await expectFailure(2) { try await cache.valueIfExists(forKey: "failing", policy: policy, load: load) }
    }

    @Test func answerThatAsksForNothingGivenIsAnError() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        await #expect(throws: CacheError.self) { try await cache.valueIfExists(forKey: "a") { _ in .notModified() } }
        #expect(cache.count == 0)
    }
}
