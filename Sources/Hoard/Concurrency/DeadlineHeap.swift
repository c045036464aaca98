// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Values with deadlines, the earliest first, any of which can be taken back: a binary heap. Adding and taking cost O(log *n*).
struct DeadlineHeap<Value> {
    private var values: [UInt64: Value] = [:]
    /// Ids without a value have been taken back.
    private var heap: [(deadline: Int64, id: UInt64)] = []
    private var lastID: UInt64 = 0

    var count: Int { values.count }
    var isEmpty: Bool { values.isEmpty }

    /// The earliest deadline.
    var firstDeadline: Int64? {
        mutating get {
            while let first = heap.first {
                if values[first.id] != nil { return first.deadline }
                removeFirst()
            }
            return nil
        }
    }

    /// A name for a value that is added later.
    mutating func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ value: Value, id: UInt64, deadline: Int64) {
        values[id] = value
        heap.append((deadline, id))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes a value back. `nil` if it has been taken. O(1) amortised.
    mutating func remove(_ id: UInt64) -> Value? {
        guard let value = values.removeValue(forKey: id) else { return nil }
        if values.isEmpty { heap.removeAll(keepingCapacity: heap.capacity <= 64) } else { dropTakenBack() }
        return value
    }

    /// Takes the values whose deadlines are not after `now`, in their order.
    mutating func takeDue(at now: Int64) -> [Value] {
        var due: [Value] = []
        while let deadline = firstDeadline, deadline <= now, let first = heap.first {
            if let value = values.removeValue(forKey: first.id) { due.append(value) }
            removeFirst()
        }
        return due
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        siftDown(from: 0)
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var least = parent
            let left = parent * 2 + 1
            let right = left + 1
            if left < heap.count, heap[left].deadline < heap[least].deadline { least = left }
            if right < heap.count, heap[right].deadline < heap[least].deadline { least = right }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    /// Forgets cancelled deadlines, once they are most of the heap.
    private mutating func dropTakenBack() {
        guard heap.count > 64, heap.count > values.count * 4 else { return }
        heap.removeAll { values[$0.id] == nil }
        for start in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: start) }
    }
}

extension DeadlineHeap: Sendable where Value: Sendable {}
