// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardObservability
import Testing

@Suite(.timeLimit(.minutes(5))) struct CacheObserversTests {
    private let journal = RecordingObserver.Journal()
    private var both: CacheObservers { CacheObservers(RecordingObserver("a", in: journal), RecordingObserver("b", in: journal)) }

    @Test func allAreToldEverythingInTheirOrder() {
        both.requestAnswered(.hit, tier: .memory, cache: "users")
        both.loadEnded(.value, duration: .seconds(1), cache: "users")
        both.storeCallEnded(
            CacheStoreCall(store: "disk", operation: .read),
            outcome: .failed,
            error: StoreError(.full, "Full."),
            duration: .seconds(2)
        )
        both.entriesRemoved(.size, count: 3, cache: "users")
        both.eventOccurred(TieredCacheEvent(.storeFailed, store: "disk"))

        #expect(
            journal.lines == [
                "a: request hit memory users", "b: request hit memory users",
                "a: load value 1.0 seconds users", "b: load value 1.0 seconds users",
                "a: read failed full 2.0 seconds disk", "b: read failed full 2.0 seconds disk",
                "a: removed size 3 users", "b: removed size 3 users",
                "a: event disk", "b: event disk",
            ]
        )
    }

    @Test func theFirstIsTheOutermostAroundALoad() async throws {
        let result = try await both.withLoad(cache: "users") { [journal] in
            journal.write("loading")
            return 42
        }

        #expect(result == 42)
        #expect(
            journal.lines == [
                "a: load of users begins", "b: load of users begins", "loading", "b: load of users is over", "a: load of users is over",
            ]
        )
    }

    @Test func theFirstIsTheOutermostAroundACallOfAStore() async {
        let result = await both.withStoreCall(CacheStoreCall(store: "disk", operation: .write)) { [journal] in
            journal.write("writing")
            return 42
        }

        #expect(result == 42)
        #expect(
            journal.lines == [
                "a: call of disk begins", "b: call of disk begins", "writing", "b: call of disk is over", "a: call of disk is over",
            ]
        )
    }

    @Test func whatALoadThrowsIsThrown() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await both.withLoad(cache: "users") { throw Failure() }
        }
        #expect(journal.lines.last == "a: load of users is over")
    }

    @Test func noneAtAllDoNothing() async throws {
        let none = CacheObservers([])
        none.requestAnswered(.hit, tier: .memory, cache: "users")
        #expect(try await none.withLoad(cache: "users") { 1 } == 1)
        #expect(await none.withStoreCall(CacheStoreCall(store: "disk", operation: .read)) { 2 } == 2)
    }
}
