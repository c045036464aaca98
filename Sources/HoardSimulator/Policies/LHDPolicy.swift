// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts, of 32 random objects, the one with the lowest hit density: expected hits for each byte and for the time that the object will stay.
/// Objects are put into classes by the ages at their last two hits, and each class learns at which ages its objects were hit and evicted.
///
/// Beckmann, Chen, Cidon: LHD: Improving Cache Hit Rate by Maximizing Hit Density, NSDI 2018. As in the authors' simulator, objects that were
/// admitted last and looked bad are candidates too, some objects are kept on trial as explorers, and the scale of ages is set twice. Densities are
/// learnt anew after 65,536 requests; the authors take 1,048,576, which is more than many traces have.
struct LHDPolicy: ReplacementPolicy {
    private static let candidateCount = 32
    private static let earlyCandidateCount = 8
    private static let admittedCount = 8
    private static let explorerShare = 0.01
    private static let oneExplorerIn: UInt64 = 32
    private static let decay = 0.9
    /// How many requests there are between two times of learning.
    private let period: Int

    private let capacity: Int
    private(set) var size = 0
    private var table = KeyTable()
    private var objects: [LHDObject] = []
    private var densities = HitDensities()
    private var random: SplitMix64
    private var time = 0
    private var learnings = 0
    private var explorerBudget: Int
    private var recentlyAdmitted: [UInt64?]
    private var admissions = 0
    private var victimDensity = 0.0

    init(capacity: Int, period: Int = 1 << 16) {
        self.capacity = capacity
        self.period = period
        explorerBudget = Int(Double(capacity) * Self.explorerShare)
        recentlyAdmitted = Array(repeating: nil, count: Self.admittedCount)
        random = SplitMix64(state: 1)
    }

    var count: Int { objects.count }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let place = table[key] {
            self.size += size - objects[place].size
            densities.noteHit(objects[place], time: time)
            if objects[place].isExplorer { explorerBudget += objects[place].size }
            objects[place].noteHit(age: densities.age(of: objects[place], time: time), time: time, size: size)
            explore(place)
            finishRequest()
            if size > capacity { discard(place) } else { makeRoom(for: 0) }
            return true
        }
        if size <= capacity {
            makeRoom(for: size)
            self.size += size
            table.insert(key, objects.count)
            objects.append(LHDObject(key: key, time: time, size: size))
            if !explore(objects.count - 1), densities.density(of: objects[objects.count - 1], time: time) < victimDensity {
                recentlyAdmitted[admissions % Self.admittedCount] = key
                admissions += 1
            }
        }
        finishRequest()
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let place = table[key] else { return false }
        discard(place)
        return true
    }

    /// Keeps some objects that would not be evicted soon, to learn of ages that others do not reach.
    ///
    /// - Returns: Whether the lot fell on the object.
    @discardableResult
    private mutating func explore(_ place: Int) -> Bool {
        let isChosen = random.next() % Self.oneExplorerIn == 0
        objects[place].isExplorer = isChosen && explorerBudget > 0 && learnings < 50
        if objects[place].isExplorer { explorerBudget -= objects[place].size }
        return isChosen
    }

    private mutating func finishRequest() {
        time += 1
        guard time % period == 0 else { return }
        densities.learn(objectCount: objects.count, learnings: learnings, decay: Self.decay)
        learnings += 1
    }

    private mutating func makeRoom(for size: Int) {
        while self.size + size > capacity, !objects.isEmpty { evict() }
    }

    private mutating func evict() {
        var (victim, lowest) = (0, Double.infinity)
        func consider(_ place: Int) {
            let density = densities.density(of: objects[place], time: time)
            if density < lowest { (victim, lowest) = (place, density) }
        }
        // Fewer at first, to learn of more ages.
        for _ in 0..<(learnings > 50 ? Self.candidateCount : Self.earlyCandidateCount) {
            consider(Int(random.next() % UInt64(objects.count)))
        }
        for key in recentlyAdmitted { if let key, let place = table[key] { consider(place) } }
        if lowest > -.greatestFiniteMagnitude { victimDensity = Self.decay * victimDensity + (1 - Self.decay) * lowest }
        densities.noteEviction(objects[victim], time: time)
        discard(victim)
    }

    /// Fills the place with the last object.
    private mutating func discard(_ place: Int) {
        let object = objects[place]
        size -= object.size
        if object.isExplorer { explorerBudget += object.size }
        table.remove(object.key)
        let last = objects.removeLast()
        guard place < objects.count else { return }
        objects[place] = last
        table.remove(last.key)
        table.insert(last.key, place)
    }
}

/// An object of ``LHDPolicy``.
struct LHDObject: Sendable {
    let key: UInt64
    /// The time of the last use.
    var time: Int
    var size: Int
    var lastAge = 0
    var ageBefore = HitDensities.ageCount
    var isExplorer = false

    init(key: UInt64, time: Int, size: Int) {
        self.key = key
        self.time = time
        self.size = size
    }

    mutating func noteHit(age: Int, time: Int, size: Int) {
        ageBefore = lastAge
        lastAge = age
        self.time = time
        self.size = size
    }
}
