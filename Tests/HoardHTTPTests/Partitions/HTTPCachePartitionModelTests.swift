// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// Requests and removals of several partitions at once, over a store that fails at random and a memory that holds little: nobody gets what is another's, and nobody who
/// asks after a removal gets what the origin said before it began.
@Suite(.timeLimit(.minutes(5))) struct HTTPCachePartitionModelTests {
    @Test(arguments: 0..<8) func whatWasRemovedIsNeverSeenAgain(block: Int) async throws {
        for _ in 0..<12 {
            let seed = UInt64.random(in: .min ... .max)
            let violations = try await Run(seed: seed).violations()
            for violation in violations { Issue.record("seed \(seed): \(violation)") }
            guard violations.isEmpty else { return }
        }
    }

    /// The checker finds what it is there to find.
    @Test func checkerNoticesWhatItShould() {
        let log = Log()
        let begun = log.now()
        let removed = log.now()
        log.removed("ann", from: removed)
        log.found("ann /a \(begun)", by: "ann", at: "/a", from: log.now())
        #expect(log.violations.count == 1)
        log.found("ann /a \(log.now())", by: "ann", at: "/a", from: begun)
        log.found("bob /a \(begun)", by: "bob", at: "/a", from: log.now())
        #expect(log.violations.count == 1)
        log.found("bob /a \(begun)", by: "ann", at: "/a", from: begun)
        log.found("nonsense", by: "ann", at: "/a", from: begun)
        #expect(log.violations.count == 3)
    }

    /// What has happened, in logical time.
    fileprivate final class Log: Sendable {
        private struct State {
            var now = 0
            /// When the removals of an owner that have returned began.
            var removals: [String: [(begun: Int, returned: Int)]] = [:]
            var violations: [String] = []
        }

        private let state = Mutex(State())

        var violations: [String] { state.withLock { $0.violations } }

        func now() -> Int {
            state.withLock { state in
                state.now += 1
                return state.now
            }
        }

        func removed(_ owner: String, from begun: Int) {
            state.withLock { state in
                state.now += 1
                state.removals[owner, default: []].append((begun, state.now))
            }
        }

        /// An answer to a request that was made at `begun`. It names its owner, its path, and when the origin gave it.
        func found(_ text: String, by owner: String, at path: String, from begun: Int) {
            let words = text.split(separator: " ")
            state.withLock { state in
                guard words.count == 3, let issued = Int(words[2]), words[0] == owner, words[1] == path else {
                    state.violations.append("\(owner) asked for \(path) and got \(text)")
                    return
                }
                for removal in state.removals[owner, default: []] where removal.returned < begun && issued < removal.begun {
                    state.violations.append("\(owner) asked at \(begun) and got what was given at \(issued), before the removal \(removal)")
                }
            }
        }
    }

    private struct Run: Sendable {
        private static let owners = ["ann", "bob", "nobody"]
        private static let paths = ["/a", "/vary", "/etag"]

        let seed: UInt64
        let log = Log()
        let store: FaultyStore
        let harness: CacheHarness

        init(seed: UInt64) {
            self.seed = seed
            let time = TestTime()
            store = FaultyStore(MemoryStore(clock: time), ticker: time)
            store.setScript(FaultyStore.seededScript(seed: seed, rates: .init(delayBefore: 0, delayAfterwards: 0, outages: seed % 3 == 0 ? 0.2 : 0)))
            // Memory has room for a few responses at most.
            harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = seed % 2 == 0 ? 3_000 : 0 }) { [log] request in
                let (head, issued) = (request.head, log.now())
                for _ in 0..<(issued % 4) { await Task.yield() }
                let fields: HTTPFields =
                    switch head.path {
                    case "/vary": [.cacheControl: "max-age=60", .vary: "Accept"]
                    case "/etag": [.cacheControl: "no-cache", .eTag: "\"v\""]
                    default: [.cacheControl: "max-age=60, stale-while-revalidate=60"]
                    }
                if head.headerFields.contains(.ifNoneMatch) { return .text(status: .notModified, fields: fields) }
                return .text("\(head.headerFields[PartitionHarness.owner] ?? "nobody") \(head.path ?? "") \(issued)", fields: fields)
            }
        }

        func violations() async throws -> [String] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed &+ UInt64(task) &* 7_919)
                        for _ in 0..<25 { try await step(using: &generator) }
                    }
                }
                try await group.waitForAll()
            }
            await harness.cache.flush()
            store.heal()
            while !harness.cache.entries.storeHealth.allSatisfy(\.isSound) {
                try Task.checkCancellation()
                harness.time.advance(seconds: 1)
                await Task.yield()
                try await get("/probe", for: "nobody")
            }
            for owner in Self.owners {
                for path in Self.paths { try await get(path, for: owner, fields: [.cacheControl: "max-stale, only-if-cached"]) }
            }
            // Some of these answers are being refreshed now.
            await harness.cache.flush()
            await harness.transfersEnd()
            return log.violations + (harness.openFenceCount == 0 ? [] : ["fences are open"])
        }

        private func step(using generator: inout SeededGenerator) async throws {
            let owner = Self.owners[Int.random(in: 0..<3, using: &generator)]
            let path = Self.paths[Int.random(in: 0..<3, using: &generator)]
            let accept: HTTPFields = Bool.random(using: &generator) ? [.accept: "b"] : [:]
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<8: try await get(path, for: owner, fields: accept, inMemoryOnly: Int.random(in: 0..<4, using: &generator) == 0)
            case 8: harness.time.advance(seconds: 40)
            case 9: await harness.cache.remove("http://example.com\(path)", partition: owner == "nobody" ? "" : owner)
            default:
                // What has no partition cannot be removed by it.
                if owner == "nobody" { return }
                let begun = log.now()
                await harness.cache.removePartition(owner)
                log.removed(owner, from: begun)
            }
            for _ in 0..<Int.random(in: 0..<3, using: &generator) { await Task.yield() }
        }

        private func get(_ path: String, for owner: String, fields: HTTPFields = [:], inMemoryOnly: Bool = false) async throws {
            let begun = log.now()
            let isNobody = owner == "nobody"
            let reply = try await Reply(
                harness.cache.respond(
                    to: .test(.get, path, isNobody ? fields : fields + [PartitionHarness.owner: owner]),
                    partition: isNobody ? nil : owner,
                    keepsInMemoryOnly: inMemoryOnly,
                    through: harness.transport
                )
            )
            // The cache's own answer to only-if-cached says nothing of the origin.
            if reply.code == 200 { log.found(reply.text, by: owner, at: path, from: begun) }
        }
    }
}
