// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Slots with priorities, the least first: a binary heap that knows where each slot is. Of equal priorities, the one given first comes first.
struct SlotHeap: Sendable {
    private struct Element {
        let priority: Double
        let order: UInt64
        let slot: Int

        func comes(before other: Element) -> Bool {
            priority == other.priority ? order < other.order : priority < other.priority
        }
    }

    private var elements: [Element] = []
    /// The place of each slot; -1 if it has no priority.
    private var places: [Int] = []
    private var order: UInt64 = 0

    var count: Int { elements.count }

    /// The slot with the least priority.
    var first: (slot: Int, priority: Double)? { elements.first.map { ($0.slot, $0.priority) } }

    /// Gives a slot a priority, also if it has one. O(log *n*).
    mutating func set(_ priority: Double, of slot: Int) {
        while places.count <= slot { places.append(-1) }
        order += 1
        let element = Element(priority: priority, order: order, slot: slot)
        if places[slot] < 0 {
            places[slot] = elements.count
            elements.append(element)
            moveUp(element)
        } else {
            settle(element, at: places[slot])
        }
    }

    /// Whether a slot has a priority. O(1).
    func holds(_ slot: Int) -> Bool { slot < places.count && places[slot] >= 0 }

    /// Takes the priority from a slot that has one. O(log *n*).
    mutating func remove(_ slot: Int) {
        let place = places[slot]
        places[slot] = -1
        guard let last = elements.popLast(), place < elements.count else { return }
        settle(last, at: place)
    }

    private mutating func settle(_ element: Element, at place: Int) {
        put(element, at: place)
        moveUp(element)
        moveDown(element)
    }

    private mutating func moveUp(_ element: Element) {
        var place = places[element.slot]
        while place > 0, element.comes(before: elements[(place - 1) / 2]) {
            put(elements[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(element, at: place)
    }

    private mutating func moveDown(_ element: Element) {
        var place = places[element.slot]
        while true {
            var child = place * 2 + 1
            guard child < elements.count else { break }
            if child + 1 < elements.count, elements[child + 1].comes(before: elements[child]) { child += 1 }
            guard elements[child].comes(before: element) else { break }
            put(elements[child], at: place)
            place = child
        }
        put(element, at: place)
    }

    private mutating func put(_ element: Element, at place: Int) {
        elements[place] = element
        places[element.slot] = place
    }
}
