// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization

@_spi(Client) @testable import HoardRedis

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random operations of several stores on one server, in an order that a seed decides, and the
/// rules that hold in every order.
///
/// Each key has a source with a version that grows. An operation that changes the source invalidates the key
/// afterwards, by itself, by one of its groups, or along with everything. As soon as the invalidation has
/// returned, no reading that begins then may find an older version; if the records were only marked stale, no
/// reading may find an older version that is fresh. Loads read the source and publish the version that they have
/// found; explicit writes write the version that they have made. Each store has a memory above it, which drops
/// the entries of which the store tells.
final class CoherenceProgram: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    static let keyCount = 4

    static func key(_ number: Int) -> RecordKey { RecordKey("key \(number)") }
    static func tags(_ number: Int) -> Set<String> { number == 3 ? [] : ["odd \(number % 2)", "tag \(number)"] }
    static func partition(_ number: Int) -> String? { number < 2 ? "partition" : nil }

    /// The known state of a key's source.
    private struct Source {
        var version = 0
        /// No reading may find an older version any more.
        var removedBefore = 0
        /// No older version may be fresh any more, from these dates on.
        var staleBefore: [(version: Int, date: Date)] = []
        /// Whether a task writes the key itself; no other task changes the source meanwhile.
        var isBeingWritten = false
        /// How many changes are under way.
        var changeCount = 0
    }

    private struct State {
        var sources = [Source](repeating: Source(), count: CoherenceProgram.keyCount)
        var operationCount = 0
        var published = 0
        var hits = 0
    }

    /// The layer above a store.
    final class Memory: Sendable {
        struct State {
            var versions: [RecordKey: Int] = [:]
            /// Counts the notices, so that a reading that began before does not write.
            var epochs: [RecordKey: Int] = [:]
            var epoch = 0
            var watch: StoreWatch?
        }
        let state = Mutex(State())

        func drop(_ invalidation: StoreInvalidation) {
            state.withLock { state in
                for number in 0..<CoherenceProgram.keyCount {
                    let key = CoherenceProgram.key(number)
                    let isMeant =
                        invalidation.isOfEverything || invalidation.key == key
                        || !invalidation.tags.isDisjoint(with: CoherenceProgram.tags(number))
                        || (invalidation.partition != nil && invalidation.partition == CoherenceProgram.partition(number))
                    guard isMeant else { continue }
                    state.versions[key] = nil
                    state.epochs[key, default: 0] += 1
                }
            }
        }

        func epoch(_ key: RecordKey) -> Int { state.withLock { $0.epochs[key] ?? 0 } }

        func write(_ version: Int?, _ key: RecordKey, ifEpoch epoch: Int) {
            state.withLock { state in
                if state.epochs[key] ?? 0 == epoch { state.versions[key] = version }
            }
        }
    }

    let time: ManualTicker
    let server: FakeRedis
    let stores: [RedisStore]
    private let memories: [Memory]
    private let state = Mutex(State())
    private let generator: Mutex<SeededGenerator>
    private let hasFaults: Bool

    init(seed: UInt64, time: ManualTicker, hasFaults: Bool) throws {
        self.time = time
        self.hasFaults = hasFaults
        server = FakeRedis(ticker: time, seed: seed &+ 1)
        generator = Mutex(SeededGenerator(seed: seed &+ 2))
        var small = SeededGenerator(seed: seed &+ 3)
        let configuration = RedisStore.Configuration(
            tombstoneLifetime: .seconds(300),
            changeLogCapacity: [4, 64].randomElement(using: &small) ?? 64,
            versionCapacity: [2, 64].randomElement(using: &small) ?? 64,
            generationCapacity: [2, 64].randomElement(using: &small) ?? 64
        )
        stores = try (0..<3).map { [server] _ in try server.makeStore(configuration, clock: time) }
        memories = stores.map { _ in Memory() }
        for (store, memory) in zip(stores, memories) {
            let watch = store.watch { [weak memory] in memory?.drop($0) }
            memory.state.withLock { $0.watch = watch }
        }
    }

    var counts: (operations: Int, published: Int, hits: Int) { state.withLock { ($0.operationCount, $0.published, $0.hits) } }

    private func random(_ count: Int) -> Int { generator.withLock { Int.random(in: 0..<count, using: &$0) } }

    private func pause() async { for _ in 0..<random(4) { await Task.yield() } }

    /// One process's operations.
    func run(worker: Int, operationCount: Int) async throws {
        for _ in 0..<operationCount {
            state.withLock { $0.operationCount += 1 }
            do {
                try await operate(stores[worker], memories[worker])
            } catch let error as StoreError {
                // A failed change is not acknowledged.
                guard hasFaults, error.code == .unavailable else { throw Failure(description: "A store threw “\(error)”.") }
                await pause()
            }
            await pause()
        }
    }

    private func operate(_ store: RedisStore, _ memory: Memory) async throws {
        let number = random(Self.keyCount)
        switch random(hasFaults ? 25 : 22) {
        case 0..<6: try await read(number, store, memory)
        case 6..<8: try await readAll(store)
        case 8..<13: try await load(number, store, memory)
        case 13..<15: try await write(number, store, memory)
        case 15: try await change([number], memory) { try await store.removeRecord(forKey: Self.key(number)) }
        case 16:
            let tag = ["odd 0", "odd 1", "tag \(number)"][random(3)]
            try await change((0..<Self.keyCount).filter { Self.tags($0).contains(tag) }, memory) { try await store.removeRecords(taggedWith: [tag]) }
        case 17: try await change([0, 1], memory) { try await store.removePartition("partition") }
        case 18: if random(3) == 0 { try await change(Array(0..<Self.keyCount), memory) { try await store.removeAll() } }
        case 19: try await mark([number], memory) { try await store.markRecordStale(forKey: Self.key(number), at: $0) }
        case 20:
            try await mark((0..<Self.keyCount).filter { Self.tags($0).contains("odd 1") }, memory) {
                try await store.markRecordsStale(taggedWith: ["odd 1"], at: $0)
            }
        case 21: if random(3) == 0 { try await mark(Array(0..<Self.keyCount), memory) { try await store.markAllRecordsStale(at: $0) } }
        case 22:
            let chosen = random(3)
            server.evict { [self] key in chosen == 0 ? random(2) == 0 : key.contains(UInt8(ascii: chosen == 1 ? "o" : "k")) && random(3) == 0 }
        case 23: time.advance(by: .seconds(random(30)))
        default:
            switch random(6) {
            case 0: server.flush()
            case 1: server.restart()
            case 2: server.restart(keepingValues: true)
            default: break
            }
        }
    }

    // MARK: Reading

    private func expectation(_ number: Int) -> (removedBefore: Int, staleBefore: [(version: Int, date: Date)]) {
        state.withLock { ($0.sources[number].removedBefore, $0.sources[number].staleBefore) }
    }

    private func check(
        _ record: Record?,
        _ number: Int,
        _ expected: (removedBefore: Int, staleBefore: [(version: Int, date: Date)]),
        _ what: String
    ) throws -> Int? {
        guard let record else { return nil }
        guard let version = Int(String(decoding: record.payload, as: UTF8.self)) else { throw Failure(description: "\(what) has found a mixture.") }
        state.withLock { $0.hits += 1 }
        guard version >= expected.removedBefore else {
            throw Failure(
                description: "\(what) has found version \(version) of key \(number), of which version \(expected.removedBefore) was acknowledged."
            )
        }
        for mark in expected.staleBefore where version < mark.version && record.freshUntil.map({ $0 > mark.date }) ?? true {
            throw Failure(
                description: "\(what) has found version \(version) of key \(number) to be fresh, which was marked at version \(mark.version)."
            )
        }
        return version
    }

    private func read(_ number: Int, _ store: RedisStore, _ memory: Memory) async throws {
        let (expected, epoch) = (expectation(number), memory.epoch(Self.key(number)))
        let version = try check(try await store.record(forKey: Self.key(number)), number, expected, "A reading")
        memory.write(version, Self.key(number), ifEpoch: epoch)
    }

    private func readAll(_ store: RedisStore) async throws {
        let expected = (0..<Self.keyCount).map { expectation($0) }
        let records = try await store.records(forKeys: (0..<Self.keyCount).map { Self.key($0) })
        for number in 0..<Self.keyCount { _ = try check(records[Self.key(number)], number, expected[number], "A reading of several") }
    }

    // MARK: Writing

    private func record(_ version: Int, _ number: Int) -> Record {
        let freshUntil = version % 3 == 0 ? nil : time.now() + 1_000
        return Record(
            payload: Data("\(version)".utf8),
            created: time.now(),
            freshUntil: freshUntil,
            tags: Self.tags(number),
            partition: Self.partition(number)
        )
    }

    private func load(_ number: Int, _ store: RedisStore, _ memory: Memory) async throws {
        // As a cache does: it looks first, and then it loads.
        if random(3) > 0 { try await read(number, store, memory) }
        await pause()
        let (position, epoch) = (store.position, memory.epoch(Self.key(number)))
        await pause()
        let version = state.withLock { $0.sources[number].version }
        await pause()
        let isWritten: Bool
        if random(4) == 0 {
            isWritten = try await store.insert([Self.key(number): record(version, number)], ifUnchangedSince: position).isEmpty
        } else {
            isWritten = try await store.insert(record(version, number), forKey: Self.key(number), ifUnchangedSince: position)
        }
        if isWritten {
            state.withLock { $0.published += 1 }
            memory.write(version, Self.key(number), ifEpoch: epoch)
        }
    }

    /// No other task changes the source meanwhile: of two that write one key at once, either may be last.
    private func write(_ number: Int, _ store: RedisStore, _ memory: Memory) async throws {
        let version: Int? = state.withLock { state in
            guard !state.sources[number].isBeingWritten, state.sources[number].changeCount == 0 else { return nil }
            state.sources[number].isBeingWritten = true
            state.sources[number].version += 1
            return state.sources[number].version
        }
        guard let version else { return }
        defer { state.withLock { $0.sources[number].isBeingWritten = false } }
        // A reading of the older version may end after the writing has begun.
        memory.drop(.init(key: Self.key(number)))
        defer { memory.drop(.init(key: Self.key(number))) }
        try await store.insert(record(version, number), forKey: Self.key(number))
        acknowledgeRemoval([number], [number: version])
    }

    private func begin(_ numbers: [Int]) -> [Int: Int]? {
        state.withLock { state in
            guard numbers.allSatisfy({ !state.sources[$0].isBeingWritten }) else { return nil }
            var versions: [Int: Int] = [:]
            for number in numbers {
                state.sources[number].version += 1
                state.sources[number].changeCount += 1
                versions[number] = state.sources[number].version
            }
            return versions
        }
    }

    private func end(_ numbers: [Int]) { state.withLock { state in for number in numbers { state.sources[number].changeCount -= 1 } } }

    private func acknowledgeRemoval(_ numbers: [Int], _ versions: [Int: Int]) {
        state.withLock { state in
            for number in numbers { state.sources[number].removedBefore = max(state.sources[number].removedBefore, versions[number] ?? 0) }
        }
    }

    private func change(_ numbers: [Int], _ memory: Memory, _ remove: () async throws -> Void) async throws {
        guard let versions = begin(numbers) else { return }
        defer { end(numbers) }
        // A cache fences its own loads, before and after.
        for number in numbers { memory.drop(.init(key: Self.key(number))) }
        defer { for number in numbers { memory.drop(.init(key: Self.key(number))) } }
        try await remove()
        acknowledgeRemoval(numbers, versions)
    }

    private func mark(_ numbers: [Int], _ memory: Memory, _ mark: (Date) async throws -> Void) async throws {
        guard let versions = begin(numbers) else { return }
        defer { end(numbers) }
        for number in numbers { memory.drop(.init(key: Self.key(number))) }
        defer { for number in numbers { memory.drop(.init(key: Self.key(number))) } }
        let date = time.now()
        try await mark(date)
        state.withLock { state in for number in numbers { state.sources[number].staleBefore.append((versions[number] ?? 0, date)) } }
    }

    // MARK: The end

    /// Checks that after all notices no memory has a removed value.
    func checkMemories() async throws {
        for (store, memory) in zip(stores, memories) {
            // Messages sent before a reply have been handled when it comes; twice, because a reply may overtake the news of its own turn.
            for _ in 0..<2 {
                for attempt in 0... {
                    do {
                        _ = try await store.record(forKey: "none")
                        break
                    } catch {
                        if attempt > 1_000 { throw error }
                        await Task.yield()
                    }
                }
            }
            for number in 0..<Self.keyCount {
                guard let version = memory.state.withLock({ $0.versions[Self.key(number)] }) else { continue }
                let removedBefore = expectation(number).removedBefore
                guard version >= removedBefore else {
                    throw Failure(
                        description: "A memory has version \(version) of key \(number), of which version \(removedBefore) was acknowledged."
                    )
                }
            }
        }
    }
}
