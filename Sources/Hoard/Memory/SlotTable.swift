// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// The unsafe code of the memory cache is here, in SlotColumns, EntryTable and ShardCells. Everything else reaches memory through their handles.

/// The number of an entry's place in a table.
@usableFromInline typealias Slot = UInt32

extension Slot {
    /// No slot: the end of a list, or a key that is not there.
    @usableFromInline static var none: Slot { .max }
}

/// The flags of an entry beside its key and value, in one byte.
@usableFromInline struct SlotFlags: Sendable, Equatable {
    @usableFromInline var bits: UInt8

    @inlinable init(bits: UInt8) { self.bits = bits }

    /// In which list an entry is.
    @usableFromInline enum Segment: UInt8, Sendable { case free = 0, window = 1, main = 2, pinned = 3 }

    @inlinable static var maximumUses: UInt8 { 3 }
    @inlinable static var negativeBit: UInt8 { 1 << 4 }
    @inlinable static var detailsBit: UInt8 { 1 << 5 }
    @inlinable static var dueSoonBit: UInt8 { 1 << 6 }

    /// The number of times that the entry was read, up to 3: the CLOCK's counter.
    @inlinable var uses: UInt8 {
        get { bits & 3 }
        set { bits = bits & ~3 | newValue & 3 }
    }

    /// In which generation of a ``Window`` that keeps the order of uses the entry was last used. Takes the place of ``uses``.
    @inlinable var generation: UInt8 {
        get { bits & 3 | bits >> 5 & 4 }
        set { bits = bits & ~0x83 | newValue & 3 | (newValue & 4) << 5 }
    }

    @inlinable var segment: Segment {
        get { Segment(rawValue: bits >> 2 & 3) ?? .free }
        set { bits = bits & ~(3 << 2) | newValue.rawValue << 2 }
    }

    /// The entry says that there is no value; its place for a value is empty.
    @inlinable var isNegative: Bool {
        get { bits & Self.negativeBit != 0 }
        set { bits = newValue ? bits | Self.negativeBit : bits & ~Self.negativeBit }
    }

    /// The entry's deadline may lie before the ``TimerWheel/horizon``. The wheel keeps this mark.
    @inlinable var isDueSoon: Bool {
        get { bits & Self.dueSoonBit != 0 }
        set { bits = newValue ? bits | Self.dueSoonBit : bits & ~Self.dueSoonBit }
    }

    /// Whether a read has to know more than the value.
    @inlinable var isSpecial: Bool { bits & (Self.negativeBit | Self.dueSoonBit) != 0 }

    /// The shard keeps tags or an error for the entry.
    @inlinable var hasDetails: Bool {
        get { bits & Self.detailsBit != 0 }
        set { bits = newValue ? bits | Self.detailsBit : bits & ~Self.detailsBit }
    }
}

/// The part of a table of entries that does not depend on the types of keys and values: the index, and a few numbers for each entry.
///
/// The index is an open-addressing table of 4-byte words (``IndexWord``) with linear probing. One cache line holds 16 words, so that a lookup touches
/// one line of the index and the entry; 8 bits of the hash spare the comparison with 255 of 256 other keys. An entry's home is `hash * size >> 32`,
/// which needs no power of two, so that a full table has the load that was chosen for it. Removal shifts later words back; there are no tombstones.
/// Words say how far they are from home for that: the hashes of the neighbours would each be a line of memory of their own.
///
/// Each kind of number has a column of its own. Columns for weights and times exist only in tables that need them.
///
/// A handle: copies share the memory, which ``deallocate()`` frees. Not thread-safe; its shard's lock guards it.
@usableFromInline struct SlotTable {
    /// More than 24 bits of slot number do not fit into a word of the index.
    @usableFromInline static let maximumCapacity = IndexWord.maximumCapacity

    @inlinable static var countsUses: UInt8 { .max }

    // The fields that every read needs come first, to lie in one cache line with the shard's lock.
    @usableFromInline var index: UnsafeMutablePointer<UInt32>
    @usableFromInline var indexSize: UInt32
    /// Before this time no entry expires that is not marked as due soon; in ticks, which are short to lie in this line. `never` until an entry can expire.
    @usableFromInline var horizon = SlotTicks.never
    @usableFromInline var flags: UnsafeMutablePointer<SlotFlags>
    @usableFromInline var layout: IndexWord.Layout
    /// The present generation of a window that keeps the order of uses; ``countsUses`` if uses are counted instead.
    @usableFromInline var generation = SlotTable.countsUses
    /// The number of entries that were used for the first time in the present generation, new ones included.
    @usableFromInline var usesInGeneration: UInt32 = 0
    @usableFromInline var nodes: UnsafeMutablePointer<SlotLinks.Node>
    @usableFromInline var weights: UnsafeMutablePointer<Int>?
    @usableFromInline var deadlines: UnsafeMutablePointer<Int64>?
    @usableFromInline var writeTimes: UnsafeMutablePointer<Int64>?
    var timers: UnsafeMutablePointer<SlotTimers.Timer>?

    /// The number of slots.
    @usableFromInline var capacity: Int
    /// The number of entries.
    @usableFromInline var count = 0
    private var firstFree: Slot = .none
    /// Slots from here on have never been used.
    private var firstUnused: Slot = 0

    @usableFromInline init(capacity: Int, hasWeights: Bool) {
        self.capacity = capacity
        indexSize = Self.indexSize(forCapacity: capacity)
        layout = .init(capacity: capacity)
        index = .allocate(capacity: Int(indexSize))
        index.initialize(repeating: IndexWord.empty, count: Int(indexSize))
        nodes = .allocate(capacity: capacity)
        flags = .allocate(capacity: capacity)
        flags.initialize(repeating: SlotFlags(bits: 0), count: capacity)
        if hasWeights { weights = .allocate(capacity: capacity) }
    }

    @usableFromInline func deallocate() {
        index.deallocate()
        nodes.deallocate()
        flags.deallocate()
        weights?.deallocate()
        deadlines?.deallocate()
        writeTimes?.deallocate()
        timers?.deallocate()
    }

    /// A full table is loaded to three fifths: about 1.8 words are looked at for a hit, 3.6 for a miss.
    private static func indexSize(forCapacity capacity: Int) -> UInt32 {
        UInt32(max(8, capacity + capacity * 2 / 3 + 1))
    }

    /// Whether there is no slot left for another entry.
    @inlinable var isFull: Bool { count == capacity }
}

// MARK: Index

extension SlotTable {
    @inlinable func home(of hash: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(hash) &* UInt64(indexSize)) &>> 32)
    }

    @inlinable func position(after position: UInt32) -> UInt32 {
        let next = position &+ 1
        return next == indexSize ? 0 : next
    }

    /// The slot of the entry with this hash for which `isMatch` holds, or `none`.
    @inlinable @inline(__always)
    func find(_ hash: UInt32, where isMatch: (Slot) -> Bool) -> Slot {
        var position = home(of: hash)
        while true {
            let word = index[Int(position)]
            if (word ^ hash) & 0xFF == 0 {
                if word == IndexWord.empty { return .none }
                let slot = layout.slot(of: word)
                if isMatch(slot) { return slot }
            } else if word == IndexWord.empty {
                return .none
            }
            position = self.position(after: position)
        }
    }

    /// Takes a free slot for a new entry. There must be one.
    @usableFromInline mutating func allocate(_ hash: UInt32) -> Slot {
        let slot: Slot
        if firstFree != .none {
            slot = firstFree
            firstFree = nodes[Int(slot)].next
        } else {
            slot = firstUnused
            firstUnused += 1
        }
        assert(slot < capacity, "no slot is free")
        nodes[Int(slot)] = .init(hash: hash, previous: .none, next: .none)
        flags[Int(slot)] = SlotFlags(bits: 0)
        weights?[Int(slot)] = 1
        deadlines?[Int(slot)] = .max
        writeTimes?[Int(slot)] = 0
        timers?[Int(slot)] = .init()
        count += 1
        link(slot)
        return slot
    }

    /// Mutating, like ``closeHole(_:)``, because others get a copy of the table.
    private mutating func link(_ slot: Slot) {
        let hash = nodes[Int(slot)].hash
        var position = home(of: hash)
        var distance: UInt32 = 0
        while index[Int(position)] != IndexWord.empty {
            position = self.position(after: position)
            distance += 1
        }
        index[Int(position)] = layout.word(slot, hash: hash, distance: distance)
    }

    /// Frees a slot. Its entry must be in no list.
    @usableFromInline mutating func free(_ slot: Slot) {
        var hole = home(of: nodes[Int(slot)].hash)
        while layout.slot(of: index[Int(hole)]) != slot { hole = position(after: hole) }
        closeHole(hole)
        nodes[Int(slot)].next = firstFree
        flags[Int(slot)] = SlotFlags(bits: 0)
        firstFree = slot
        count -= 1
    }

    /// Moves back the words behind a hole whose homes do not lie behind it. (Knuth, The Art of Computer Programming 3, §6.4, algorithm R.)
    private mutating func closeHole(_ start: UInt32) {
        var hole = start
        var position = hole
        var distanceOfHole: UInt32 = 0
        while true {
            position = self.position(after: position)
            distanceOfHole += 1
            let word = index[Int(position)]
            if word == IndexWord.empty { break }
            let distance = layout.distance(of: word) ?? distanceFromHome(of: layout.slot(of: word), at: position)
            if distance >= distanceOfHole {
                index[Int(hole)] = layout.word(word, distance: distance - distanceOfHole)
                hole = position
                distanceOfHole = 0
            }
        }
        index[Int(hole)] = IndexWord.empty
    }

    private func distanceFromHome(of slot: Slot, at position: UInt32) -> UInt32 {
        let home = home(of: nodes[Int(slot)].hash)
        return position >= home ? position - home : position + indexSize - home
    }

    /// Makes room for more entries. Slots keep their numbers. O(*n*).
    @usableFromInline mutating func grow(to newCapacity: Int) {
        assert(newCapacity > capacity && newCapacity <= Self.maximumCapacity, "a table only grows")
        nodes = Self.moved(nodes, count: capacity, to: newCapacity)
        flags = Self.moved(flags, count: capacity, to: newCapacity)
        (flags + capacity).initialize(repeating: SlotFlags(bits: 0), count: newCapacity - capacity)
        weights = weights.map { Self.moved($0, count: capacity, to: newCapacity) }
        deadlines = deadlines.map { Self.moved($0, count: capacity, to: newCapacity) }
        writeTimes = writeTimes.map { Self.moved($0, count: capacity, to: newCapacity) }
        timers = timers.map { Self.moved($0, count: capacity, to: newCapacity) }
        capacity = newCapacity
        index.deallocate()
        indexSize = Self.indexSize(forCapacity: newCapacity)
        layout = .init(capacity: newCapacity)
        index = .allocate(capacity: Int(indexSize))
        index.initialize(repeating: IndexWord.empty, count: Int(indexSize))
        for slot in 0..<firstUnused where flags[Int(slot)].segment != .free { link(slot) }
    }

    private static func moved<Element>(_ column: UnsafeMutablePointer<Element>, count: Int, to capacity: Int) -> UnsafeMutablePointer<Element> {
        let new = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        new.moveInitialize(from: column, count: count)
        column.deallocate()
        return new
    }

    /// Adds the columns for times, in which no entry expires yet.
    mutating func addTimes(hasWriteTimes: Bool) {
        if deadlines == nil {
            let column = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
            column.initialize(repeating: .max, count: capacity)
            deadlines = column
            let timers = UnsafeMutablePointer<SlotTimers.Timer>.allocate(capacity: capacity)
            timers.initialize(repeating: .init(), count: capacity)
            self.timers = timers
        }
        if hasWriteTimes, writeTimes == nil {
            let column = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
            column.initialize(repeating: 0, count: capacity)
            writeTimes = column
        }
    }
}

// MARK: Columns

extension SlotTable {
    /// The columns that the policy works with.
    @inlinable var links: SlotLinks { SlotLinks(nodes: nodes, flags: flags, weights: weights) }

    /// The columns that the timer wheel works with, if entries can expire.
    var timerColumns: SlotTimers? {
        guard let timers, let deadlines else { return nil }
        return SlotTimers(timers: timers, deadlines: deadlines, flags: flags)
    }

    @inlinable func flags(of slot: Slot) -> SlotFlags {
        assert(slot < capacity, "a slot beyond the table")
        return flags[Int(slot)]
    }

    /// Counts a use of an entry whose flags are known, or notes when it was. All that a hit writes to it.
    @inlinable @inline(__always)
    mutating func countUse(of slot: Slot, _ flags: SlotFlags) {
        var flags = flags
        if generation == Self.countsUses {
            guard flags.uses < SlotFlags.maximumUses else { return }
            flags.uses &+= 1
        } else {
            guard flags.generation != generation else { return }
            flags.generation = generation
            usesInGeneration &+= 1
        }
        setFlags(flags, of: slot)
    }

    @inlinable func setFlags(_ newFlags: SlotFlags, of slot: Slot) {
        assert(slot < capacity, "a slot beyond the table")
        flags[Int(slot)] = newFlags
    }

    @inlinable func hash(of slot: Slot) -> UInt32 { nodes[Int(slot)].hash }
    func weight(of slot: Slot) -> Int { links.weight(of: slot) }

    /// The tick at which the entry expires; `Int64.max` for never.
    @inlinable func deadline(of slot: Slot) -> Int64 { deadlines?[Int(slot)] ?? .max }
    @inlinable func setDeadline(_ deadline: Int64, of slot: Slot) { deadlines?[Int(slot)] = deadline }

    @usableFromInline func writeTime(of slot: Slot) -> Int64? { writeTimes?[Int(slot)] }
    @usableFromInline func setWriteTime(_ time: Int64, of slot: Slot) { writeTimes?[Int(slot)] = time }

    /// The slots that have ever been used; free ones among them have the segment `free`.
    @usableFromInline var usedSlots: Range<Slot> { 0..<firstUnused }
}

// MARK: Invariants

extension SlotTable {
    /// Checks that the index finds every entry and nothing else. For tests.
    func checkInvariants() {
        var indexed = 0
        for position in 0..<indexSize where index[Int(position)] != IndexWord.empty {
            let word = index[Int(position)]
            let slot = layout.slot(of: word)
            precondition(slot < firstUnused && flags[Int(slot)].segment != .free, "the index names a free slot")
            let distance = distanceFromHome(of: slot, at: position)
            precondition(word == layout.word(slot, hash: nodes[Int(slot)].hash, distance: distance), "the index has another entry's hash or distance")
            precondition(find(nodes[Int(slot)].hash) { $0 == slot } == slot, "an entry cannot be found")
            indexed += 1
        }
        precondition(indexed == count, "the index and the count disagree")
        precondition(usedSlots.count { flags(of: $0).segment != .free } == count, "an entry is in no list")
        var free = 0
        var slot = firstFree
        while slot != .none {
            precondition(flags[Int(slot)].segment == .free, "a free slot is in use")
            free += 1
            precondition(free <= capacity, "the free slots form a ring")
            slot = nodes[Int(slot)].next
        }
        precondition(free + count == Int(firstUnused), "a slot is lost")
    }
}
