// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Hoard
@testable import HoardTesting

/// A random program of a few tasks on three caches. The caches share a store and hear late of each other's
/// changes. One seed decides everything.
///
/// The source has a version for each key, which only grows. A change makes the version greater, and then
/// writes or removes the stored value.
struct CoherenceRun: Sendable {
    static let cacheCount = 3
    static let taskCount = 5
    static let stepCount = 12

    let seed: UInt64
    let keys: [String]
    let time = ManualTicker()
    let server: SharedMemoryStore
    let connections: [SharedMemoryStore.Connection]
    let audit: SharedMemoryStore.Connection
    let caches: [TieredCache<String, Int>]
    let facts: Shared<Facts>

    /// The known versions.
    struct Facts: Sendable {
        var source: [String: Int] = [:]
        /// The versions whose changes have ended and are not pending in a store that could not be reached.
        var completed: [String: Int] = [:]
        /// For each cache, the versions of the changes that it has heard of or made itself.
        var known: [[String: Int]] = Array(repeating: [:], count: CoherenceRun.cacheCount)
        /// Keys that are being changed.
        var isBeingChanged: Set<String> = []
        var isConnected = Array(repeating: true, count: CoherenceRun.cacheCount)
        /// The number of times that each connection has been lost.
        var disconnections = Array(repeating: 0, count: CoherenceRun.cacheCount)
        var violations: [String] = []
        var history: [String] = []

        mutating func hear(_ versions: [String: Int], cache: Int) {
            known[cache].merge(versions) { max($0, $1) }
        }
    }

    /// - Parameter isDefective: Whether the store publishes loads even if another cache has changed the key.
    init(seed: UInt64, isDefective: Bool = false) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        keys = Array(["a", "b", "c"].prefix(Int.random(in: 1...3, using: &generator)))
        let time = time
        let server = SharedMemoryStore(clock: time, ticker: time)
        self.server = server
        connections = (0..<Self.cacheCount).map { _ in server.connect(delivery: .onRequest) }
        audit = server.connect()
        if isDefective { for connection in connections { connection.state.withLock { $0.ignoresChanges = true } } }
        facts = Shared(Facts())
        let isNamed = Bool.random(using: &generator)
        var policy = CachePolicy(freshFor: .seconds(100_000))
        if Int.random(in: 0..<3, using: &generator) == 0 { policy.storeWriting = .behind }
        if Int.random(in: 0..<3, using: &generator) == 0 { policy.loadLease = .init(duration: .seconds(3), maximumWait: .seconds(5)) }
        var caches: [TieredCache<String, Int>] = []
        for connection in connections {
            let hasUpperStore = Int.random(in: 0..<3, using: &generator) == 0
            let stores: [any RecordStore] = hasUpperStore ? [MemoryStore(name: "upper", clock: time), connection] : [connection]
            caches.append(
                TieredCache(
                    name: isNamed ? "cache" : nil,
                    configuration: .init(maximumCount: Int.random(in: 0...3, using: &generator), policy: policy),
                    stack: StoreStack(stores, configuration: .init(failuresToOpen: 2, maximumOpenFor: .seconds(4)), ticker: time),
                    ownsStack: !isNamed,
                    codec: .json,
                    recordKey: { RecordKey($0) },
                    keyOfRecord: { $0.description },
                    clock: time,
                    ticker: time,
                    observer: nil,
                    onEvent: { _ in }
                )
            )
        }
        self.caches = caches
    }

    /// Runs the program, and returns its violations.
    func violations() async -> [String] {
        do {
            try await SeededExecutor(seed: seed, time: time).run { await runProgram() }
        } catch {
            return ["\(error)"]
        }
        return facts.value.violations
    }

    private func runProgram() async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<Self.taskCount {
                group.addTask {
                    var mixer = SeededGenerator(seed: seed &* 31 &+ UInt64(task))
                    var generator = SeededGenerator(seed: mixer.next())
                    for _ in 0..<Self.stepCount {
                        await pause(using: &generator)
                        await step(using: &generator)
                    }
                }
            }
        }
        await lookAtRest()
    }

    private func pause(using generator: inout SeededGenerator) async {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: await Task.yield()
        default: await sleep(.milliseconds(Int.random(in: 1...500, using: &generator)))
        }
    }

    private func sleep(_ duration: Duration) async {
        try? await time.sleep(for: duration)
    }

    // MARK: Steps

    private func step(using generator: inout SeededGenerator) async {
        let cache = Int.random(in: 0..<Self.cacheCount, using: &generator)
        let key = keys.randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<6: await load(key, cache, using: &generator)
        case 6..<8: await read(key, cache)
        case 8: await loadSeveral(cache, using: &generator)
        case 9..<14: await change(key, cache, Int.random(in: 0..<4, using: &generator))
        case 14: await caches[cache].removeAll()
        case 15, 16: hear(cache) { connections[cache].deliverAll() }
        case 17: connections[cache].deliver(atMost: Int.random(in: 1...3, using: &generator))
        case 18: hear(cache) { connections[cache].lose() }
        default: toggle(cache)
        }
        await lookIntoStore(key)
    }

    private func tag(_ key: String) -> Set<String> { ["t\(key)"] }

    private func load(_ key: String, _ cache: Int, using generator: inout SeededGenerator) async {
        let (before, after) = (Int.random(in: 0...300, using: &generator), Int.random(in: 0...300, using: &generator))
        let floor = facts.value.known[cache][key] ?? 0
        let loaded = try? await caches[cache].lookupIfExists(forKey: key) { _ in
            await sleep(.milliseconds(before))
            let version = facts.value.source[key] ?? 0
            await sleep(.milliseconds(after))
            return .value(version, tags: tag(key), partition: key)
        }
        check(loaded?.value, floor, key, cache, "loaded from \(loaded?.tier.description ?? "nowhere")")
    }

    private func loadSeveral(_ cache: Int, using generator: inout SeededGenerator) async {
        let after = Int.random(in: 0...300, using: &generator)
        let floors = facts.value.known[cache]
        let loaded = try? await caches[cache].lookups(forKeys: keys) { requests in
            let source = facts.value.source
            await sleep(.milliseconds(after))
            return Dictionary(uniqueKeysWithValues: requests.map { ($0.key, .value(source[$0.key] ?? 0, tags: tag($0.key), partition: $0.key)) })
        }
        for key in keys { check(loaded?[key]?.value, floors[key] ?? 0, key, cache, "loaded with others") }
    }

    private func read(_ key: String, _ cache: Int) async {
        let floor = facts.value.known[cache][key] ?? 0
        check(await caches[cache].value(forKey: key), floor, key, cache, "read")
    }

    /// Makes one change at a time of each key: of two that write at the same time, either may be the last.
    private func change(_ key: String, _ cache: Int, _ kind: Int) async {
        let begun = facts.update { facts -> (version: Int, disconnections: Int, isConnected: Bool)? in
            guard facts.isBeingChanged.insert(key).inserted else { return nil }
            facts.source[key, default: 0] += 1
            return (facts.source[key] ?? 0, facts.disconnections[cache], facts.isConnected[cache])
        }
        guard let (version, disconnections, wasConnected) = begun else { return }
        note("cache \(cache) begins to change \(key) to \(version) by \(kind)")
        switch kind {
        case 0: await caches[cache].insert(version, forKey: key, tags: tag(key), partition: key)
        case 1: await caches[cache].removeValue(forKey: key)
        case 2: await caches[cache].removeValues(taggedWithAny: tag(key))
        default: await caches[cache].removePartition(key)
        }
        if kind == 0 { await caches[cache].flush() }
        let isPending = caches[cache].storeHealth.contains { $0.pendingInvalidations > 0 || $0.circuit != .closed || $0.isInvalid }
        facts.update { facts in
            facts.isBeingChanged.remove(key)
            facts.hear([key: version], cache: cache)
            // Changes that could not reach the store are made good later, and the store tells of them then.
            if wasConnected, facts.disconnections[cache] == disconnections, !isPending {
                facts.completed[key] = max(version, facts.completed[key] ?? 0)
            }
        }
        note("cache \(cache) has changed \(key) to \(version)")
    }

    private func hear(_ cache: Int, _ body: () -> Void) {
        let completed = facts.value.completed
        body()
        facts.update { $0.hear(completed, cache: cache) }
        note("cache \(cache) has heard")
    }

    private func toggle(_ cache: Int) {
        let isConnected = facts.update { facts in
            facts.isConnected[cache].toggle()
            if !facts.isConnected[cache] { facts.disconnections[cache] += 1 }
            return facts.isConnected[cache]
        }
        hear(cache) { if isConnected { connections[cache].reconnect() } else { connections[cache].disconnect() } }
    }

    // MARK: Checks

    private func lookIntoStore(_ key: String) async {
        let floor = facts.value.completed[key] ?? 0
        guard let name = caches[0].naming.recordKey(for: key), let record = try? await audit.record(forKey: name),
            let version = try? JSONDecoder().decode(Int.self, from: record.payload)
        else { return }
        guard version < floor else { return }
        complain("The store has version \(version) of \(key), which was \(floor) before.")
    }

    private func check(_ version: Int?, _ floor: Int, _ key: String, _ cache: Int, _ how: String) {
        guard let version else { return }
        note("cache \(cache) has \(how) \(key) as \(version)")
        if version < floor { complain("Cache \(cache) has \(how) version \(version) of \(key), and had heard of \(floor).") }
    }

    private func note(_ event: String) {
        facts.update { $0.history.append(event) }
    }

    private func complain(_ violation: String) {
        facts.update { facts in
            facts.violations.append("\(violation)\n  \(facts.history.suffix(30).joined(separator: "\n  "))")
        }
    }

    /// When all caches are connected and have heard of everything, no cache has a value that is
    /// older than the last change.
    private func lookAtRest() async {
        for cache in caches.indices {
            if !facts.value.isConnected[cache] { toggle(cache) }
            await caches[cache].flush()
        }
        await sleep(.seconds(100))
        for (cache, connection) in connections.enumerated() {
            hear(cache) { connection.deliverAll() }
        }
        await sleep(.seconds(100))
        for cache in caches {
            let health = cache.storeHealth
            if health.contains(where: { $0.pendingInvalidations > 0 || $0.isInvalid }) { complain("Not made good after 100 seconds: \(health)") }
        }
        for cache in caches.indices {
            for key in keys {
                check(await caches[cache].value(forKey: key), facts.value.source[key] ?? 0, key, cache, "read in the end")
            }
        }
        for key in keys {
            facts.update { facts in facts.completed[key] = facts.source[key] ?? 0 }
            await lookIntoStore(key)
        }
    }
}
