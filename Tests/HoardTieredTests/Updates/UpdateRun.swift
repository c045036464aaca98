// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

/// A run of an ``UpdateProgram``.
///
/// The source has a version for each key, which only grows, and a key has only one change at a time. So an older
/// value is less than a newer one, and an observer must see no value that is less than one that it has seen. At rest,
/// the last state that an observer has seen is the one that a reader finds.
struct UpdateRun: Sendable {
    let program: UpdateProgram
    let time = ManualTicker()
    let keys = ["a", "b"]
    let caches: [TieredCache<String, Int>]
    let connections: [SharedMemoryStore.Connection]
    let facts = Shared(Facts())

    struct Facts: Sendable {
        var source: [String: Int] = [:]
        var isBeingChanged: Set<String> = []
        var areLoadsFailing = false
        /// The last state of each observer.
        var last: [Int: String] = [:]
        var greatest: [Int: Int] = [:]
        /// Observers that have been told to leave.
        var left: Set<Int> = []
        var loads = 0
        var violations: [String] = []
        var events: [String] = []
    }

    private struct Unreachable: Error {}

    /// An observer's place in the program.
    struct Observer: Sendable {
        let number: Int
        let cache: Int
        let key: String
        let hasLoader: Bool
        let pause: Int
    }
    let observers: [Observer]
    let evicts: Bool
    /// Whether values are fresh for a short time only.
    let expires: Bool

    init(_ program: UpdateProgram) {
        self.program = program
        var generator = SeededGenerator(seed: program.seed &* 7 &+ 3)
        let time = time
        expires = Bool.random(using: &generator)
        var policy = CachePolicy(freshFor: expires ? .milliseconds(Int64.random(in: 200...2_000, using: &generator)) : .seconds(100_000))
        if Bool.random(using: &generator) { policy.staleFor = .seconds(1_000) }
        if Bool.random(using: &generator) { policy.staleIfError = .seconds(1_000) }
        if Bool.random(using: &generator) { policy.staleWhileRevalidate = .seconds(1_000) }
        let cacheCount = Int.random(in: 1...2, using: &generator)
        // Two caches bring their writes behind to the store in any order.
        if cacheCount == 1, Bool.random(using: &generator) { policy.storeWriting = .behind }
        let server = SharedMemoryStore(clock: time, ticker: time)
        let hasStore = cacheCount > 1 || Bool.random(using: &generator)
        let connections = (0..<cacheCount).map { _ in server.connect(delivery: .onRequest) }
        self.connections = hasStore ? connections : []
        // An eviction is no change. After it, without a store, an observer would see a value that no reader finds.
        let maximumCount = Int.random(in: 0...3, using: &generator)
        evicts = hasStore
        caches = connections.map { connection in
            TieredCache<String, Int>(
                configuration: .init(maximumCount: !hasStore && maximumCount == 1 ? 2 : maximumCount, policy: policy),
                stores: hasStore ? [connection] : [],
                codec: .json,
                clock: time,
                ticker: time
            )
        }
        var observers: [Observer] = []
        for number in 0..<5 {
            observers.append(
                Observer(
                    number: number,
                    cache: Int.random(in: 0..<cacheCount, using: &generator),
                    key: keys[Int.random(in: 0..<2, using: &generator)],
                    hasLoader: Bool.random(using: &generator),
                    pause: Bool.random(using: &generator) ? 0 : Int.random(in: 1...300, using: &generator)
                )
            )
        }
        self.observers = observers
    }

    func outcome() async -> ProgramOutcome {
        do {
            try await SeededExecutor(seed: program.seed, time: time).run { await perform() }
        } catch {
            facts.update { $0.violations.append("\(error)") }
        }
        return ProgramOutcome(violations: facts.value.violations, events: facts.value.events)
    }

    private func note(_ event: String) { facts.update { $0.events.append(event) } }
    private func complain(_ violation: String) {
        facts.update {
            $0.violations.append(violation)
            $0.events.append("wrong: " + violation)
        }
    }

    private func perform() async {
        await withTaskGroup(of: Void.self) { readers in
            for observer in observers where !observer.hasLoader { readers.addTask { await observe(observer) } }
            await withTaskGroup(of: Void.self) { loaders in
                for observer in observers where observer.hasLoader { loaders.addTask { await observe(observer) } }
                await withTaskGroup(of: Void.self) { group in
                    for task in 0..<UpdateProgram.taskCount {
                        group.addTask {
                            for step in program.steps where step.task == task { await take(step) }
                        }
                    }
                }
                facts.update { $0.areLoadsFailing = false }
                await settle()
                if !expires { await lookAtReaders() }
                // The cache forgets failures with the next change of their keys.
                for key in keys { await change([key]) { _ in await caches[0].markStale(forKey: key) } }
                await settle()
                lookAtLoaders()
                loaders.cancelAll()
            }
            await settle()
            await lookAtReaders()
            readers.cancelAll()
        }
        let loads = facts.value.loads
        for connection in connections { connection.deliverAll() }
        for cache in caches { await cache.markAllStale() }
        try? await time.sleep(for: .seconds(5))
        if facts.value.loads != loads { complain("something was loaded for nobody") }
        if caches.contains(where: { $0.observers.isInUse }) { complain("an observer that has left is still known") }
    }

    // MARK: Observers

    private func observe(_ observer: Observer) async {
        let cache = caches[observer.cache]
        let updates = observer.hasLoader ? cache.updatesIfExists(forKey: observer.key, load: load) : cache.updates(forKey: observer.key)
        for await update in updates {
            if facts.value.left.contains(observer.number) { return }
            let state = Self.name(update)
            note("observer \(observer.number) of \(observer.key) in \(observer.cache) sees \(state)")
            let greatest = facts.value.greatest[observer.number] ?? 0
            if let value = update.value {
                if value < greatest { complain("observer \(observer.number) has seen \(value) after \(greatest)") }
                facts.update { $0.greatest[observer.number] = max(value, greatest) }
            }
            facts.update { $0.last[observer.number] = state }
            if observer.pause > 0 { try? await time.sleep(for: .milliseconds(observer.pause)) }
        }
    }

    private static func name(_ update: CacheUpdate<Int>) -> String {
        let value = update.lookup.map { "\($0.value)\($0.isFresh ? "" : " stale")" } ?? "nothing"
        return value + (update.isLoading ? ", loading" : "") + (update.error == nil ? "" : ", failed")
    }

    @Sendable private func load(_ request: LoadRequest<String, Int>) async throws -> LoadResult<Int> {
        let key = request.key
        let version = facts.update { facts in
            facts.loads += 1
            return facts.source[key] ?? 0
        }
        try await time.sleep(for: .milliseconds(100))
        if facts.value.areLoadsFailing { throw Unreachable() }
        return .value(version, tags: ["t"], partition: "p")
    }

    // MARK: Steps

    private func take(_ step: UpdateProgram.Step) async {
        var generator = SeededGenerator(seed: step.seed)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: await Task.yield()
        default: try? await time.sleep(for: .milliseconds(Int.random(in: 1...400, using: &generator)))
        }
        let number = Int.random(in: 0..<caches.count, using: &generator)
        let (cache, key) = (caches[number], keys[Int.random(in: 0..<2, using: &generator)])
        note("task \(step.task): \(step.action) \(key) in \(number)")
        switch step.action {
        case .insert: await change([key]) { await cache.insert($0[key] ?? 0, forKey: key, tags: ["t"], partition: "p") }
        case .remove: await change([key]) { _ in await cache.removeValue(forKey: key) }
        case .markStale: await change([key]) { _ in await cache.markStale(forKey: key) }
        case .removeTag: await change(keys) { _ in await cache.removeValues(taggedWith: "t") }
        case .markTagStale: await change(keys) { _ in await cache.markStale(taggedWith: "t") }
        case .removePartition: await change(keys) { _ in await cache.removePartition("p") }
        case .removeAll: await change(keys) { _ in await cache.removeAll() }
        case .load: _ = try? await cache.valueIfExists(forKey: key, load: load)
        case .read: _ = await cache.lookup(forKey: key)
        case .evict: if evicts { cache.memory.removeAll() }
        case .deliver: for connection in connections { connection.deliverAll() }
        case .failLoads: facts.update { $0.areLoadsFailing = true }
        case .healLoads: facts.update { $0.areLoadsFailing = false }
        case .leave: facts.update { _ = $0.left.insert(Int.random(in: 0..<10, using: &generator)) }
        }
        note("task \(step.task): has done \(step.action)")
    }

    /// Changes keys at the source and in a cache, unless another task is changing them.
    private func change(_ keys: [String], _ body: ([String: Int]) async -> Void) async {
        let versions = facts.update { facts -> [String: Int]? in
            guard facts.isBeingChanged.isDisjoint(with: keys) else { return nil }
            facts.isBeingChanged.formUnion(keys)
            for key in keys { facts.source[key, default: 0] += 1 }
            return facts.source
        }
        guard let versions else { return }
        await body(versions)
        facts.update { $0.isBeingChanged.subtract(keys) }
    }

    // MARK: Rest

    /// Lets all work end, and delivers the changes to the other caches, whose observers may then load.
    private func settle() async {
        for _ in 0..<3 {
            for cache in caches { await cache.flush() }
            for connection in connections { connection.deliverAll() }
            try? await time.sleep(for: .milliseconds(5_007))
        }
    }

    /// Checks that an observer with a loader has last seen the value that the source has.
    private func lookAtLoaders() {
        for observer in observers where observer.hasLoader && !facts.value.left.contains(observer.number) {
            let last = facts.value.last[observer.number] ?? "no state"
            let source = facts.value.source[observer.key] ?? 0
            // The cache loads values again and again if they expire soon.
            let isRight = expires ? facts.value.greatest[observer.number] ?? 0 == source : last == "\(source)"
            if !isRight { complain("observer \(observer.number) of \(observer.key) has seen “\(last)” last, the source has \(source)") }
        }
    }

    /// Checks that an observer without a loader has last seen the value that a reader finds.
    private func lookAtReaders() async {
        for observer in observers where !observer.hasLoader && !facts.value.left.contains(observer.number) {
            let last = facts.value.last[observer.number] ?? "no state"
            let lookup = await caches[observer.cache].lookup(forKey: observer.key)
            let now = Self.name(CacheUpdate(lookup: lookup))
            // A stale value that is newer than the one in the stores stays, and so does one that was evicted.
            let value = lookup.map { $0.isFresh ? Int.max : $0.value } ?? 0
            let isNewer = last.hasSuffix("stale") && facts.value.greatest[observer.number] ?? 0 >= value
            if now != last, !isNewer {
                complain("observer \(observer.number) of \(observer.key) has seen “\(last)” last, a reader finds “\(now)”")
            }
        }
    }
}
