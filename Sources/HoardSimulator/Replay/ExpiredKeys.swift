// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The keys of objects that will expire, by when they do.
struct ExpiredKeys: Sendable {
    private var heap = SlotHeap()
    /// The key of each number.
    private var keys: [UInt64] = []
    /// Whether the object of each number was removed because it had expired, and has not been loaded since.
    private var areReclaimed: [Bool] = []

    /// Says when an object expires; `UInt64.max` for never. O(log *n*).
    mutating func set(_ deadline: UInt64, of key: UInt64, _ number: Int) {
        while keys.count <= number {
            keys.append(0)
            areReclaimed.append(false)
        }
        keys[number] = key
        areReclaimed[number] = false
        // Milliseconds of 285,000 years are exact.
        if deadline < .max { heap.set(Double(deadline), of: number) } else if heap.holds(number) { heap.remove(number) }
    }

    /// Takes a key whose object has expired by a time; `nil` if there is none. O(log *n*).
    mutating func next(at time: UInt64) -> (key: UInt64, number: Int)? {
        guard let (number, deadline) = heap.first, deadline <= Double(time) else { return nil }
        heap.remove(number)
        return (keys[number], number)
    }

    /// Notes that an expired object was still there, and was removed.
    mutating func noteReclaimed(_ number: Int) { areReclaimed[number] = true }

    func wasReclaimed(_ number: Int) -> Bool { number < areReclaimed.count && areReclaimed[number] }
}
