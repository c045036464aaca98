// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A part of an ``IdentifierMap``: open addressing with linear probing.
struct IdentifierTable {
    private struct Place {
        var identifier: Int64 = 0
        var value: Int64 = 0
    }

    private var places: [Place]
    private var mask: Int
    private(set) var count = 0

    init(minimumCapacity: Int = 0) {
        var capacity = 64
        while capacity * 3 / 4 < minimumCapacity { capacity *= 2 }
        places = Array(repeating: Place(), count: capacity)
        mask = capacity - 1
    }

    private func firstPlace(of identifier: Int64) -> Int {
        Int(truncatingIfNeeded: identifier ^ identifier >> 32) & mask
    }

    /// The place that has `identifier`, or the empty one where it belongs.
    private func place(of identifier: Int64) -> Int {
        var index = firstPlace(of: identifier)
        while true {
            let found = places[index].identifier
            if found == identifier || found == 0 { return index }
            index = (index + 1) & mask
        }
    }

    /// The value of an identifier. O(1).
    subscript(identifier: Int64) -> Int64? {
        let place = places[place(of: identifier)]
        return place.identifier == 0 ? nil : place.value
    }

    /// Sets a value and returns the one before. O(1), amortised.
    @discardableResult
    mutating func updateValue(_ value: Int64, forIdentifier identifier: Int64) -> Int64? {
        let index = place(of: identifier)
        if places[index].identifier != 0 {
            defer { places[index].value = value }
            return places[index].value
        }
        guard identifier != 0 else { return nil }
        places[index] = Place(identifier: identifier, value: value)
        count += 1
        if count > places.count / 4 * 3 { grow() }
        return nil
    }

    /// Removes an identifier and returns its value. O(1).
    @discardableResult
    mutating func removeValue(forIdentifier identifier: Int64) -> Int64? {
        var hole = place(of: identifier)
        guard places[hole].identifier != 0 else { return nil }
        let value = places[hole].value
        count -= 1
        // Moves later members of the run into the hole, so that no search ends too early. No markers are left behind.
        var index = hole
        while true {
            index = (index + 1) & mask
            let candidate = places[index].identifier
            if candidate == 0 { break }
            let distance = (index &- firstPlace(of: candidate)) & mask
            if distance >= (index &- hole) & mask {
                places[hole] = places[index]
                hole = index
            }
        }
        places[hole] = Place()
        return value
    }

    func forEach(_ body: (_ identifier: Int64, _ value: Int64) throws -> Void) rethrows {
        for place in places where place.identifier != 0 { try body(place.identifier, place.value) }
    }

    private mutating func grow() {
        var larger = IdentifierTable(minimumCapacity: places.count)
        forEach { larger.updateValue($1, forIdentifier: $0) }
        self = larger
    }
}
