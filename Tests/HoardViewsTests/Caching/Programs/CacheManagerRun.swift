// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import HoardViews
import Synchronization

/// One run of a ``CacheManagerProgram``.
///
/// Every change has a number, in the order in which changes are asked for. On a seeded executor, they are also
/// made in this order. A reference has the number of the change that added it. A call that begins after a change
/// has returned must find nothing older.
final class CacheManagerRun: Sendable {
    let time = ManualTicker()
    let history = ProgramHistory()

    private let program: CacheManagerProgram
    private let store: FaultyStore
    private let disk: DefaultCacheDiskManager
    private let manager: CacheManager
    private let state: Mutex<State>
    /// Whether a seeded executor runs it, and moves time when everything waits for that.
    private let isSeeded: Bool
    /// The gate at which unanswered calls of the store wait.
    private let healing = Gate()

    private struct State: Sendable {
        /// Whether changes are made in the order of their numbers. On the system's threads another may be asked for between a change and its number: those that
        /// were under way at the same time may have been made in any order.
        let isOrdered: Bool
        /// Changes begin and return at moments, which are their numbers.
        var last = 0
        /// When each change has returned.
        var ends: [Int: Int] = [:]
        /// The last changes that have returned.
        var keys: [String: Int] = [:]
        var partitions: [String: Int] = [:]
        var everything = 0
        var sensitive: Set<Int> = []

        func change(forbidding number: Int, _ reference: CacheReference) -> Int? {
            let changes = [keys[reference.identifier], reference.partition.flatMap { partitions[$0] }, everything]
            let limit = isOrdered ? number : ends[number] ?? .max
            return changes.compactMap(\.self).max().flatMap { limit < $0 ? $0 : nil }
        }
    }

    /// - Parameter isSeeded: `false`: for the system's threads. The store does not wait then, and the steps move time.
    init(_ program: CacheManagerProgram, isSeeded: Bool = true) {
        self.program = program
        self.isSeeded = isSeeded
        state = Mutex(State(isOrdered: isSeeded))
        store = FaultyStore(MemoryStore(clock: time), answersAtOnce: program.seed % 4 < 2, callsBack: program.seed % 3 == 0, ticker: time)
        let rates = FaultyStore.FaultRates(
            delayBefore: isSeeded ? 0.2 : 0,
            delayAfterwards: isSeeded ? 0.2 : 0,
            outages: program.seed % 3 == 0 ? 0.2 : 0,
            never: isSeeded && program.seed % 4 == 0 ? 0.05 : 0
        )
        store.setScript(FaultyStore.seededScript(seed: ~program.seed, rates: rates, until: healing))
        disk = DefaultCacheDiskManager(
            store: store,
            protection: .init(deadline: .seconds(1), failuresToOpen: 2, maximumOpenFor: .seconds(8), maximumJournalCount: 3),
            clock: time,
            ticker: time
        )
        manager = CacheManager(
            configuration: .init(memoryMaximumCapacity: program.memoryCapacity, diskMaximumCapacity: program.diskCapacity),
            disk: disk,
            clock: time
        )
    }

    func perform() async throws {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<CacheManagerProgram.taskCount {
                group.addTask { [self] in
                    for step in program.steps where step.task == task {
                        await perform(step.action)
                        for _ in 0..<step.yields { await Task.yield() }
                    }
                }
            }
        }
        await manager.saveChanges()
        store.heal()
        healing.open()
        await sleep(for: .seconds(200))
        for number in 0..<3 { await get("/\(number)") }
        await sleep(for: .seconds(200))
        // A circuit that is open, and has missed nothing, is closed by the next caller.
        _ = await disk.getReference(for: "/none")
        // On the system's threads, passed time does not mean that work has been done in it.
        while !isSeeded, !disk.health.isSound {
            try Task.checkCancellation()
            await sleep(for: .seconds(1))
            _ = await disk.getReference(for: "/none")
        }
        if !disk.health.isSound { history.complain("not made good after 400 seconds: \(disk.health)") }
        for number in 0..<3 { await lookOnDisk("/\(number)") }
    }

    /// Lets time pass. On the system's threads nothing else would move it.
    private func sleep(for duration: Duration) async {
        if isSeeded {
            try? await time.sleep(for: duration)
        } else {
            time.advance(by: duration)
            for _ in 0..<4 { await Task.yield() }
        }
    }

    private func perform(_ action: CacheManagerProgram.Action) async {
        switch action {
        case .add(let identifier, let partition, let isSensitive):
            await change("adds \(identifier) to \(partition ?? "no partition")\(isSensitive ? ", sensitive" : "")") { number in
                let reference = CacheReference(
                    identifier: identifier,
                    data: Data("\(number)".utf8),
                    hash: "\(number)",
                    maxAge: 60,
                    timeOfCreation: time.now(),
                    partition: partition,
                    isSensitive: isSensitive
                )
                if isSensitive { state.withLock { _ = $0.sensitive.insert(number) } }
                await manager.addToCache(reference)
            } returned: {
                $0.keys[identifier] = max($0.keys[identifier] ?? 0, $1)
            }
        case .remove(let identifier):
            await change("removes \(identifier)") { _ in
                await manager.removeReference(identifiedBy: identifier)
            } returned: {
                $0.keys[identifier] = max($0.keys[identifier] ?? 0, $1)
            }
        case .removePartition(let partition):
            await change("removes the partition \(partition)") { _ in
                await manager.removePartition(partition)
            } returned: {
                $0.partitions[partition] = max($0.partitions[partition] ?? 0, $1)
            }
        case .clear:
            await change("removes everything") { _ in
                await manager.clear()
            } returned: {
                $0.everything = max($0.everything, $1)
            }
        case .get(let identifier): await get(identifier)
        case .save: await manager.saveChanges()
        case .wait(let milliseconds): await sleep(for: .milliseconds(milliseconds))
        }
    }

    private func change(_ name: String, _ body: (Int) async -> Void, returned: (inout State, Int) -> Void) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        history.add("\(number) \(name)")
        await body(number)
        state.withLock { state in
            returned(&state, number)
            state.last += 1
            state.ends[number] = state.last
        }
        history.add("\(number) has returned")
    }

    private func get(_ identifier: String) async {
        let before = state.withLock { $0 }
        guard let found = await manager.getReference(identifiedBy: identifier) else { return history.add("nothing for \(identifier)") }
        history.add("\(found.hash) for \(identifier)")
        check(found, identifier, before, "a read")
    }

    /// Looks at the disk when the store works again, with a manager that knows of nothing else.
    private func lookOnDisk(_ identifier: String) async {
        let before = state.withLock { $0 }
        let disk = DefaultCacheDiskManager(store: store, clock: time, ticker: time)
        guard let found = await disk.getReference(for: identifier) else { return }
        check(found, identifier, before, "the disk at rest")
        if Int(found.hash).map(before.sensitive.contains) ?? true {
            history.complain("The disk has \(found.hash) for \(identifier), which is sensitive.")
        }
    }

    private func check(_ found: CacheReference, _ identifier: String, _ before: State, _ who: String) {
        guard let number = Int(found.hash), found.identifier == identifier, found.data == Data("\(number)".utf8) else {
            return history.complain("\(who) asked for \(identifier) and got \(found)")
        }
        if let change = before.change(forbidding: number, found) {
            history.complain("\(who) gave \(number) for \(identifier), though \(change) had been made before")
        }
    }
}
