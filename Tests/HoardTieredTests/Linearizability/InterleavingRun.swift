// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

@testable import Hoard

/// One run of a ``TieredCacheProgram``: a few tasks on tiered caches over one stack of two faulty stores. The tasks
/// run in an order that the program's seed decides, or on the system's threads.
struct InterleavingRun: Sendable {
    /// The spellings of the keys: each row is one key.
    private static let spellings: [[String]] = [["a"], ["b"], ["c"], ["caf\u{E9}", "cafe\u{301}"], ["\u{212B}", "\u{C5}", "A\u{30A}"]]

    let program: TieredCacheProgram
    let keys: [String]
    let time = ManualTicker()
    let stores: [FaultyStore]
    /// One cache, or several that share the stores, and the log of each.
    let caches: [TieredCache<String, Int>]
    let logs: [InterleavingLog]
    /// The number of the cache on which the steps act.
    private(set) var number = 0
    /// Whether a seeded executor runs the program, and moves time when every task waits for that.
    let isSeeded: Bool
    /// The gate at which unanswered calls of the stores wait.
    let healing = Gate()
    /// Tasks that steps have left behind.
    let left = Shared<[Task<Void, Never>]>([])

    var cache: TieredCache<String, Int> { caches[number] }
    var log: InterleavingLog { logs[number] }

    /// - Parameters:
    ///   - isTraced: Whether violations include the calls of the stores.
    ///   - isSeeded: `false` for a run on the system's threads. No store waits then, and the steps move time.
    init(_ program: TieredCacheProgram, isTraced: Bool = false, isSeeded: Bool = true) {
        self.program = program
        self.isSeeded = isSeeded
        var generator = SeededGenerator(seed: program.seed)
        let keys = Self.spellings.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)).map { $0[0] }
        self.keys = keys
        let (time, moments) = (time, Counter())
        let configuration = Self.stackConfiguration(using: &generator)
        let names = Self.cacheNames(using: &generator)
        logs = names.indices.map { InterleavingLog(keys: keys, number: $0, moments: moments, isTraced: isTraced) }
        // Some stores answer on the caller's thread, as a disk does, and some call back, as a server does.
        stores = ["upper", "lower"].map { name in
            let callsBack = program.seed % 3 == 0 || name == "lower" && program.seed % 3 == 1
            let answersAtOnce = Bool.random(using: &generator)
            return FaultyStore(MemoryStore(name: name, clock: time), answersAtOnce: answersAtOnce, callsBack: callsBack, ticker: time)
        }
        for store in stores {
            var rates = Self.rates(using: &generator)
            // Without a deadline, a caller would wait for ever for a call that never answers.
            if configuration.deadline == nil { rates.never = 0 }
            if !isSeeded { (rates.delayBefore, rates.delayAfterwards, rates.never) = (0, 0, 0) }
            let script = FaultyStore.seededScript(seed: generator.next(), rates: rates, until: healing)
            store.setScript { [log = logs[0], name = store.name] call in
                let behavior = script(call)
                log.trace(call, behavior, store: name, at: time.nanoseconds())
                return behavior
            }
        }
        let stack = StoreStack(stores, configuration: configuration, ticker: time)
        caches = names.map { Self.cache(named: $0, over: stack, isAlone: names.count == 1, time: time, using: &generator) }
    }

    /// Rates from stores that never fail to stores that hardly work, with delays on both sides of the deadline.
    private static func rates(using generator: inout SeededGenerator) -> FaultyStore.FaultRates {
        func rate(_ rates: Double...) -> Double { rates.randomElement(using: &generator) ?? 0 }
        return .init(
            errorBefore: rate(0, 0, 0.05, 0.3),
            errorAfterwards: rate(0, 0, 0.05, 0.3),
            partial: rate(0, 0.2),
            delayBefore: rate(0, 0.3, 0.8),
            delayAfterwards: rate(0, 0.3, 0.8),
            delays: .milliseconds(1) ... .seconds(Bool.random(using: &generator) ? 1 : 3),
            outages: rate(0, 0, 0.2),
            never: rate(0, 0, 0.02, 0.1)
        )
    }

    /// Runs the program, and returns its violations.
    func violations() async -> [String] {
        do {
            try await SeededExecutor(seed: program.seed, time: time).run { try await perform() }
        } catch {
            return ["\(error)"]
        }
        return complaints
    }

    /// The violations of a run that is over.
    var complaints: [String] {
        logs.indices.flatMap { number in logs[number].violations().map { "the cache \(caches[number].name ?? "without a name"): \($0)" } }
    }

    var events: [String] { logs.flatMap(\.events) }

    /// Performs the steps, waits until everything has come to rest, and checks the state that is left.
    func perform() async throws {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<TieredCacheProgram.taskCount {
                group.addTask {
                    for step in program.steps where step.task == task {
                        var generator = SeededGenerator(seed: step.seed)
                        let run = selecting(Int.random(in: caches.indices, using: &generator))
                        await run.pause(using: &generator)
                        await run.perform(step.action, using: &generator)
                    }
                }
            }
        }
        try await lookAtRest()
    }

    /// This run as the steps of each cache see it.
    var all: [Self] { caches.indices.map { selecting($0) } }

    private func selecting(_ number: Int) -> Self {
        var run = self
        run.number = number
        return run
    }

    /// One of the spellings of a key.
    func respelt(_ key: String, using generator: inout SeededGenerator) -> String {
        Self.spellings.first { $0.contains(key) }?.randomElement(using: &generator) ?? key
    }

    /// Lets the other tasks go on, and lets some time pass in half of the cases.
    func pause(using generator: inout SeededGenerator) async {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: break
        case 1: await Task.yield()
        default: await sleep(for: .milliseconds(Int.random(in: 1...1_500, using: &generator)))
        }
    }

    /// Lets time pass. On the system's threads nothing else would move it.
    func sleep(for duration: Duration) async {
        if isSeeded {
            try? await time.sleep(for: duration)
        } else {
            time.advance(by: duration)
            for _ in 0..<4 { await Task.yield() }
        }
    }

    /// Starts work that goes on when its step has ended.
    func leave(_ work: @escaping @Sendable (Self) async -> Void) {
        let task = SeededExecutor.task { await work(self) }
        left.update { $0.append(task) }
    }
}
