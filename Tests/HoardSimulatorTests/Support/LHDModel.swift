// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import HoardSimulator

/// LHD with a dictionary of counts. The density of each age is the sum that its definition gives.
struct LHDModel: ReplacementPolicy {
    struct Entry {
        let key: UInt64
        var time: Int
        var size: Int
        var ages = (last: 0, before: 20_000)
        var isExplorer = false
    }
    struct Event: Hashable {
        let group: Int
        let age: Int
    }

    let capacity: Int
    let period: Int
    var entries: [Entry] = []
    var hits: [Event: Double] = [:]
    var evictions: [Event: Double] = [:]
    /// The densities, or `nil` until the model has learnt something.
    var densities: [Event: Double]?
    var random = SplitMix64(state: 1)
    var (time, learnings, shift) = (0, 0, 10)
    var (countSum, countWeight) = (0.0, 0.0)
    var budget: Int
    /// A ring.
    var admitted = [UInt64?](repeating: nil, count: 8)
    var admissions = 0
    var victimDensity = 0.0
    var count: Int { entries.count }
    var size: Int { entries.reduce(0) { $0 + $1.size } }

    init(capacity: Int, period: Int) {
        self.capacity = capacity
        self.period = period
        budget = capacity / 100
    }

    private func event(_ entry: Entry) -> Event {
        let ages = entry.ages.last + entry.ages.before
        let group = ages == 0 ? 15 : (0..<15).first { ages << $0 >= 20_000 } ?? 15
        return Event(group: group, age: min(19_999, (time - entry.time) >> shift))
    }

    private func density(_ entry: Entry) -> Double {
        let event = event(entry)
        guard event.age < 19_999 else { return -.greatestFiniteMagnitude }
        let ofClass = densities.map { $0[event] ?? 0 } ?? Double(event.group + 1) / Double(event.age + 1)
        return ofClass / Double(entry.size) + (entry.isExplorer ? 1 : 0)
    }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        let index = entries.firstIndex { $0.key == key }
        if let index {
            let event = event(entries[index])
            hits[event, default: 0] += 1
            if entries[index].isExplorer { budget += entries[index].size }
            entries[index].ages = (event.age, entries[index].ages.last)
            entries[index].time = time
            entries[index].size = size
            _ = explores(index)
        } else if size <= capacity {
            while self.size + size > capacity { evict() }
            entries.append(Entry(key: key, time: time, size: size))
            if !explores(entries.count - 1), density(entries[entries.count - 1]) < victimDensity {
                admitted[admissions % 8] = key
                admissions += 1
            }
        }
        time += 1
        if time % period == 0 { learn() }
        if size > capacity { _ = remove(key) }
        while self.size > capacity { evict() }
        return index != nil
    }

    private mutating func explores(_ index: Int) -> Bool {
        let isChosen = random.next() % 32 == 0
        entries[index].isExplorer = isChosen && budget > 0 && learnings < 50
        if entries[index].isExplorer { budget -= entries[index].size }
        return isChosen
    }

    private mutating func evict() {
        var candidates = (0..<(learnings > 50 ? 32 : 8)).map { _ in entries[Int(random.next() % UInt64(entries.count))] }
        candidates += admitted.compactMap { key in entries.first { $0.key == key } }
        var victim = candidates[0]
        for candidate in candidates where density(candidate) < density(victim) { victim = candidate }
        if density(victim) > -.greatestFiniteMagnitude { victimDensity = victimDensity * 0.9 + density(victim) * (1 - 0.9) }
        evictions[event(victim), default: 0] += 1
        _ = remove(victim.key)
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return false }
        if entries[index].isExplorer { budget += entries[index].size }
        entries.swapAt(index, entries.count - 1)
        entries.removeLast()
        return true
    }

    private mutating func learn() {
        hits = hits.mapValues { $0 * 0.9 }
        evictions = evictions.mapValues { $0 * 0.9 }
        (countSum, countWeight) = (countSum * 0.9 + Double(count), countWeight * 0.9 + 1)
        if learnings == 5 || learnings == 25 {
            let old = shift
            shift = 1
            while Double(1 << shift) < countSum / countWeight / 200 { shift += 1 }
            hits = rescaled(hits, by: shift - old)
            evictions = rescaled(evictions, by: shift - old)
        }
        var new: [Event: Double] = [:]
        for group in 0..<16 {
            let ages = Set((hits.keys.map(\.self) + evictions.keys).filter { $0.group == group }.map(\.age)).sorted()
            // The policy asks only for ages at which there are objects, so other ages need no density.
            for age in 0...min(19_998, max(0, ages.last ?? -1) + 1) {
                let later = ages.filter { $0 >= age }
                let events = later.map { (hits[Event(group: group, age: $0)] ?? 0) + (evictions[Event(group: group, age: $0)] ?? 0) }
                guard events.reduce(0, +) > 1e-5 else { continue }
                let stay = zip(later, events).reduce(0) { $0 + Double($1.0 - age + 1) * $1.1 }
                new[Event(group: group, age: age)] = later.reduce(0) { $0 + (hits[Event(group: group, age: $1)] ?? 0) } / stay
            }
        }
        densities = new
        learnings += 1
    }

    private func rescaled(_ counts: [Event: Double], by steps: Int) -> [Event: Double] {
        var new: [Event: Double] = [:]
        for (event, count) in counts {
            let ages =
                event.age == 19_999 && steps > 0
                ? [event.age] : steps >= 0 ? [event.age >> steps] : (0..<(1 << -steps)).map { min(19_999, event.age << -steps + $0) }
            for age in ages { new[Event(group: event.group, age: age), default: 0] += count / Double(ages.count) }
        }
        return new
    }
}
