// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

@testable import Hoard

/// One run of a ``StoreTierProgram``, on a seeded executor or on the system's threads.
final class StoreTierRun: Sendable {
    let ticker = ManualTicker()
    let history = ProgramHistory()

    private let program: StoreTierProgram
    private let model = StoreTierModel()
    private let store: ScriptedStore
    private let tier: StoreTier
    private let gates = Shared<[Gate]>([])
    private let ended = Counter()

    init(_ program: StoreTierProgram) {
        self.program = program
        store = ScriptedStore(answersAtOnce: program.seed % 2 == 0, callsBack: program.seed % 3 == 0, ticker: ticker)
        tier = StoreTier(store: store, configuration: program.configuration, ticker: ticker, observer: nil) { _ in }
        let fates = Shared(SeededGenerator(seed: program.seed ^ 0x5bd1_e995))
        let deadline = program.configuration.deadline ?? .seconds(1)
        store.setScript { [gates, history] call in
            let behavior = fates.update { Self.behavior(gates, deadline: deadline, using: &$0) }
            history.add("the store is asked to \(call)\(Self.fate(behavior))")
            return behavior
        }
    }

    /// A random fate of a call: no fault, an error, a lost answer, or an answer that comes at the deadline, at twice
    /// that time, or when a step brings it.
    private static func behavior(_ gates: Shared<[Gate]>, deadline: Duration, using generator: inout SeededGenerator) -> FaultyStore.Behavior {
        let error = StoreError(.unavailable, "The script says so.")
        let fails = Int.random(in: 0..<3, using: &generator) == 0 ? error : nil
        let isAfterwards = Bool.random(using: &generator)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<2:
            let gate = Gate()
            gates.update { $0.append(gate) }
            return isAfterwards ? .init(gateAfterwards: gate, errorAfterwards: fails) : .init(gate: gate, error: fails)
        case 2:
            return isAfterwards ? .init(errorAfterwards: error) : .fail(error)
        case 3..<6:
            let delay = deadline * [0.3, 0.9, 1, 1.1, 2][Int.random(in: 0..<5, using: &generator)]
            return isAfterwards ? .init(delayAfterwards: delay, errorAfterwards: fails) : .init(delay: delay, error: fails)
        default:
            return .pass
        }
    }

    private static func fate(_ behavior: FaultyStore.Behavior) -> String {
        var words: [String] = []
        if behavior.gate != nil { words.append("waits for a step") }
        if behavior.delay > .zero { words.append("waits \(behavior.delay)") }
        if behavior.error != nil { words.append("fails") }
        if behavior.gateAfterwards != nil { words.append("waits with the answer for a step") }
        if behavior.delayAfterwards > .zero { words.append("waits \(behavior.delayAfterwards) with the answer") }
        if behavior.errorAfterwards != nil { words.append("loses the answer") }
        return words.isEmpty ? "" : ", " + words.joined(separator: ", ")
    }

    /// Performs the steps, and then waits until everything has come to rest.
    func perform() async throws {
        var started = 0
        for step in program.steps {
            switch step.action {
            case .advance(let milliseconds): ticker.advance(by: .milliseconds(milliseconds))
            case .answer(let chosen): gates.update { $0.isEmpty ? nil : $0.remove(at: chosen % $0.count) }?.open()
            default:
                started += 1
                startTask { [self] in
                    await perform(step.action)
                    ended.increment()
                }
            }
            for _ in 0..<step.yields { await Task.yield() }
        }
        try await comeToRest { [started, ended] in ended.value == started }
    }

    /// Lets the store work and time pass until nothing is under way and nothing is missed. That includes
    /// calls whose callers have given up.
    private func comeToRest(_ isDone: () -> Bool) async throws {
        store.heal()
        while !isDone() || !tier.health.isSound || tier.changeCount > 0 || store.inProgressCount > 0 {
            await letTimePass()
            // The next caller closes an open circuit that has missed nothing.
            if isDone() { await read(["a"]) }
            try Task.checkCancellation()
        }
        for (key, record) in store.records { check(record, key, model.returned, "the store at rest") }
        for key in StoreTierProgram.keys { await read([key]) }
        // A task that stays asleep is never freed.
        while ticker.sleeperCount > 0 { await letTimePass() }
    }

    private func letTimePass() async {
        for gate in gates.update({ gates in
            defer { gates = [] }
            return gates
        }) { gate.open() }
        ticker.advance(by: .milliseconds(300))
        for _ in 0..<20 { await Task.yield() }
    }

    private func perform(_ action: StoreTierProgram.Action) async {
        switch action {
        case .read(let keys): await read(keys)
        case .insert(let keys, let tags, let partition): await insert(keys, tags, partition: partition)
        case .remove(let keys): await remove(keys)
        case .markStale(let keys): await tier.markStale(keys.map { .init(key: $0) { .wanted } }, at: Date(timeIntervalSince1970: 1))
        case .removeTagged(let tags): await removeTagged(tags)
        case .removePartition(let partition): await removePartition(partition)
        case .removeAll: await removeAll()
        case .outdateKey(let key): outdate(key)
        case .outdateTag(let tag): outdate(tag: tag)
        case .advance, .answer: break
        }
    }

    private func read(_ keys: [RecordKey]) async {
        let before = model.returned
        history.add("a read of \(keys) begins at \(ticker.nanoseconds())")
        if let key = keys.first, keys.count == 1 {
            guard case .record(let record) = await tier.record(forKey: key) else { return }
            check(record, key, before, "a read")
        } else {
            let found = await tier.records(forKeys: keys).records
            for key in keys { if let record = found[key] { check(record, key, before, "a bulk read") } }
        }
    }

    private func insert(_ keys: [RecordKey], _ tags: Set<String>, partition: String?) async {
        let number = model.nextNumber()
        history.add("\(number) inserts \(keys) \(tags.sorted())")
        let record = Record(
            payload: Data("\(number)".utf8),
            created: Date(timeIntervalSince1970: 0),
            staleUntil: .forever,
            tags: tags,
            partition: partition
        )
        await tier.insert(
            keys.map { key in
                .init(key: key, record: record) { [model, history] in
                    let verdict = model.reach(number, key, tags: tags, partition: partition)
                    history.add("\(number) for \(key) is \(verdict)")
                    return verdict
                }
            }
        )
        returned(number, "insert") { $0.returned(number, keys: keys) }
    }

    private func remove(_ keys: [RecordKey]) async {
        let number = model.nextNumber()
        await tier.remove(
            keys.map { key in .init(key: key) { [model] in model.reach(number, key) == .unwanted ? .unwanted : .wanted } }
        )
        returned(number, "remove") { $0.returned(number, keys: keys) }
    }

    private func removeTagged(_ tags: Set<String>) async {
        let number = model.nextNumber()
        await tier.removeRecords(taggedWith: tags) { [model] in model.reach(number, tags: tags) }
        returned(number, "remove tags") { $0.returned(number, tags: tags) }
    }

    private func removePartition(_ partition: String) async {
        let number = model.nextNumber()
        await tier.removePartition(partition) { [model] in model.reach(number, partition: partition) }
        returned(number, "remove partition") { $0.returned(number, partition: partition) }
    }

    private func removeAll() async {
        let number = model.nextNumber()
        await tier.removeAll { [model] in model.reach(number, everything: true) }
        returned(number, "remove all") { $0.returned(number, everything: true) }
    }

    /// Tells the tier that another process has changed the key in a store below.
    private func outdate(_ key: RecordKey) {
        let number = model.nextNumber()
        // Writes of this process that began before and have not reached the store are older.
        // Their turns tell them so.
        _ = model.reach(number, key)
        tier.outdate(key)
        returned(number, "outdate") { $0.returned(number, keys: [key]) }
    }

    private func outdate(tag: String) {
        let number = model.nextNumber()
        model.reach(number, tags: [tag])
        tier.outdate(.tags([tag]))
        returned(number, "outdate tag") { $0.returned(number, tags: [tag]) }
    }

    private func returned(_ number: Int, _ name: String, _ body: (StoreTierModel) -> Void) {
        history.add("\(number) \(name) has returned at \(ticker.nanoseconds())")
        body(model)
    }

    private func check(_ record: Record, _ key: RecordKey, _ limits: StoreTierModel.Numbers, _ place: String) {
        let number = Int(String(decoding: record.payload, as: UTF8.self)) ?? -1
        history.add("\(place) gave \(number) for \(key)")
        guard let change = limits.change(forbidding: number, key, record.tags, record.partition) else { return }
        history.complain("\(place) gave \(number) for \(key) \(record.tags.sorted()) of \(record.partition ?? "nobody"), though \(change)")
    }
}
