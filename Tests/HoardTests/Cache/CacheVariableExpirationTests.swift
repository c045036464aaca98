// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheVariableExpirationTests {
    private let ticker = ManualTicker()

    private func cache(
        afterRead: (@Sendable (String, Int, Duration?) -> Duration?)? = nil,
        afterWrite: @escaping @Sendable (String, Int) -> Duration? = { _, seconds in .seconds(seconds) }
    ) -> Cache<String, Int> {
        Cache(
            configuration: .init(
                maximumCount: 100,
                expiration: .afterWrite(.seconds(1_000)),
                variableExpiration: .init(afterWrite: afterWrite, afterRead: afterRead)
            ),
            ticker: ticker
        )
    }

    /// Expects a value that is there until a moment, and no longer.
    private func expectEnd(of key: String, in cache: Cache<String, Int>, after lifetime: Duration) {
        ticker.advance(by: lifetime - .nanoseconds(1))
        #expect(cache.contains(key))
        cache.checkInvariants()
        ticker.advance(by: .nanoseconds(1))
        #expect(!cache.contains(key))
        cache.checkInvariants()
    }

    @Test func eachEntryLivesAsLongAsItsWriteSays() {
        let cache = cache(afterWrite: { key, seconds in key == "plain" ? nil : .seconds(seconds) })
        cache.insert(5, forKey: "a")
        cache.insert(20, forKey: "b")
        cache.insert(0, forKey: "none")
        cache.insert(7, forKey: "own", expiresAfter: .seconds(9))
        cache.insert(1, forKey: "plain")
        #expect(!cache.contains("none"))
        expectEnd(of: "a", in: cache, after: .seconds(5))
        expectEnd(of: "own", in: cache, after: .seconds(4))
        expectEnd(of: "b", in: cache, after: .seconds(11))
        expectEnd(of: "plain", in: cache, after: .seconds(980))
    }

    @Test func readPutsTheEndOffOrBringsItNearerOrChangesNothing() {
        let cache = cache(afterRead: { key, _, _ in key == "longer" ? .seconds(60) : key == "shorter" ? .seconds(2) : nil })
        for key in ["longer", "shorter", "same"] { cache.insert(10, forKey: key) }
        ticker.advance(by: .seconds(5))
        for key in ["longer", "shorter", "same"] { #expect(cache.value(forKey: key) == 10) }
        expectEnd(of: "shorter", in: cache, after: .seconds(2))
        expectEnd(of: "same", in: cache, after: .seconds(3))
        expectEnd(of: "longer", in: cache, after: .seconds(55))
        #expect(cache.statistics.expirations == 0)
    }

    @Test func readIsToldTheTimeThatIsLeft() {
        let told = Shared<[Duration?]>([])
        let cache = cache(
            afterRead: { _, _, timeLeft in
                told.update { $0.append(timeLeft) }
                return nil
            },
            afterWrite: { _, _ in nil }
        )
        cache.insert(1, forKey: "a")
        cache.insert(1, forKey: "b", expiresAfter: .seconds(30))
        ticker.advance(by: .seconds(10))
        _ = cache.value(forKey: "a")
        _ = cache["b"]
        _ = cache.insertIfAbsent(2, forKey: "b")
        #expect(told.value == [.seconds(990), .seconds(20), .seconds(20)])
        _ = (cache.peek("a"), cache.contains("a"), cache.value(forKey: "c"))
        #expect(told.value.count == 3, "these are not reads of an entry")
    }

    @Test func entryThatAReadGivesNoTimeIsGone() {
        let cache = cache(afterRead: { _, _, _ in .zero })
        cache.insert(10, forKey: "once")
        #expect(cache.value(forKey: "once") == 10)
        #expect(cache.value(forKey: "once") == nil)
        #expect(cache.statistics.expirations == 1)
        cache.checkInvariants()
    }

    @Test func functionMayUseTheCacheAndAWriteMeanwhileCounts() throws {
        let box = Shared<Cache<String, Int>?>(nil)
        let ticker = ticker
        let cache = cache(afterRead: { key, value, _ in
            guard value == 10 else { return nil }
            ticker.advance(by: .nanoseconds(1))
            box.value?.insert(20, forKey: key)
            return .seconds(1_000)
        })
        box.update { $0 = cache }
        cache.insert(10, forKey: "a")
        #expect(cache.value(forKey: "a") == 10)
        #expect(cache.peek("a") == 20)
        expectEnd(of: "a", in: cache, after: .seconds(20))
        box.update { $0 = nil }
    }

    /// Before each look at the clock: the last one comes after the function.
    @Test(arguments: 0..<2, [true, false]) func valueThatIsWrittenWhileAnotherIsReadKeepsItsTime(_ looks: Int, _ reads: Bool) {
        let ticker = InterruptingTicker()
        let cache = Cache<String, Int>(
            configuration: .init(
                maximumCount: 10,
                variableExpiration: .init(afterWrite: { _, _ in .seconds(10) }, afterRead: { _, value, _ in value == 1 ? .zero : nil })
            ),
            ticker: ticker
        )
        cache.insert(1, forKey: "a")
        ticker.interrupt(after: looks) { [weak cache] in cache?.insert(2, forKey: "a") }
        _ = reads ? cache.value(forKey: "a") : cache.insertIfAbsent(3, forKey: "a")
        #expect(cache.peek("a") == 2)
    }

    @Test(arguments: UInt64(0)..<10) func anyLifetimesAreKeptToTheNanosecond(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let lifetimes = Shared<[Int: Int64?]>([:])
        let cache = Cache<Int, Int>(
            configuration: .init(
                maximumCount: 1_000,
                variableExpiration: .init(
                    afterWrite: { _, value in .nanoseconds(value) },
                    afterRead: { key, _, _ in lifetimes.value[key]??.asNanoseconds }
                )
            ),
            ticker: ticker
        )
        var deadlines: [Int: Int64] = [:]
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<40, using: &generator)
            let lifetime = Int64.random(in: 1...(Int64(1) << Int64.random(in: 1...36, using: &generator)), using: &generator)
            let now = ticker.nanoseconds()
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                cache.insert(Int(lifetime), forKey: key)
                deadlines[key] = now + lifetime
            case 1:
                lifetimes.update { $0[key] = step % 2 == 0 ? lifetime : nil }
                let isAlive = (deadlines[key] ?? 0) > now
                #expect((cache.value(forKey: key) != nil) == isAlive, "seed \(seed), step \(step)")
                if isAlive, step % 2 == 0 { deadlines[key] = now + lifetime }
            default: ticker.advance(by: .nanoseconds(lifetime / 8))
            }
            for key in 0..<40 { #expect(cache.contains(key) == ((deadlines[key] ?? 0) > ticker.nanoseconds()), "seed \(seed), step \(step)") }
        }
        cache.checkInvariants()
    }

    @Test func exampleOfTheDocumentation() {
        struct Session: Sendable { var isTrusted: Bool }
        let sessions = Cache<String, Session>(
            configuration: .init(
                maximumCount: 10_000,
                variableExpiration: .init(
                    afterWrite: { _, session in session.isTrusted ? .seconds(3600) : .seconds(60) },
                    afterRead: { _, session, _ in session.isTrusted ? .seconds(3600) : nil }
                )
            ),
            ticker: ticker
        )
        sessions.insert(Session(isTrusted: true), forKey: "trusted")
        sessions.insert(Session(isTrusted: false), forKey: "guest")
        for _ in 0..<3 {
            ticker.advance(by: .seconds(3_000))
            #expect(sessions.value(forKey: "trusted") != nil)
            #expect(sessions.value(forKey: "guest") == nil)
        }
    }
}

extension Int64 {
    fileprivate var asNanoseconds: Duration { .nanoseconds(self) }
}
