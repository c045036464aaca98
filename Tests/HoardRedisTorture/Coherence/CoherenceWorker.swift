// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// A process of a campaign: reads and invalidates through a cache of its own, and notes the events that can be judged.
///
/// The numbers that all processes share are, for each key, its current version, which loads return, and the highest
/// version that was acknowledged. A process that invalidates a key counts its version up first. A read is noted only
/// if its version is older than an invalidation that was noted before it began: no other read can break the rule.
final class CoherenceWorker: Sendable {
    let cache: TieredCache<Int, String>
    private let numbers: SharedNumbers
    private let log: CampaignLog
    /// Keys that this process alone writes.
    private let ownKeys: [Int]

    private struct State {
        /// For each key, the newest version for which a call of this process has returned.
        var returned: [Int]
        /// Calls that have returned while the store owed something.
        var owed: [(key: Int, version: Int)] = []
        var readCounts: [CampaignEvent.ReadKind: Int] = [:]
        var notedReads = 0
    }
    private let state = Mutex(State(returned: Array(repeating: 0, count: CampaignKeys.count)))

    init(cache: TieredCache<Int, String>, numbers: SharedNumbers, log: CampaignLog, ownKeys: [Int]) {
        self.cache = cache
        self.numbers = numbers
        self.log = log
        self.ownKeys = ownKeys
    }

    static func makeNumbers(_ path: String) throws -> SharedNumbers { try SharedNumbers(path, count: 2 * CampaignKeys.count) }

    /// Reads and invalidates until `end`.
    func run(_ choices: SeededChoices, taskCount: Int, until end: Int) async {
        await withTaskGroup(of: Void.self) { group in
            var choices = choices
            for _ in 0..<taskCount {
                let own = SeededChoices(seed: choices.next())
                group.addTask { await self.readAndInvalidate(own, until: end) }
            }
            let own = SeededChoices(seed: choices.next())
            group.addTask { await self.write(own, until: end) }
            group.addTask { await self.settle(until: end) }
        }
        noteCounts()
    }

    private func readAndInvalidate(_ choices: SeededChoices, until end: Int) async {
        var choices = choices
        while MonotonicTime.now < end {
            switch choices.number(below: 1_500) {
            case 0: await change(Array(CampaignKeys.loaded)) { await $0.removeAll() }
            case 1: await change(Array(CampaignKeys.loaded)) { await $0.markAllStale() }
            case 2..<6:
                let number = choices.number(below: CampaignKeys.tagCount)
                await change(CampaignKeys.keys(taggedWith: number)) { await $0.removeValues(taggedWith: CampaignKeys.tag(number)) }
            case 6..<9:
                let number = choices.number(below: CampaignKeys.partitionCount)
                await change(CampaignKeys.keys(inPartition: number)) { await $0.removePartition(CampaignKeys.partition(number)) }
            case 9..<11:
                let number = choices.number(below: CampaignKeys.tagCount)
                await change(CampaignKeys.keys(taggedWith: number)) { await $0.markStale(taggedWith: CampaignKeys.tag(number)) }
            case 11..<16:
                let key = choices.number(below: CampaignKeys.loaded.count)
                await change([key]) { await $0.markStale(forKey: key) }
            case 16..<26:
                let key = choices.number(below: CampaignKeys.loaded.count)
                await change([key]) { await $0.removeValue(forKey: key) }
            default:
                await read(choices.number(below: CampaignKeys.count), skipsMemory: choices.number(below: 4) == 0)
            }
            try? await Task.sleep(for: .microseconds(50 + choices.number(below: 500)))
        }
    }

    /// Writes the keys that this process alone writes, one after the other: two writers of a key would have to agree whose value is newer.
    private func write(_ choices: SeededChoices, until end: Int) async {
        var choices = choices
        while MonotonicTime.now < end, let key = ownKeys.randomElement(using: &choices) {
            let isRemoval = choices.number(below: 4) == 0
            await change([key]) { [numbers] cache in
                if isRemoval { return await cache.removeValue(forKey: key) }
                await cache.insert(CampaignKeys.value(key: key, version: numbers[key]), forKey: key)
            }
            try? await Task.sleep(for: .milliseconds(5 + choices.number(below: 30)))
        }
    }

    /// Counts the versions of keys up, invalidates them, and notes that. A key that only one process writes is
    /// not counted up by another process, whatever that process removes.
    private func change(_ keys: [Int], _ invalidate: @Sendable (TieredCache<Int, String>) async -> Void) async {
        let versions = keys.map { (key: $0, version: numbers.add(1, at: $0)) }
        await invalidate(cache)
        state.withLock { state in
            for (key, version) in versions { state.returned[key] = max(state.returned[key], version) }
        }
        let time = MonotonicTime.now
        log.note(versions.map { .returned(key: $0.key, version: $0.version, time: time) })
        if cache.storeHealth.allSatisfy(\.isSound) {
            acknowledge(versions)
        } else {
            state.withLock { $0.owed += versions }
        }
    }

    /// Acknowledges the versions: the store has the changes of these calls, or has nothing any more.
    private func acknowledge(_ versions: [(key: Int, version: Int)]) {
        for (key, version) in versions { numbers.raise(to: version, at: CampaignKeys.count + key) }
        let time = MonotonicTime.now
        log.note(versions.map { .acknowledged(key: $0.key, version: $0.version, time: time) })
    }

    private func read(_ key: Int, skipsMemory: Bool) async {
        let begin = MonotonicTime.now
        let known = max(numbers[CampaignKeys.count + key], state.withLock { $0.returned[key] })
        do {
            let policy = skipsMemory ? cache.policy.with { $0.skipping = .memoryReads } : nil
            let hasLoaded = Flag()
            let lookup = try await cache.lookupIfExists(forKey: key, policy: policy) { [numbers] request in
                hasLoaded.value.store(true, ordering: .relaxed)
                return .value(
                    CampaignKeys.value(key: request.key, version: numbers[request.key]),
                    tags: Set(CampaignKeys.tagNumber(of: request.key).map { [CampaignKeys.tag($0)] } ?? []),
                    partition: CampaignKeys.partitionNumber(of: request.key).map { CampaignKeys.partition($0) }
                )
            }
            guard let lookup, let version = CampaignKeys.version(in: lookup.value, key: key) else {
                return log.note(.wrong("key \(key) has a value that nobody gave it"))
            }
            // A load that another task began earlier has found the version that was current then, as memory has.
            let isOthers = lookup.isCoalesced || lookup.tier == .loader && !hasLoaded.value.load(ordering: .relaxed)
            let kind: CampaignEvent.ReadKind = lookup.tier == .memory || isOthers ? .near : .direct
            let isNoted = state.withLock { state in
                state.readCounts[kind, default: 0] += 1
                if version < known { state.notedReads += 1 }
                return version < known && state.notedReads < 200_000
            }
            guard isNoted else { return }
            let detail =
                "from \(lookup.tier) after \(MonotonicTime.now - begin) ns\(skipsMemory ? ", memory skipped" : "")\(isOthers ? ", joined" : "")"
            log.note(.read(key: key, version: version, time: begin, kind, detail: detail))
        } catch {
            log.note(.wrong("a read failed: \(error)"))
        }
    }

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    /// Notes the changes that reached the store after their calls returned.
    private func settle(until end: Int) async {
        while MonotonicTime.now < end {
            let owed = state.withLock { $0.owed }
            if !owed.isEmpty, cache.storeHealth.allSatisfy(\.isSound) {
                state.withLock { $0.owed.removeFirst(owed.count) }
                acknowledge(owed)
            }
            noteCounts()
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private func noteCounts() {
        let counts = state.withLock { state in
            let counts = state.readCounts
            state.readCounts = [:]
            return counts
        }
        if !counts.isEmpty { log.note(.counted(counts)) }
    }
}
