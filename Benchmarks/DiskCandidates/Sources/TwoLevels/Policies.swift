// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The eviction policy of a disk tier with entries of one size.
protocol DiskPolicy {
    /// Whether the disk has the key. Counts a use.
    mutating func use(_ key: Int) -> Bool
    func contains(_ key: Int) -> Bool
    /// Adds a key that is not there.
    mutating func insert(_ key: Int)
    /// The key that would leave next, if the policy can tell.
    var victim: Int? { get }
    /// How often entries were written, new ones and those that were written again.
    var writes: Int { get }
}

/// Least recently used. Moving an entry to the front writes a stamp, not the entry.
struct LRU: DiskPolicy {
    private let capacity: Int
    private var queue: NumberQueue
    private(set) var writes = 0

    init(capacity: Int, keys: Int) {
        self.capacity = capacity
        queue = NumberQueue(bound: keys)
    }

    var victim: Int? { queue.count < capacity ? nil : queue.first }
    func contains(_ key: Int) -> Bool { queue.contains(key) }

    mutating func use(_ key: Int) -> Bool {
        guard queue.contains(key) else { return false }
        queue.remove(key)
        queue.append(key)
        return true
    }

    mutating func insert(_ key: Int) {
        if queue.count >= capacity { _ = queue.removeFirst() }
        queue.append(key)
        writes += 1
    }
}

/// First in, first out; an entry that was used is written again instead, up to `maximum` times for as many uses. In segments of `segment` entries: the oldest one is
/// cleaned as a whole, and of its entries at most `sparedShare` are spared, those with the most uses first. With `maximum` 0 it is plain FIFO.
struct Clock: DiskPolicy {
    private let capacity: Int
    private let maximum: UInt8
    private let segment: Int
    private let budget: Int
    private var queue: NumberQueue
    private var uses: [UInt8]
    private(set) var writes = 0

    init(capacity: Int, keys: Int, maximum: UInt8, segment: Int = 1, sparedShare: Double = 1) {
        self.capacity = capacity
        self.maximum = maximum
        self.segment = max(min(segment, capacity / 4), 1)
        budget = Int((Double(self.segment) * sparedShare).rounded(.up))
        queue = NumberQueue(bound: keys)
        uses = Array(repeating: 0, count: keys)
    }

    var victim: Int? { queue.count < capacity ? nil : queue.first }
    func contains(_ key: Int) -> Bool { queue.contains(key) }

    mutating func use(_ key: Int) -> Bool {
        guard queue.contains(key) else { return false }
        if uses[key] < maximum { uses[key] += 1 }
        return true
    }

    mutating func insert(_ key: Int) {
        while queue.count >= capacity { clean() }
        queue.append(key)
        uses[key] = 0
        writes += 1
    }

    private mutating func clean() {
        var entries: [Int] = []
        for _ in 0..<segment { if let key = queue.removeFirst() { entries.append(key) } }
        // With the whole budget all used entries are spared, in their order; the hand goes on,
        // and finds the other entries.
        let hot = entries.filter { uses[$0] > 0 }
        let spared = hot.count <= budget ? Set(hot) : Set(hot.sorted { uses[$0] > uses[$1] }.prefix(budget))
        for key in entries where spared.contains(key) {
            uses[key] -= 1
            queue.append(key)
            writes += 1
        }
    }
}

/// SIEVE: a hand goes from the oldest to the newest and evicts the first that was not used since it last passed. Nothing moves, so on disk it leaves holes.
struct Sieve: DiskPolicy {
    private let capacity: Int
    private var queue: NumberQueue
    private var isUsed: [Bool]
    private var hand: Int?
    private(set) var writes = 0

    init(capacity: Int, keys: Int) {
        self.capacity = capacity
        queue = NumberQueue(bound: keys)
        isUsed = Array(repeating: false, count: keys)
    }

    var victim: Int? { queue.count < capacity ? nil : hand ?? queue.first }
    func contains(_ key: Int) -> Bool { queue.contains(key) }

    mutating func use(_ key: Int) -> Bool {
        guard queue.contains(key) else { return false }
        isUsed[key] = true
        return true
    }

    mutating func insert(_ key: Int) {
        if queue.count >= capacity {
            while let current = hand ?? queue.first {
                hand = queue.after(current)
                if isUsed[current] {
                    isUsed[current] = false
                } else {
                    queue.remove(current)
                    break
                }
            }
        }
        queue.append(key)
        isUsed[key] = false
        writes += 1
    }
}

/// Today's store, LRU in two queues: entries that have been used since they came, and those on trial, which are evicted first as long as they are more than a share. An entry that
/// was evicted lately is not on trial when it comes again. Moving an entry writes a stamp, not the entry.
struct TriedLRU: DiskPolicy {
    private let capacity: Int
    private let trialShare: Double
    private let ghostCapacity: Int
    private var trial: NumberQueue
    private var tried: NumberQueue
    private var ghosts: NumberQueue
    private(set) var writes = 0

    init(capacity: Int, keys: Int, trialShare: Double, ghostShare: Double) {
        self.capacity = capacity
        self.trialShare = trialShare
        ghostCapacity = Int(Double(capacity) * ghostShare)
        trial = NumberQueue(bound: keys)
        tried = NumberQueue(bound: keys)
        ghosts = NumberQueue(bound: keys)
    }

    private var evictsTrial: Bool { tried.count == 0 || Double(trial.count) > trialShare * Double(capacity) }

    var victim: Int? {
        guard trial.count + tried.count >= capacity else { return nil }
        return evictsTrial ? trial.first : tried.first
    }

    func contains(_ key: Int) -> Bool { trial.contains(key) || tried.contains(key) }

    mutating func use(_ key: Int) -> Bool {
        if tried.contains(key) {
            tried.remove(key)
        } else if trial.contains(key) {
            trial.remove(key)
        } else {
            return false
        }
        tried.append(key)
        return true
    }

    mutating func insert(_ key: Int) {
        if trial.count + tried.count >= capacity {
            if evictsTrial {
                if let evicted = trial.removeFirst() { remember(evicted) }
            } else {
                _ = tried.removeFirst()
            }
        }
        writes += 1
        if ghosts.contains(key) {
            ghosts.remove(key)
            tried.append(key)
        } else {
            trial.append(key)
        }
    }

    private mutating func remember(_ key: Int) {
        guard ghostCapacity > 0 else { return }
        ghosts.append(key)
        if ghosts.count > ghostCapacity { _ = ghosts.removeFirst() }
    }
}

/// S3-FIFO: a small queue of a tenth, a main queue with reinsertion, and a queue of ghosts. With `needsGhost` it is 2Q's idea: an entry gets into the main queue only if
/// it is asked for again after it has left the small one. With `segment` above 1, so many entries of a queue are cleaned at once, as a store of segments does it.
struct SmallAndMain: DiskPolicy {
    private let small: Int
    private let capacity: Int
    private let needsGhost: Bool
    private let ghostCapacity: Int
    private let segment: Int
    private var smallQueue: NumberQueue
    private var mainQueue: NumberQueue
    private var ghosts: NumberQueue
    private var uses: [UInt8]
    private(set) var writes = 0

    init(capacity: Int, keys: Int, smallShare: Double, ghostShare: Double, needsGhost: Bool, segment: Int = 1) {
        self.capacity = capacity
        self.segment = max(min(segment, Int(Double(capacity) * smallShare) / 2), 1)
        self.needsGhost = needsGhost
        small = max(Int(Double(capacity) * smallShare), 1)
        ghostCapacity = max(Int(Double(capacity) * ghostShare), 1)
        smallQueue = NumberQueue(bound: keys)
        mainQueue = NumberQueue(bound: keys)
        ghosts = NumberQueue(bound: keys)
        uses = Array(repeating: 0, count: keys)
    }

    var victim: Int? {
        guard smallQueue.count + mainQueue.count >= capacity else { return nil }
        return smallQueue.count >= small ? smallQueue.first : mainQueue.first
    }

    func contains(_ key: Int) -> Bool { smallQueue.contains(key) || mainQueue.contains(key) }

    mutating func use(_ key: Int) -> Bool {
        if mainQueue.contains(key) {
            if needsGhost {
                // 2Q keeps its main queue by recency.
                mainQueue.remove(key)
                mainQueue.append(key)
            } else if uses[key] < 3 {
                uses[key] += 1
            }
            return true
        }
        guard smallQueue.contains(key) else { return false }
        if uses[key] < 3 { uses[key] += 1 }
        return true
    }

    mutating func insert(_ key: Int) {
        while smallQueue.count + mainQueue.count >= capacity { clean() }
        writes += 1
        uses[key] = 0
        if ghosts.contains(key) {
            ghosts.remove(key)
            mainQueue.append(key)
        } else {
            smallQueue.append(key)
        }
    }

    private mutating func clean() {
        if smallQueue.count >= small || mainQueue.count == 0 {
            for _ in 0..<segment { if let key = smallQueue.removeFirst() { leaveSmall(key) } }
        } else {
            for _ in 0..<segment { if let key = mainQueue.removeFirst() { leaveMain(key) } }
        }
    }

    private mutating func leaveSmall(_ key: Int) {
        if uses[key] > 0, !needsGhost {
            uses[key] = 0
            mainQueue.append(key)
            writes += 1
            return
        }
        ghosts.append(key)
        if ghosts.count > ghostCapacity { _ = ghosts.removeFirst() }
    }

    private mutating func leaveMain(_ key: Int) {
        guard uses[key] > 0 else { return }
        uses[key] -= 1
        mainQueue.append(key)
        writes += 1
    }
}
