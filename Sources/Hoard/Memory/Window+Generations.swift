// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A window that keeps the order of uses as LRU does, to an eighth of its entries, while a hit still moves nothing.
///
/// Time is divided into generations, of which eight are told apart: a new one begins when an eighth of the entries have been used. A hit notes the
/// present generation in its entry. When the turn of an entry to leave has come, but it was used in a younger generation than its own, it moves
/// there, behind all others. So an entry that leaves was last used in the oldest generation. The idea of the multi-generational LRU of Linux (Yu
/// Zhao, 2022), with a mark that readers write instead of one that the processor does.
extension Window {
    struct Generations {
        static let count = 8
        /// So many entries at most are put in order at a time.
        static let movesPerInsertion = 8

        private(set) var present: UInt8 = 7
        /// The first entry of each generation, by its number. A generation without entries begins where the next one does; `none` is behind the newest entry.
        private(set) var first = SIMD8<UInt32>(repeating: .none)

        /// The oldest generation. Numbers go round.
        var oldest: UInt8 { Self.number(present &+ 1) }

        static func number(_ number: UInt8) -> UInt8 { number & 7 }

        /// How old the generations are: 0 for the oldest, 7 for the present one.
        private var ranks: SIMD8<UInt32> { (SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7) &- UInt32(present) &- 1) & 7 }

        func rank(of generation: UInt8) -> UInt8 { Self.number(generation &- present &- 1) }

        /// The entry behind the last one of a generation.
        func end(of generation: UInt8) -> Slot { generation == present ? .none : first[Int(Self.number(generation &+ 1))] }

        /// The generation that the oldest entry stands in.
        func standing(of slot: Slot) -> UInt8 {
            var generation = present
            while generation != oldest, first[Int(generation)] != slot { generation = Self.number(generation &- 1) }
            return generation
        }

        mutating func didAppend(_ slot: Slot) {
            first.replace(with: slot, where: first .== .none)
        }

        /// An entry was put behind the last one of a generation, before `next`.
        mutating func didLink(_ slot: Slot, in generation: UInt8, before next: Slot) {
            first.replace(with: slot, where: (first .== next) .& (ranks .<= UInt32(rank(of: generation))))
        }

        mutating func willUnlink(_ slot: Slot, next: Slot) {
            first.replace(with: next, where: first .== slot)
        }

        /// Gives the youngest entry of the oldest generation to the next one.
        mutating func passOn(_ slot: Slot) {
            first[Int(Self.number(oldest &+ 1))] = slot
        }

        /// Begins a generation. The oldest one must be empty.
        mutating func advance() {
            present = oldest
            first[Int(present)] = .none
        }
    }

    /// Begins to keep the order of uses, or stops. All entries stand in the oldest generation then.
    mutating func keepOrder(_ keepsOrder: Bool) {
        guard keepsOrder != (generations != nil) else { return }
        generations = keepsOrder ? Generations() : nil
        if oldest != .none { generations?.begin(at: oldest) }
    }

    /// Moves the oldest entry to where it belongs by its last use. Returns whether that is elsewhere than where it stood.
    ///
    /// Amortised O(1): each step is paid for by a use since the last one.
    mutating func moveOldestUp(in table: SlotLinks) -> Bool {
        guard let generations, oldest != .none else { return false }
        let generation = table.flags(of: oldest).generation
        guard generations.rank(of: generation) > generations.rank(of: generations.standing(of: oldest)) else { return false }
        move(oldest, to: generation, in: table)
        return true
    }

    /// Puts the oldest entry behind all others.
    mutating func moveOldestToEnd(in table: SlotLinks) {
        let slot = oldest
        remove(slot, in: table)
        append(slot, in: table)
    }

    private mutating func move(_ slot: Slot, to generation: UInt8, in table: SlotLinks) {
        unlink(slot, in: table)
        guard let next = generations?.end(of: generation) else { return }
        link(slot, before: next, in: table)
        generations?.didLink(slot, in: generation, before: next)
    }

    /// Begins a generation, if the oldest one is empty by then: moves some of its entries to where they were used last, or to the next one.
    ///
    /// - Returns: Whether a generation began.
    mutating func advanceGeneration(in table: SlotLinks) -> Bool {
        guard let generations else { return false }
        let oldestGeneration = generations.oldest
        for _ in 0..<Generations.movesPerInsertion {
            guard let end = self.generations?.end(of: oldestGeneration) else { return false }
            let last = end == .none ? newest : table.previous(of: end)
            guard last != .none else { break }
            var flags = table.flags(of: last)
            if flags.generation == oldestGeneration {
                flags.generation = Generations.number(oldestGeneration &+ 1)
                table.setFlags(flags, of: last)
                self.generations?.passOn(last)
            } else {
                move(last, to: flags.generation, in: table)
            }
        }
        guard let end = self.generations?.end(of: oldestGeneration), end == oldest else { return false }
        self.generations?.advance()
        return true
    }

    /// All entries, those that would leave first before the others.
    func forEach(in table: SlotLinks, _ body: (Slot) -> Void) {
        var ranks: [[Slot]] = Array(repeating: [], count: generations == nil ? 0 : Generations.count)
        var slot = oldest
        while slot != .none {
            if let generations {
                ranks[Int(generations.rank(of: table.flags(of: slot).generation))].append(slot)
            } else {
                body(slot)
            }
            slot = table.next(of: slot)
        }
        for slots in ranks { slots.forEach(body) }
    }

    func checkGenerations(in table: SlotLinks) {
        guard let generations else { return }
        var slot = oldest
        for rank in UInt8(0)..<8 {
            let generation = Generations.number(generations.oldest &+ rank)
            while slot != generations.first[Int(generation)] {
                precondition(slot != .none, "a generation begins nowhere")
                slot = table.next(of: slot)
            }
        }
        precondition(generations.first[Int(generations.oldest)] == oldest, "entries before the oldest generation")
    }
}

extension Window.Generations {
    /// Puts all entries of the window, of which `slot` is the oldest, into the oldest generation.
    fileprivate mutating func begin(at slot: Slot) { first[Int(oldest)] = slot }
}
