// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

@testable import Hoard

/// One run of a ``TieredCacheProgram``: a few tasks on a tiered cache over two faulty stores, in an order that the program's seed decides.
struct InterleavingRun: Sendable {
    /// What the keys are spelt as: each row is one key.
    private static let spellings: [[String]] = [["a"], ["b"], ["c"], ["caf\u{E9}", "cafe\u{301}"], ["\u{212B}", "\u{C5}", "A\u{30A}"]]

    let program: TieredCacheProgram
    let keys: [String]
    let log: InterleavingLog
    let time = ManualTicker()
    let stores: [FaultyStore]
    let cache: TieredCache<String, Int>
    /// Tasks that steps have left behind.
    private let left = Shared<[Task<Void, Never>]>([])

    /// - Parameter isTraced: Whether violations tell what the stores were asked.
    init(_ program: TieredCacheProgram, isTraced: Bool = false) {
        self.program = program
        var generator = SeededGenerator(seed: program.seed)
        keys = Self.spellings.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)).map { $0[0] }
        log = InterleavingLog(keys: keys, isTraced: isTraced)
        let time = time
        stores = ["upper", "lower"].map { FaultyStore(MemoryStore(name: $0, clock: time), ticker: time) }
        for store in stores {
            let script = FaultyStore.seededScript(seed: generator.next(), rates: Self.rates(using: &generator))
            store.setScript { [log, name = store.name] call in
                let behavior = script(call)
                log.trace(call, behavior, store: name, at: time.nanoseconds())
                return behavior
            }
        }
        cache = Self.cache(stores: stores, time: time, using: &generator)
    }

    /// From stores that never fail to stores that hardly work; delays on both sides of their deadline.
    private static func rates(using generator: inout SeededGenerator) -> FaultyStore.FaultRates {
        func rate(_ rates: Double...) -> Double { rates.randomElement(using: &generator) ?? 0 }
        return .init(
            errorBefore: rate(0, 0, 0.05, 0.3),
            errorAfterwards: rate(0, 0, 0.05, 0.3),
            partial: rate(0, 0.2),
            delayBefore: rate(0, 0.3, 0.8),
            delayAfterwards: rate(0, 0.3, 0.8),
            delays: .milliseconds(1) ... .seconds(Bool.random(using: &generator) ? 1 : 3),
            outages: rate(0, 0, 0.2)
        )
    }

    /// Runs the program, and returns what was wrong.
    func violations() async -> [String] {
        do {
            try await SeededExecutor(seed: program.seed, time: time).run { await runProgram() }
        } catch {
            return ["\(error)"]
        }
        return log.violations()
    }

    private func runProgram() async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<TieredCacheProgram.taskCount {
                group.addTask {
                    for step in program.steps where step.task == task {
                        var generator = SeededGenerator(seed: step.seed)
                        await pause(using: &generator)
                        await perform(step.action, using: &generator)
                    }
                }
            }
        }
        await lookAtRest()
    }

    /// One of the spellings of a key.
    func respelt(_ key: String, using generator: inout SeededGenerator) -> String {
        Self.spellings.first { $0.contains(key) }?.randomElement(using: &generator) ?? key
    }

    /// Lets the others go on, and half of the time some time pass.
    func pause(using generator: inout SeededGenerator) async {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: await Task.yield()
        default: await sleep(for: .milliseconds(Int.random(in: 1...1_500, using: &generator)))
        }
    }

    func sleep(for duration: Duration) async {
        try? await time.sleep(until: time.nanoseconds() + duration.saturatingNanoseconds)
    }

    /// Does something when its step has ended.
    func leave(_ work: @escaping @Sendable (Self) async -> Void) {
        let task = SeededExecutor.task { await work(self) }
        left.update { $0.append(task) }
    }

    /// When nothing is under way any more and the stores work again, looks into every tier.
    private func lookAtRest() async {
        await cache.flush()
        for task in left.value { await task.value }
        // What its callers have left goes on, and publishes what it loads.
        while cache.loads.flightCount + cache.storeReads.flightCount + cache.coldStarts.flightCount > 0 { await sleep(for: .seconds(1)) }
        await cache.flush()
        await sleep(for: .seconds(5))
        await look("at rest") { key, number in
            guard let name = cache.naming.recordKey(for: key) else { return nil }
            return if case .record(let record) = await cache.tiers[number].record(forKey: name) { record } else { nil }
        }
        for store in stores { store.heal() }
        await sleep(for: .seconds(200))
        for health in cache.storeHealth where health.pendingInvalidations > 0 || health.isInvalid || health.overdueCalls > 0 {
            log.complain("not made good after 200 seconds: \(health)")
        }
        // What the stores have missed has been made good by now, so they may be looked into directly.
        await look("in the end") { key, number in
            guard let name = cache.naming.recordKey(for: key) else { return nil }
            return try? await stores[number].record(forKey: name)
        }
        for key in keys {
            cache.memory.removeAll()
            let begun = log.now()
            if let found = await cache.lookup(forKey: key) { log.found(found, key, from: begun, "read in the end") }
        }
    }

    private func look(_ when: String, record: (_ key: String, _ store: Int) async -> Record?) async {
        for key in keys {
            let begun = log.now()
            if let found = cache.memoryLookup(forKey: key) { log.found(found, key, from: begun, when) }
            for number in stores.indices {
                let begun = log.now()
                guard let record = await record(key, number), !record.isNegative,
                    let value = try? JSONDecoder().decode(Int.self, from: record.payload)
                else { continue }
                log.add(.read(value), [key], from: begun, scope: record.isFresh(at: time.now()) ? .both : .kept, "\(stores[number].name) \(when)")
            }
        }
    }
}
