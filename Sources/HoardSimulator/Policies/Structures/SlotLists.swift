// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Doubly linked lists of slots. A slot is in one of the lists or in none, has a size, and carries a mark for the policy's own use.
///
/// All operations are O(1). The lists are rings, each with an end of its own before its first slot and after its last.
struct SlotLists<Sizes: SlotSizes>: Sendable {
    private struct Node {
        var previous: UInt32
        var next: UInt32
        /// The list the slot is in; ``none`` if in no list.
        var list: UInt16
        var mark: UInt16
    }

    private static var none: UInt16 { .max }

    private var nodes: [Node]
    private var counts: [Int]
    private var sizes = Sizes()
    /// The sum of each list's sizes, if sizes differ.
    private var sums: [Int]

    /// The ends of the lists come before the slots.
    private var base: Int { counts.count }

    /// Creates empty lists, numbered from 0.
    init(count: Int) {
        counts = Array(repeating: 0, count: count)
        sums = Array(repeating: 0, count: count)
        nodes = (0..<UInt32(count)).map { Node(previous: $0, next: $0, list: Self.none, mark: 0) }
    }

    /// The number of slots that are in a list.
    func count(_ list: Int) -> Int { counts[list] }

    /// The sum of the sizes of a list's slots.
    func size(ofList list: Int) -> Int { Sizes.differ ? sums[list] : counts[list] }

    /// The size of a slot; 1 if sizes do not differ.
    func size(of slot: Int) -> Int { sizes[slot] }

    /// Gives a slot, whether in a list or in none, another size.
    mutating func setSize(_ size: Int, of slot: Int) {
        guard Sizes.differ else { return }
        if let list = list(of: slot) { sums[list] += size - sizes[slot] }
        sizes[slot] = size
    }

    func isEmpty(_ list: Int) -> Bool { counts[list] == 0 }

    /// The list that a slot is in.
    func list(of slot: Int) -> Int? {
        guard base + slot < nodes.count, nodes[base + slot].list != Self.none else { return nil }
        return Int(nodes[base + slot].list)
    }

    /// The first slot of a list.
    func first(_ list: Int) -> Int? { slot(Int(nodes[list].next)) }

    /// The last slot of a list.
    func last(_ list: Int) -> Int? { slot(Int(nodes[list].previous)) }

    /// The slot before another in its list.
    func before(_ slot: Int) -> Int? { self.slot(Int(nodes[base + slot].previous)) }

    /// The policy's note at a slot; 0 when it is new.
    subscript(mark slot: Int) -> Int {
        get { Int(nodes[base + slot].mark) }
        set { nodes[base + slot].mark = UInt16(newValue) }
    }

    /// Puts a slot that is in no list at the beginning of one, and sets its mark.
    mutating func prepend(_ slot: Int, to list: Int, mark: Int = 0) {
        link(slot, after: list, in: list, mark: mark)
    }

    /// Puts a slot that is in no list at the end of one, and sets its mark.
    mutating func append(_ slot: Int, to list: Int, mark: Int = 0) {
        link(slot, after: Int(nodes[list].previous), in: list, mark: mark)
    }

    /// Takes a slot out of its list. The mark stays.
    mutating func remove(_ slot: Int) {
        let node = nodes[base + slot]
        nodes[Int(node.previous)].next = node.next
        nodes[Int(node.next)].previous = node.previous
        counts[Int(node.list)] -= 1
        if Sizes.differ { sums[Int(node.list)] -= sizes[slot] }
        nodes[base + slot].list = Self.none
    }

    /// Takes a slot out of its list and puts it at the beginning of the same or another one. The mark stays.
    mutating func moveToFirst(_ slot: Int, of list: Int) {
        remove(slot)
        prepend(slot, to: list, mark: self[mark: slot])
    }

    private func slot(_ position: Int) -> Int? {
        position < base ? nil : position - base
    }

    private mutating func link(_ slot: Int, after previous: Int, in list: Int, mark: Int) {
        let position = base + slot
        while nodes.count <= position { nodes.append(Node(previous: 0, next: 0, list: Self.none, mark: 0)) }
        let next = nodes[previous].next
        nodes[position] = Node(previous: UInt32(previous), next: next, list: UInt16(list), mark: UInt16(mark))
        nodes[previous].next = UInt32(position)
        nodes[Int(next)].previous = UInt32(position)
        counts[list] += 1
        if Sizes.differ { sums[list] += sizes[slot] }
    }
}
