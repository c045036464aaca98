// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

@testable import Hoard

/// One run of a ``DeadlineProgram`` on a seeded executor.
struct DeadlineRun: Sendable {
    private static let keys = ["a", "b"]

    let program: DeadlineProgram
    let log = InterleavingLog(keys: keys)
    private let time = ManualTicker()
    private let store: FaultyStore
    private let cache: TieredCache<String, Int>

    init(_ program: DeadlineProgram) {
        self.program = program
        store = FaultyStore(MemoryStore(clock: time), ticker: time)
        cache = TieredCache(
            name: program.isNamed ? "cache" : nil,
            configuration: .init(maximumCount: program.hasMemory ? 10 : 0),
            stack: StoreStack([store], configuration: .init(deadline: DeadlineProgram.deadline, failuresToOpen: 2), ticker: time),
            ownsStack: false,
            codec: .json,
            recordKey: { RecordKey(canonical: $0) },
            keyOfRecord: nil,
            clock: time,
            ticker: time,
            observer: nil,
            onEvent: { _ in }
        )
    }

    /// The number of times that the cache gave up waiting for the store.
    var timeouts: Int { cache.storeHealth.reduce(0) { $0 + $1.timeouts } }

    /// Runs the program to its end.
    ///
    /// - Returns: Whether the run reached the job before which time jumps.
    func perform() async -> Bool {
        let hasJumped = Shared(false)
        let executor = SeededExecutor(seed: program.seed, time: time) { [program, time] number in
            guard number == program.job else { return }
            hasJumped.update { $0 = true }
            time.advance(by: program.jump)
        }
        do {
            try await executor.run { await performSteps() }
        } catch {
            log.complain("\(error)")
        }
        return hasJumped.value
    }

    private func performSteps() async {
        beSlow()
        await write(Self.keys)
        switch program.setting {
        case .nothingElse:
            async let meanwhile: Void = read("a", "meanwhile")
            await change()
            await meanwhile
        case .anotherWrite:
            async let other: Void = write(["a"])
            async let meanwhile: Void = read("a", "meanwhile")
            await change()
            _ = await (other, meanwhile)
        case .outage:
            store.fail()
            await change()
            beSlow()
            async let meanwhile: Void = read("a", "meanwhile")
            // The store makes good the change by then.
            await sleep(for: .milliseconds(2_100))
            await write(["b"])
            await meanwhile
        }
        for key in Self.keys { await read(key, "afterwards") }
        await comeToRest()
    }

    private func beSlow() { store.setScript { [slowness = program.slowness] _ in slowness } }

    private func sleep(for duration: Duration) async {
        try? await time.sleep(for: duration)
    }

    private func change() async {
        let keys = Self.keys
        switch program.change {
        case .write: await write(["a"])
        case .writeBehind: await write(["a"], policy: cache.policy.with { $0.storeWriting = .behind })
        case .writeOfSeveral: await write(keys)
        case .removal: await remove(["a"]) { await cache.removeValue(forKey: "a") }
        case .removalOfSeveral: await remove(keys) { await cache.removeValues(forKeys: keys) }
        case .removalByTag: await remove(keys) { await cache.removeValues(taggedWith: "tag") }
        case .removalOfPartition: await remove(keys) { await cache.removePartition("partition") }
        case .removalOfEverything: await remove(keys) { await cache.removeAll() }
        case .mark: await remove(["a"], scope: .fresh) { await cache.markStale(forKey: "a") }
        case .markByTag: await remove(keys, scope: .fresh) { await cache.markStale(taggedWith: "tag") }
        case .markOfEverything: await remove(keys, scope: .fresh) { await cache.markAllStale() }
        }
    }

    private func write(_ keys: [String], policy: CachePolicy? = nil) async {
        let (version, begun) = log.moveSourceOn(keys)
        let values = Dictionary(uniqueKeysWithValues: keys.map { ($0, version) })
        await cache.insert(contentsOf: values, policy: policy, tags: ["tag"], partition: "partition")
        // A write behind is done when the store has the value.
        await cache.flush()
        log.add(.write(version), keys, from: begun, "write")
    }

    private func remove(_ keys: [String], scope: InterleavingLog.Scope = .both, _ body: () async -> Void) async {
        let (_, begun) = log.moveSourceOn(keys)
        await body()
        log.add(.remove { _ in true }, keys, from: begun, scope: scope, "\(program.change)")
    }

    private func read(_ key: String, _ when: String) async {
        let begun = log.now()
        if let found = await cache.lookup(forKey: key) { log.found(found, key, from: begun, when) }
    }

    /// Lets the store work and time pass, and then checks the state that is left.
    private func comeToRest() async {
        store.heal()
        await sleep(for: .seconds(200))
        for tier in cache.tiers {
            // The next caller closes an open circuit that has missed nothing. If time jumps just
            // then, the caller after that closes it.
            for _ in 0..<2 where !tier.health.isSound {
                _ = await tier.record(forKey: "no such key")
                await sleep(for: .seconds(100))
            }
            if !tier.health.isSound || tier.changeCount > 0 { log.complain("not at rest in the end: \(tier.health), \(tier.changeCount) changes") }
        }
        for key in Self.keys {
            let begun = log.now()
            if let name = cache.naming.recordKey(for: key), let record = try? await store.record(forKey: name),
                let value = try? JSONDecoder().decode(Int.self, from: record.payload)
            {
                log.add(.read(value), [key], from: begun, scope: record.isFresh(at: time.now()) ? .both : .kept, "the store in the end")
            }
            cache.memory.removeAll()
            await read(key, "in the end")
        }
    }
}
