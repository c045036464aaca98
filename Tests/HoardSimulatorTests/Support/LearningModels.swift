// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import HoardSimulator

// Policies that learn, with arrays that are searched from end to end. They draw the same random
// numbers as the real policies.

struct GDSFModel: ReplacementPolicy {
    struct Entry {
        let key: UInt64
        var size: Int
        var uses = 1
        var priority = 0.0
    }

    let capacity: Int
    /// The entries, in the order of their last uses.
    var entries: [Entry] = []
    var age = 0.0
    var count: Int { entries.count }
    var size: Int { entries.reduce(0) { $0 + $1.size } }

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        var entry = Entry(key: key, size: size)
        let index = entries.firstIndex { $0.key == key }
        if let index {
            entry.uses = entries.remove(at: index).uses + 1
        } else if size <= capacity {
            makeRoom(for: size)
        }
        guard size <= capacity else { return index != nil }
        entry.priority = age + Double(entry.uses) / Double(size)
        entries.append(entry)
        makeRoom(for: 0)
        return index != nil
    }

    mutating func remove(_ key: UInt64) -> Bool {
        let count = self.count
        entries.removeAll { $0.key == key }
        return self.count < count
    }

    private mutating func makeRoom(for size: Int) {
        while self.size + size > capacity, let victim = entries.min(by: { $0.priority < $1.priority }) {
            age = victim.priority
            _ = remove(victim.key)
        }
    }
}

/// AdaptSize with an LRU model and sums over a dictionary.
struct AdaptSizeModel: ReplacementPolicy {
    var cache: LRUModel
    let period: Int
    var scale = 32_768.0
    var untilChoice: Int
    var random = SplitMix64(state: 1)
    var sizes: [UInt64: Double] = [:]
    var rates: [UInt64: Double] = [:]
    var requests: [UInt64: Double] = [:]
    var count: Int { cache.count }
    var size: Int { cache.size }

    init(capacity: Int, period: Int) {
        cache = LRUModel(capacity: capacity)
        self.period = period
        untilChoice = period
    }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        untilChoice -= 1
        if untilChoice <= 0 {
            untilChoice = sizes.values.reduce(0, +) > Double(cache.capacity) * 3 ? period : max(1, period / 100)
            if untilChoice == period { choose() }
        }
        sizes[key] = Double(size)
        requests[key, default: 0] += 1
        let isHeld = cache.objects.contains { $0.key == key }
        guard isHeld || random.unit() < exp(-Double(size) / scale) else { return false }
        return cache.access(key, size: size)
    }

    mutating func remove(_ key: UInt64) -> Bool { cache.remove(key) }

    private mutating func choose() {
        for key in sizes.keys {
            let new = requests[key] ?? 0
            rates[key] = rates[key].map { $0 * 0.3 + new * 0.7 } ?? new
        }
        requests = [:]
        for key in sizes.keys where rates[key, default: 0] < 0.1 {
            sizes[key] = nil
            rates[key] = nil
        }
        let end = log2(Double(cache.capacity))
        var tried: [(exponent: Double, hits: Double)] = stride(from: 0, through: end, by: 2).map { ($0, hits($0)) }
        func best() -> (exponent: Double, hits: Double) { tried.reduce((0, -1)) { $1.hits > $0.hits ? $1 : $0 } }
        for step in [1, 0.5, 0.25, 0.125] {
            let middle = best().exponent
            for exponent in [middle - step, middle + step] where (0...end).contains(exponent) { tried.append((exponent, hits(exponent))) }
        }
        if best().hits > 0 { scale = exp2(best().exponent) }
    }

    private func hits(_ exponent: Double) -> Double {
        let capacity = Double(cache.capacity)
        func chance(_ key: UInt64) -> Double { exp(-sizes[key, default: 0] / exp2(exponent)) }
        let keys = sizes.keys.sorted()
        var time = capacity / keys.reduce(0) { $0 + rates[$1, default: 0] * chance($1) * sizes[$1, default: 0] }
        func share(_ key: UInt64) -> Double {
            let expected = rates[key, default: 0] * time
            return expected < 150 ? 1 - 1 / (1 + chance(key) * (exp(expected) - 1)) : chance(key) > 0 ? 1 : 0
        }
        guard time.isFinite else { return 0 }
        for _ in 0..<20 where time < 1e70 {
            let held = keys.reduce(0) { $0 + sizes[$1, default: 0] * share($1) }
            guard held > 0 else { break }
            let last = time
            time = last * capacity / held
            if abs(time - last) < last * 1e-4 { break }
        }
        return keys.reduce(0) { $0 + rates[$1, default: 0] * share($1) }
    }
}

/// W-TinyLFU with one array for each list, in which the next key to leave is first, and a sketch of four arrays.
struct TinyLFUModel: ReplacementPolicy {
    let capacity: Int
    let countsBytes: Bool
    var window: [ModelObject] = []
    var probation: [ModelObject] = []
    var protected: [ModelObject] = []
    var windowLimit: Int
    var protectedLimit: Int
    var rows: [[Int]] = []
    var sketched = 0
    var additions = 0
    var (hits, misses) = (0, 0)
    var (step, ratio, adjustment) = (0.0, 0.0, 0)
    var random = SplitMix64(state: 1)
    var count: Int { window.count + probation.count + protected.count }
    var size: Int { bytes(window) + bytes(probation) + bytes(protected) }

    init(capacity: Int, countsBytes: Bool = false) {
        self.capacity = capacity
        self.countsBytes = countsBytes
        windowLimit = capacity - Int(0.99 * Double(capacity))
        protectedLimit = Int(0.8 * Double(capacity - windowLimit))
        step = -0.0625 * Double(capacity)
    }

    private func bytes(_ queue: [ModelObject]) -> Int { queue.reduce(0) { $0 + $1.size } }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        let object = ModelObject(key: key, size: size)
        let isHit = (window + probation + protected).contains { $0.key == key }
        if isHit {
            hits += 1
            use(key)
            if let index = window.firstIndex(where: { $0.key == key }) {
                window.remove(at: index)
                if size > windowLimit { window.insert(object, at: 0) } else { window.append(object) }
            } else if let index = probation.firstIndex(where: { $0.key == key }) {
                probation.remove(at: index)
                if size > protectedLimit { probation.append(object) } else { protected.append(object) }
            } else {
                protected.removeAll { $0.key == key }
                protected.append(object)
            }
            if size > capacity { _ = remove(key) }
        } else {
            guard size <= capacity else { return false }
            if size > windowLimit { window.insert(object, at: 0) } else { window.append(object) }
            if self.size >= capacity / 2 { widen(countsBytes ? count : capacity) }
            use(key)
            misses += 1
        }
        evict()
        climb()
        return isHit
    }

    mutating func remove(_ key: UInt64) -> Bool {
        let count = self.count
        window.removeAll { $0.key == key }
        probation.removeAll { $0.key == key }
        protected.removeAll { $0.key == key }
        return self.count < count
    }

    private mutating func widen(_ entries: Int) {
        guard rows.isEmpty || entries * 4 > rows[0].count else { return }
        var width = 32
        while width < entries * 4 { width *= 2 }
        rows = Array(repeating: Array(repeating: 0, count: width), count: 4)
        (sketched, additions) = (entries, 0)
    }

    private func places(_ key: UInt64) -> [Int] {
        let width = rows[0].count
        return (0..<4).map { CountingSketch.place(mixed(key), row: $0, width: width) - $0 * width }
    }

    private mutating func use(_ key: UInt64) {
        guard !rows.isEmpty else { return }
        let places = places(key)
        guard (0..<4).contains(where: { rows[$0][places[$0]] < 15 }) else { return }
        for row in 0..<4 { rows[row][places[row]] = min(15, rows[row][places[row]] + 1) }
        additions += 1
        guard additions >= 10 * sketched else { return }
        additions = (additions - rows.joined().count { $0 % 2 == 1 } / 4) / 2
        rows = rows.map { $0.map { $0 / 2 } }
    }

    private func uses(_ key: UInt64) -> Int {
        rows.isEmpty ? 0 : zip(rows, places(key)).map { $0[$1] }.min() ?? 0
    }

    private mutating func evict() {
        var newcomers: [UInt64] = []
        while bytes(window) > windowLimit {
            newcomers.append(window[0].key)
            probation.append(window.removeFirst())
        }
        while size > capacity {
            let candidate = newcomers.first ?? window.first?.key
            guard let victim = probation.first?.key else {
                _ = remove(candidate ?? protected[0].key)
                continue
            }
            guard let candidate, candidate != victim else {
                newcomers.removeAll { $0 == victim }
                _ = remove(victim)
                continue
            }
            let isBetter = uses(candidate) > uses(victim) || (uses(candidate) >= 6 && random.next() % 128 == 0)
            _ = remove(isBetter ? victim : candidate)
            newcomers = Array(newcomers.dropFirst())
        }
    }

    private mutating func climb() {
        if rows.isEmpty {
            (hits, misses) = (0, 0)
        } else if hits + misses >= 10 * sketched {
            let new = Double(hits) / Double(hits + misses)
            let amount = new >= ratio ? step : -step
            step = abs(new - ratio) >= 0.05 ? 0.0625 * Double(capacity) * (amount >= 0 ? 1 : -1) : 0.98 * amount
            (ratio, adjustment, hits, misses) = (new, Int(amount), 0, 0)
        }
        demote()
        var rest = adjustment > 0 ? min(adjustment, protectedLimit) : min(-adjustment, max(0, windowLimit - 1))
        if adjustment > 0 {
            protectedLimit -= rest
            windowLimit += rest
            demote()
            for _ in 0..<1000 {
                if let first = probation.first, first.size <= rest {
                    window.append(probation.removeFirst())
                } else if let first = protected.first, first.size <= rest {
                    window.append(protected.removeFirst())
                } else {
                    break
                }
                rest -= window[window.count - 1].size
            }
            (protectedLimit, windowLimit, adjustment) = (protectedLimit + rest, windowLimit - rest, rest)
        } else if adjustment < 0 {
            protectedLimit += rest
            windowLimit -= rest
            for _ in 0..<1000 {
                guard let first = window.first, first.size <= rest else { break }
                probation.append(window.removeFirst())
                rest -= first.size
            }
            (protectedLimit, windowLimit, adjustment) = (protectedLimit - rest, windowLimit + rest, -rest)
        }
    }

    private mutating func demote() {
        while bytes(protected) > protectedLimit { probation.append(protected.removeFirst()) }
    }
}
