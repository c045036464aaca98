// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A small LRU window, and behind it a main part into which a key from the window comes if it was used more often than the one that has to
/// leave for it. The main part is an LRU list for keys on probation and one for protected keys, which were hit there. A hill climber moves
/// the border between window and main part, on which the hit ratio decides.
///
/// Einziger, Eytan, Friedman, Manes: Adaptive Software Cache Management, Middleware 2018, with the constants and the handling of weights
/// that Caffeine has. Here nothing is buffered: the work of Caffeine's maintenance follows each request.
struct TinyLFUPolicy<Sizes: SlotSizes>: ReplacementPolicy {
    static var window: Int { 0 }
    static var probation: Int { 1 }
    static var protected: Int { 2 }

    let capacity: Int
    var climber: WindowClimber
    var slots = KeySlots()
    /// The key of each slot.
    private var keys: [UInt64] = []
    /// The last use first.
    var lists = SlotLists<Sizes>(count: 3)
    private var sketch = CountingSketch()
    private var random = SplitMix64(state: 1)

    private init(_: Sizes.Type, capacity: Int) {
        self.capacity = capacity
        climber = WindowClimber(capacity: capacity)
    }

    var count: Int { slots.count }
    var size: Int { lists.size(ofList: Self.window) + lists.size(ofList: Self.probation) + lists.size(ofList: Self.protected) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let slot = slots.slot(of: key) {
            climber.noteHit()
            sketch.add(key)
            if Sizes.differ { lists.setSize(size, of: slot) }
            if Sizes.differ, size > capacity { discard(slot) } else { touch(slot) }
            maintain()
            return true
        }
        guard !Sizes.differ || size <= capacity else { return false }
        insert(key, size: size)
        maintain()
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key) else { return false }
        discard(slot)
        return true
    }

    private mutating func insert(_ key: UInt64, size: Int) {
        let slot = slots.insert(key)
        if slot < keys.count { keys[slot] = key } else { keys.append(key) }
        lists.setSize(size, of: slot)
        // An object larger than the window goes to where it leaves next.
        if size > climber.window { lists.append(slot, to: Self.window) } else { lists.prepend(slot, to: Self.window) }
        if self.size >= capacity / 2 { sketch.reserve(Sizes.differ ? count : capacity) }
        sketch.add(key)
        climber.noteMiss()
    }

    /// Notes a use in the lists.
    private mutating func touch(_ slot: Int) {
        switch lists.list(of: slot) {
        case Self.probation where lists.size(of: slot) <= climber.protected:
            lists.moveToFirst(slot, of: Self.protected)
        case Self.window where lists.size(of: slot) > climber.window:
            lists.remove(slot)
            lists.append(slot, to: Self.window)
        case let list?: lists.moveToFirst(slot, of: list)
        case nil: break
        }
    }

    private mutating func maintain() {
        evict()
        if sketch.isEmpty { climber.beginSample() } else { climber.decide(period: sketch.period) }
        while lists.size(ofList: Self.protected) > climber.protected, let oldest = lists.last(Self.protected) {
            lists.moveToFirst(oldest, of: Self.probation)
        }
        moveBorder()
    }

    /// Moves entries that the window cannot hold to the main part, and evicts the less used one of newcomer and victim
    /// until all fits.
    private mutating func evict() {
        // The newcomers are the first ones of the probation list, and are tried from the oldest to the newest.
        var newcomer: Int?
        while lists.size(ofList: Self.window) > climber.window, let oldest = lists.last(Self.window) {
            lists.moveToFirst(oldest, of: Self.probation)
            newcomer = newcomer ?? oldest
        }
        while size > capacity {
            switch (newcomer ?? lists.last(Self.window), lists.last(Self.probation)) {
            case (let candidate?, let victim?) where candidate != victim:
                let next = newcomer.flatMap { lists.before($0) }
                discard(admits(candidate, insteadOf: victim) ? victim : candidate)
                newcomer = next
            case (_, let only?):
                if newcomer == only { newcomer = lists.before(only) }
                discard(only)
            case (let only?, nil): discard(only)
            case (nil, nil):
                guard let oldest = lists.last(Self.protected) else { return }
                discard(oldest)
            }
        }
    }

    /// Whether a newcomer was used more often. One that was used several times has a small chance otherwise, so that an attacker cannot keep it
    /// out by making up uses of the victim.
    private mutating func admits(_ candidate: Int, insteadOf victim: Int) -> Bool {
        let uses = sketch.count(of: keys[candidate])
        if uses > sketch.count(of: keys[victim]) { return true }
        return uses >= 6 && random.next() % 128 == 0
    }

    private mutating func discard(_ slot: Int) {
        lists.remove(slot)
        slots.remove(slot)
    }
}

extension TinyLFUPolicy<UnitSizes> {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(UnitSizes.self, capacity: capacity) }
}

extension TinyLFUPolicy<ByteSizes> {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(ByteSizes.self, capacity: byteCapacity) }
}
