// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardTesting
import HoardTestingServer
import HoardTransports
import NIOCore
import Testing

/// The examples of `HoardTesting`, run: those of its doc comments, and those of `docs/testing.md`.
/// Each of their lines stands here too; a test checks that.
@Suite(.timeLimit(.minutes(5))) struct HoardTestingExamples {
    /// A database in memory.
    actor Database {
        private var names = ["7": "Ada", "42": "Alan"]

        func name(of id: String) -> String { names[id, default: ""] }
        func user(_ id: String) -> String { names[id, default: ""] }
        func rename(_ id: String, to name: String) { names[id] = name }
    }

    // MARK: Doc comments

    @Test func manualTicker() async throws {
        let time = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: time)
        cache.insert(1, forKey: "a")
        time.advance(by: .seconds(60))
        #expect(cache.value(forKey: "a") == nil)

        let sleeper = Task { try await time.sleep(until: time.nanoseconds() + 1_000) }
        await time.sleepers(1)
        time.advance(by: .nanoseconds(1_000))
        try await sleeper.value
    }

    @Test func gate() async throws {
        let (cache, database) = (Cache<String, String>(maximumCount: 10), Database())

        let gate = Gate()
        async let user = cache.value(forKey: "42") { id in
            await gate.pass()
            return await database.user(id)
        }
        await gate.arrivals(1)  // the load is under way
        cache.removeValue(forKey: "42")
        gate.open()  // now it may end
        #expect(try await user == "Alan")
        #expect(cache.peek("42") == nil)  // and does not undo the removal
    }

    @Test func faultyStore() async throws {
        let store = FaultyStore(MemoryStore())
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json)

        store.fail(.record)  // every read fails, until heal()
        #expect(try await cache.value(forKey: "a") { _ in 1 } == 1)

        let gate = store.hold(.removeRecord)  // removals wait at a gate
        async let removal: Void = cache.removeValue(forKey: "a")
        await gate.arrivals(1)  // the removal is under way
        gate.open()
        await removal
    }

    @Test func behavior() async throws {
        let store = FaultyStore(MemoryStore())

        // The second write waits, and then fails.
        let gate = Gate()
        store.setScript { call in
            call.operation == .insert && call.number == 2 ? .init(gate: gate, error: StoreError(.full, "The disk is full.")) : .pass
        }
        let record = Record(payload: Data(), created: Date())
        try await store.insert(record, forKey: "a")
        let second = Task { try await store.insert(record, forKey: "b") }
        await gate.arrivals(1)
        gate.open()
        await #expect(throws: StoreError.self) { try await second.value }
    }

    @Test func seededScript() async throws {
        let time = ManualTicker()

        let store = FaultyStore(MemoryStore(), ticker: time)
        store.setScript(FaultyStore.seededScript(seed: 42, rates: .init(errorBefore: 0.1, delays: .milliseconds(1) ... .milliseconds(50))))
        let failures = try await SeededExecutor(seed: 42, time: time).run {
            var failures = 0
            for _ in 0..<1_000 {
                do { _ = try await store.record(forKey: "a") } catch { failures += 1 }
            }
            return failures
        }
        #expect((50...250).contains(failures))
    }

    @Test func seededExecutor() async throws {
        let time = ManualTicker()
        let executor = SeededExecutor(seed: 42, time: time)
        let users = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [], codec: .json, clock: time, ticker: time)
        let loads = try await executor.run {
            async let first = users.value(forKey: "a") { _ in
                try await time.sleep(until: 3_600_000_000_000)  // an hour passes in no time
                return 1
            }
            async let second = users.value(forKey: "a") { _ in 2 }
            _ = try await (first, second)
            return users.statistics.loads
        }
        #expect(loads == 1)
    }

    @Test func seededGenerator() {
        let cache = Cache<Int, Int>(maximumCount: 10)
        let model: [Int: Int] = [:]

        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let key = Int.random(in: 0..<100, using: &generator)
        #expect(cache.value(forKey: key) == model[key], "seed \(seed)")
    }

    @Test func fakeTransport() async throws {
        let transport = FakeTransport { request in
            request.head.path == "/" ? .text("Hello", fields: [.cacheControl: "max-age=60"]) : .text(status: .notFound)
        }
        let client = CachingClient(transport: transport)
        _ = try await client.get("http://example.com/").body.collect(upTo: 100)
        _ = try await client.get("http://example.com/").body.collect(upTo: 100)
        #expect(transport.requests.count == 1)
    }

    @Test func bodyFeed() async throws {
        let (body, feed) = BodyFeed.makeBody()
        var parts = body.makeAsyncIterator()
        feed.send("first")
        let first = try await parts.next()  // is there before the second part exists
        feed.send("second")
        feed.finish()
        #expect(first == ByteBuffer(string: "first"))
        #expect(try await parts.next() == ByteBuffer(string: "second"))
    }

    @Test func hold() async throws {
        let transport = FakeTransport { _ in .text("page", fields: [.cacheControl: "max-age=60"]) }
        let client = CachingClient(transport: transport)
        let url = "http://example.com/"
        let post = HTTPRequest(method: .post, scheme: "http", authority: "example.com", path: "/")

        let hold = transport.hold { $0.head.method == .get }
        async let page = client.get(url)
        await hold.arrivals(1)  // the origin has answered, and the answer is on its way
        _ = try await client.send(post)
        hold.release()  // now it arrives
        #expect(try await page.head.status == .ok)
    }

    @Test func fakeOrigin() async throws {
        let origin = try await FakeOrigin.start { request, body in
            FakeOrigin.Response("hello", fields: [.cacheControl: "max-age=60"])
        }
        let (head, body) = try await get(origin.url)  // with any client
        #expect(origin.requests.count == 1)
        await origin.stop()
        #expect(head.status == .ok)
        #expect(body == "hello")
    }

    typealias MyStore = MemoryStore

    @Test(arguments: RecordStoreConformance.checks)
    func conforms(to check: RecordStoreConformance.Check) async throws {
        try await check.run { configuration in
            MyStore(
                maximumCount: configuration.maximumCount,
                maximumBytes: configuration.maximumBytes,
                clock: configuration.clock
            )
        }
    }

    // MARK: docs/testing.md

    @Test func guide() async throws {
        let time = ManualTicker()
        let prices = Cache<String, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: time)
        prices.insert(5, forKey: "tea")
        time.advance(by: .seconds(60))
        #expect(prices.value(forKey: "tea") == nil)

        let reminder = Task { try await time.sleep(until: time.nanoseconds() + 3_600_000_000_000) }
        await time.sleepers(1)  // it sleeps by now
        time.advance(by: .seconds(3_600))
        try await reminder.value

        let gate = Gate()
        async let price = prices.value(forKey: "tea") { _ in
            await gate.pass()
            return 5
        }
        await gate.arrivals(1)  // the query is under way
        prices.removeValue(forKey: "tea")
        gate.open()  // now it may end
        #expect(try await price == 5)
        #expect(prices.peek("tea") == nil)

        let store = FaultyStore(MemoryStore(), ticker: time)
        let users = TieredCache<String, String>(configuration: .init(maximumCount: 100), stores: [store], codec: .json, clock: time, ticker: time)
        store.fail()  // everything fails, until heal()
        #expect(try await users.value(forKey: "7") { _ in "Ada" } == "Ada")
        store.heal()

        store.setScript { call in call.operation == .insert ? .fail(StoreError(.full, "The disk is full.")) : .pass }
        store.setScript(FaultyStore.seededScript(seed: 42, rates: .init(errorBefore: 0.1, errorAfterwards: 0.1, delayBefore: 0.5)))
    }

    @Test func everyOrder() async throws {
        for seed in 0..<100 as Range<UInt64> {
            let time = ManualTicker()
            let store = FaultyStore(MemoryStore(clock: time), ticker: time)
            store.setScript(FaultyStore.seededScript(seed: seed))
            let users = TieredCache<String, String>(configuration: .init(maximumCount: 100), stores: [store], codec: .json, clock: time, ticker: time)
            let database = Database()
            try await SeededExecutor(seed: seed, time: time).run {
                async let greeting = users.value(forKey: "7") { id in await database.name(of: id) }
                await database.rename("7", to: "Grace")
                await users.removeValue(forKey: "7")
                _ = try await greeting
                let name = try await users.value(forKey: "7") { id in await database.name(of: id) }
                #expect(name == "Grace", "seed \(seed)")
            }
        }
    }

    // MARK: Nothing else

    @Test func everyLineOfTheGuideIsRunHere() throws {
        let blocks = try swiftBlocks(of: "docs/testing.md", after: "")
        try #require(blocks.count == 9)
        try expectLinesHere(blocks, of: "docs/testing.md")
    }

    @Test(
        arguments: [
            "ManualTicker", "Gate", "FaultyStore", "FaultyStore/FaultyStore+Behavior", "FaultyStore/FaultyStore+SeededScript", "SeededExecutor",
            "SeededGenerator", "FakeTransport", "FakeTransport/FakeTransport+Hold", "../HoardTestingServer/FakeOrigin", "FakeTransport/BodyFeed",
            "Conformance/RecordStoreConformance",
        ]
    )
    func everyLineOfADocCommentsExampleIsRunHere(file: String) throws {
        let path = "Sources/HoardTesting/\(file).swift"
        let blocks = try swiftBlocks(of: path, after: "///")
        try #require(!blocks.isEmpty, "\(file) has no example")
        try expectLinesHere(blocks, of: path)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The examples in a file. Their lines begin with spaces and `prefix`.
    private func swiftBlocks(of path: String, after prefix: String) throws -> [[String]] {
        let text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix(prefix) }
        return lines.map { String($0.dropFirst(prefix.count)) }.joined(separator: "\n").components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first?.components(separatedBy: "\n") }
    }

    private func expectLinesHere(_ blocks: [[String]], of path: String) throws {
        let source = squeezed(try String(contentsOfFile: #filePath, encoding: .utf8))
        for line in blocks.joined().map(squeezed) where !line.isEmpty && !line.hasPrefix("import ") {
            let isHere = source.contains(line)
            #expect(isHere, "\(path), not run: \(line)")
        }
    }

    /// The text without runs of spaces, so that only the words count.
    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// Asks an origin for its root, as a client would.
private func get(_ url: String) async throws -> (HTTPResponse, String) {
    let transport = AsyncHTTPClientTransport()
    let request = HTTPRequest(method: .get, scheme: "http", authority: String(url.dropFirst("http://".count)), path: "/")
    let response = try await transport.send(request, body: .empty)
    let body = String(buffer: try await response.body.collect(upTo: 100))
    await transport.shutdown()
    return (response.head, body)
}
