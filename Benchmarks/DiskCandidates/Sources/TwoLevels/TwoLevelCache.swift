// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The entries that the disk is offered, and those that it takes.
enum Admission: String, CaseIterable {
    /// Everything that is loaded, at once (write-through).
    case all = "all"
    /// Entries that leave memory.
    case whenEvicted = "when memory evicts"
    /// Entries that were asked for twice lately, by the memory's sketch, or are asked for again while they are in memory.
    case seenTwice = "seen twice"
    /// While the disk has room, all entries; then those that were asked for at least as often
    /// lately as the disk's next victim.
    case beatsVictim = "beats victim"
}

/// The figures of one access trace, policy and admission.
struct Outcome {
    var requests = 0
    var memoryHits = 0
    var diskHits = 0
    var writes = 0

    /// The disk's hits among the requests that reach it.
    var ownRatio: Double { Double(diskHits) / Double(max(requests - memoryHits, 1)) }
    var bothRatio: Double { Double(memoryHits + diskHits) / Double(max(requests, 1)) }
    var writesPerRequest: Double { Double(writes) / Double(max(requests, 1)) }
}

struct TwoLevelCache {
    private var memory: Memory
    private let admission: Admission

    init(memory: Int, keys: Int, sketch: Int, admission: Admission) {
        self.memory = Memory(capacity: memory, keys: keys, sketch: sketch)
        self.admission = admission
    }

    mutating func replay(_ requests: [Int], disk policy: some DiskPolicy) -> Outcome {
        var disk = policy
        var outcome = Outcome()
        outcome.requests = requests.count
        for key in requests {
            memory.sketch.add(key)
            if memory.use(key) {
                outcome.memoryHits += 1
                // The second use in memory shows that a key is worth a write.
                if admission == .seenTwice, !disk.contains(key) { disk.insert(key) }
                continue
            }
            if disk.use(key) {
                outcome.diskHits += 1
            } else if admission != .whenEvicted, admits(key, disk) {
                disk.insert(key)
            }
            guard let left = memory.insert(key), admission == .whenEvicted, !disk.contains(left) else { continue }
            disk.insert(left)
        }
        outcome.writes = disk.writes
        return outcome
    }

    private func admits(_ key: Int, _ disk: some DiskPolicy) -> Bool {
        switch admission {
        case .all, .whenEvicted: true
        case .seenTwice: memory.sketch.estimate(key) >= 2
        case .beatsVictim: disk.victim.map { memory.sketch.estimate(key) >= memory.sketch.estimate($0) } ?? true
        }
    }
}

/// A memory tier: a window of a tenth, and a main part by CLOCK into which the window's oldest comes if it was asked for more often than the victim. This is how
/// Hoard's memory works, without its adaptation.
private struct Memory {
    var sketch: FrequencySketch
    private let windowCapacity: Int
    private let mainCapacity: Int
    private var window: NumberQueue
    private var main: NumberQueue
    private var uses: [UInt8]

    init(capacity: Int, keys: Int, sketch: Int) {
        self.sketch = FrequencySketch(capacity: sketch)
        windowCapacity = max(capacity / 10, 1)
        mainCapacity = max(capacity - windowCapacity, 1)
        window = NumberQueue(bound: keys)
        main = NumberQueue(bound: keys)
        uses = Array(repeating: 0, count: keys)
    }

    mutating func use(_ key: Int) -> Bool {
        guard window.contains(key) || main.contains(key) else { return false }
        if uses[key] < 3 { uses[key] += 1 }
        return true
    }

    /// - Returns: The key that left.
    mutating func insert(_ key: Int) -> Int? {
        window.append(key)
        uses[key] = 0
        guard window.count > windowCapacity, let candidate = window.removeFirst() else { return nil }
        guard main.count >= mainCapacity else {
            main.append(candidate)
            return nil
        }
        while let victim = main.removeFirst() {
            if uses[victim] > 0 {
                uses[victim] -= 1
                main.append(victim)
                continue
            }
            if sketch.estimate(candidate) > sketch.estimate(victim) {
                main.append(candidate)
                return victim
            }
            main.append(victim)
            return candidate
        }
        return candidate
    }
}
