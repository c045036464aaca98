// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardSimulator

// The policies as their papers tell them, with arrays that are searched from end to end.

struct LRUModel: ReplacementPolicy {
    let capacity: Int
    var keys: [UInt64] = []
    var count: Int { keys.count }

    mutating func access(_ key: UInt64) -> Bool {
        let isHit = keys.contains(key)
        keys.removeAll { $0 == key }
        keys.append(key)
        if keys.count > capacity { keys.removeFirst() }
        return isHit
    }
}

struct FIFOModel: ReplacementPolicy {
    let capacity: Int
    var keys: [UInt64] = []
    var count: Int { keys.count }

    mutating func access(_ key: UInt64) -> Bool {
        if keys.contains(key) { return true }
        keys.append(key)
        if keys.count > capacity { keys.removeFirst() }
        return false
    }
}

/// CLOCK as a queue: who still has a count goes back to its end.
struct ClockModel: ReplacementPolicy {
    let capacity: Int
    var queue: [(key: UInt64, uses: Int)] = []
    var count: Int { queue.count }

    mutating func access(_ key: UInt64) -> Bool {
        if let index = queue.firstIndex(where: { $0.key == key }) {
            queue[index].uses = min(3, queue[index].uses + 1)
            return true
        }
        if queue.count == capacity {
            while queue[0].uses > 0 {
                let first = queue.removeFirst()
                queue.append((first.key, first.uses - 1))
            }
            queue.removeFirst()
        }
        queue.append((key, 0))
        return false
    }
}

struct SieveModel: ReplacementPolicy {
    let capacity: Int
    /// Oldest first.
    var keys: [UInt64] = []
    var visited: Set<UInt64> = []
    var hand = 0
    var count: Int { keys.count }

    mutating func access(_ key: UInt64) -> Bool {
        if keys.contains(key) {
            visited.insert(key)
            return true
        }
        if keys.count == capacity {
            if hand >= keys.count { hand = 0 }
            while visited.remove(keys[hand]) != nil { hand = (hand + 1) % keys.count }
            keys.remove(at: hand)
        }
        // A hand that went past the newest key starts again with the oldest, also if a key has come since.
        if hand >= keys.count { hand = 0 }
        keys.append(key)
        return false
    }
}

struct S3FIFOModel: ReplacementPolicy {
    let capacity: Int
    /// Oldest first.
    var small: [UInt64] = []
    var main: [UInt64] = []
    var ghosts: [UInt64] = []
    var uses: [UInt64: Int] = [:]
    var isWarm = false
    var count: Int { small.count + main.count }
    var smallCapacity: Int { max(1, capacity / 10) }

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: UInt64) -> Bool {
        if small.contains(key) || main.contains(key) {
            uses[key] = min(3, uses[key, default: 0] + 1)
            return true
        }
        let isGhost = ghosts.contains(key)
        ghosts.removeAll { $0 == key }
        while count == capacity { evict() }
        uses[key] = 0
        if isGhost || (!isWarm && small.count >= smallCapacity) { main.append(key) } else { small.append(key) }
        return false
    }

    private mutating func evict() {
        isWarm = true
        if small.count >= smallCapacity {
            while !small.isEmpty {
                let key = small.removeFirst()
                guard uses[key, default: 0] < 2 else {
                    uses[key] = 0
                    main.append(key)
                    continue
                }
                ghosts = (ghosts + [key]).suffix(capacity * 9 / 10)
                return
            }
        } else {
            while let key = main.first {
                main.removeFirst()
                guard let count = uses[key], count > 0 else { return }
                uses[key] = count - 1
                main.append(key)
            }
        }
    }
}

/// The names of lists and cases are the paper's.
struct ARCModel: ReplacementPolicy {
    let c: Int
    var p = 0.0
    /// Most recently used first.
    var t1: [UInt64] = []
    var t2: [UInt64] = []
    var b1: [UInt64] = []
    var b2: [UInt64] = []
    var count: Int { t1.count + t2.count }

    init(capacity: Int) { c = capacity }

    mutating func access(_ x: UInt64) -> Bool {
        if t1.contains(x) || t2.contains(x) {  // Case I
            forget(x)
            t2.insert(x, at: 0)
            return true
        }
        if b1.contains(x) {  // Case II
            let delta = b1.count >= b2.count ? 1 : Double(b2.count) / Double(b1.count)
            p = min(p + delta, Double(c))
            replace(x)
            forget(x)
            t2.insert(x, at: 0)
            return false
        }
        if b2.contains(x) {  // Case III
            let delta = b2.count >= b1.count ? 1 : Double(b1.count) / Double(b2.count)
            p = max(p - delta, 0)
            replace(x)
            forget(x)
            t2.insert(x, at: 0)
            return false
        }
        if t1.count + b1.count == c {  // Case IV (A)
            if t1.count < c {
                b1.removeLast()
                replace(x)
            } else {
                t1.removeLast()
            }
        } else if t1.count + t2.count + b1.count + b2.count >= c {  // Case IV (B)
            if t1.count + t2.count + b1.count + b2.count == 2 * c { b2.removeLast() }
            replace(x)
        }
        t1.insert(x, at: 0)
        return false
    }

    private mutating func replace(_ x: UInt64) {
        // The paper takes a full cache for granted; after Case IV (A) has dropped keys without a ghost it need not be full.
        guard count >= c else { return }
        if !t1.isEmpty, Double(t1.count) > p || (b2.contains(x) && Double(t1.count) == p) || t2.isEmpty {
            b1.insert(t1.removeLast(), at: 0)
        } else {
            b2.insert(t2.removeLast(), at: 0)
        }
    }

    private mutating func forget(_ x: UInt64) {
        t1.removeAll { $0 == x }
        t2.removeAll { $0 == x }
        b1.removeAll { $0 == x }
        b2.removeAll { $0 == x }
    }
}

struct LIRSModel: ReplacementPolicy {
    let capacity: Int
    /// Most recently used first.
    var stack: [UInt64] = []
    var lir: Set<UInt64> = []
    /// The resident HIR keys, the next victim first.
    var queue: [UInt64] = []
    /// Oldest first.
    var ghosts: [UInt64] = []
    var count: Int { lir.count + queue.count }
    var lirCapacity: Int { capacity - max(1, capacity / 100) }

    init(capacity: Int) { self.capacity = capacity }

    mutating func access(_ key: UInt64) -> Bool {
        if lir.contains(key) {
            toTop(key)
            prune()
            return true
        }
        let isHit = queue.contains(key)
        queue.removeAll { $0 == key }
        ghosts.removeAll { $0 == key }
        if !isHit, count == capacity, let victim = queue.first {
            queue.removeFirst()
            if stack.contains(victim) { ghosts.append(victim) }
            if ghosts.count > capacity {
                let oldest = ghosts.removeFirst()
                stack.removeAll { $0 == oldest }
            }
        }
        let isInStack = stack.contains(key)
        if lirCapacity == 0 {
            queue.append(key)
        } else if isInStack || (!isHit && lir.count < lirCapacity) {
            toTop(key)
            lir.insert(key)
            if lir.count > lirCapacity {
                let bottom = stack.removeLast()
                lir.remove(bottom)
                queue.append(bottom)
            }
            prune()
        } else {
            toTop(key)
            queue.append(key)
        }
        return isHit
    }

    private mutating func toTop(_ key: UInt64) {
        stack.removeAll { $0 == key }
        stack.insert(key, at: 0)
    }

    private mutating func prune() {
        while let bottom = stack.last, !lir.contains(bottom) {
            stack.removeLast()
            ghosts.removeAll { $0 == bottom }
        }
    }
}
