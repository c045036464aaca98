// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardSimulator

// The policies as their papers describe them, with arrays that are searched from end to end.

/// A key that a model holds.
struct ModelObject {
    let key: UInt64
    var size: Int
    var uses = 0
}

/// A model with one queue of objects.
protocol QueueModel: ReplacementPolicy {
    var capacity: Int { get }
    var objects: [ModelObject] { get set }
    mutating func noteHit(at index: Int)
    mutating func evict()
    mutating func removeObject(at index: Int)
}

extension QueueModel {
    var count: Int { objects.count }
    var size: Int { objects.reduce(0) { $0 + $1.size } }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        guard let index = objects.firstIndex(where: { $0.key == key }) else {
            guard size <= capacity else { return false }
            while self.size + size > capacity { evict() }
            objects.append(ModelObject(key: key, size: size))
            return false
        }
        objects[index].size = size
        noteHit(at: index)
        if size > capacity { _ = remove(key) }
        while self.size > capacity { evict() }
        return true
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let index = objects.firstIndex(where: { $0.key == key }) else { return false }
        removeObject(at: index)
        return true
    }

    mutating func removeObject(at index: Int) { objects.remove(at: index) }
}

struct LRUModel: QueueModel {
    let capacity: Int
    var objects: [ModelObject] = []

    mutating func noteHit(at index: Int) { objects.append(objects.remove(at: index)) }
    mutating func evict() { objects.removeFirst() }
}

struct FIFOModel: QueueModel {
    let capacity: Int
    var objects: [ModelObject] = []

    mutating func noteHit(at index: Int) {}
    mutating func evict() { objects.removeFirst() }
}

/// CLOCK as a queue: a key that still has a count goes back to its end.
struct ClockModel: QueueModel {
    let capacity: Int
    var objects: [ModelObject] = []

    mutating func noteHit(at index: Int) { objects[index].uses = min(3, objects[index].uses + 1) }

    mutating func evict() {
        while objects[0].uses > 0 {
            objects[0].uses -= 1
            objects.append(objects.removeFirst())
        }
        objects.removeFirst()
    }
}

struct SieveModel: QueueModel {
    let capacity: Int
    /// Oldest first.
    var objects: [ModelObject] = []
    /// The key that the hand looks at next. `nil` stands for the oldest key.
    var hand: UInt64?

    mutating func noteHit(at index: Int) { objects[index].uses = 1 }

    mutating func evict() {
        var index = objects.firstIndex { $0.key == hand } ?? 0
        while objects[index].uses > 0 {
            objects[index].uses = 0
            index = (index + 1) % objects.count
        }
        hand = objects[index].key
        removeObject(at: index)
    }

    /// Removes the key, and moves the hand. A hand that passes the newest key starts again with the oldest, even if a
    /// new key comes before its next use.
    mutating func removeObject(at index: Int) {
        if hand == objects[index].key { hand = index + 1 < objects.count ? objects[index + 1].key : nil }
        objects.remove(at: index)
    }
}

struct S3FIFOModel: ReplacementPolicy {
    let capacity: Int
    var countsBytes = false
    /// Oldest first.
    var small: [ModelObject] = []
    var main: [ModelObject] = []
    var ghosts: [ModelObject] = []
    var isWarm = false
    var count: Int { small.count + main.count }
    var size: Int { bytes(small) + bytes(main) }
    var smallCapacity: Int { max(1, capacity / 10) }

    init(capacity: Int) { self.capacity = capacity }

    private func bytes(_ queue: [ModelObject]) -> Int { queue.reduce(0) { $0 + $1.size } }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let index = small.firstIndex(where: { $0.key == key }) {
            small[index].uses = min(3, small[index].uses + 1)
            small[index].size = size
        } else if let index = main.firstIndex(where: { $0.key == key }) {
            main[index].uses = min(3, main[index].uses + 1)
            main[index].size = size
        } else {
            insert(key, size: size)
            return false
        }
        if size > capacity { _ = remove(key) }
        while self.size > capacity { evict() }
        return true
    }

    private mutating func insert(_ key: UInt64, size: Int) {
        let isGhost = ghosts.contains { $0.key == key }
        ghosts.removeAll { $0.key == key }
        if countsBytes, size >= smallCapacity { return }
        while self.size + size > capacity { evict() }
        let object = ModelObject(key: key, size: size)
        if isGhost || (!isWarm && bytes(small) >= smallCapacity) { main.append(object) } else { small.append(object) }
    }

    mutating func remove(_ key: UInt64) -> Bool {
        let count = self.count
        small.removeAll { $0.key == key }
        main.removeAll { $0.key == key }
        return self.count < count
    }

    private mutating func evict() {
        isWarm = true
        if bytes(small) >= smallCapacity || main.isEmpty {
            while !small.isEmpty {
                var object = small.removeFirst()
                guard object.uses < 2 else {
                    object.uses = 0
                    main.append(object)
                    continue
                }
                return remember(object)
            }
        } else {
            while var object = main.first {
                main.removeFirst()
                guard object.uses > 0 else { return }
                object.uses -= 1
                main.append(object)
            }
        }
    }

    private mutating func remember(_ object: ModelObject) {
        let ghostCapacity = capacity * 9 / 10
        guard object.size <= ghostCapacity else { return }
        ghosts.append(object)
        while bytes(ghosts) > ghostCapacity { ghosts.removeFirst() }
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

    mutating func access(_ x: UInt64, size: Int) -> Bool {
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

    mutating func remove(_ x: UInt64) -> Bool {
        guard t1.contains(x) || t2.contains(x) else { return false }
        forget(x)
        return true
    }

    private mutating func replace(_ x: UInt64) {
        // The paper assumes a full cache. After Case IV (A) has dropped keys without a ghost,
        // the cache need not be full.
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

    mutating func access(_ key: UInt64, size: Int) -> Bool {
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

    mutating func remove(_ key: UInt64) -> Bool {
        guard lir.remove(key) != nil || queue.contains(key) else { return false }
        queue.removeAll { $0 == key }
        stack.removeAll { $0 == key }
        prune()
        return true
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
