// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A part of an ``IdentifierMap``: linear probing in the order of the hashes (Amble and Knuth, The Computer Journal 1974).
///
/// A member lies in its home or behind it, and before every member with a greater hash. So a search for one that is not there is as short as any other, even
/// when five of six places are taken, and the table grows by a quarter: it has 19 to 25 bytes for each member. A table that doubles has up to 43.
struct IdentifierTable {
    /// The hash is 0 if the place is empty.
    private struct Place {
        var hash: UInt64 = 0
        var value: Int64 = 0
    }

    /// Homes, and some places behind them for those whose homes are at the end. The last place is empty.
    private var places: [Place]
    private var homeCount: Int
    private(set) var count = 0

    init(minimumCapacity: Int = 0) { self.init(homeCount: minimumCapacity + minimumCapacity / 5 + 1) }

    /// - Parameter tailCount: The number of places behind the homes; `nil`: as many as hashes need that are at random.
    private init(homeCount: Int, tailCount: Int? = nil) {
        self.homeCount = max(homeCount, 48)
        places = Array(repeating: Place(), count: self.homeCount + (tailCount ?? self.homeCount / 64 + 16))
    }

    var allocatedByteCount: Int { places.count * MemoryLayout<Place>.stride }

    /// The number of members from which on the table grows.
    private var limit: Int { homeCount - homeCount / 6 }

    /// An odd multiplier gives each identifier a hash of its own, and consecutive numbers hashes far apart. `inverse` undoes it.
    private static let (multiplier, inverse): (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xF1DE_83E1_9937_733D)

    private static func hash(_ identifier: Int64) -> UInt64 { UInt64(bitPattern: identifier) &* multiplier }

    /// The identifier that has a hash.
    static func identifier(of hash: UInt64) -> Int64 { Int64(bitPattern: hash &* inverse) }

    /// Homes are in the order of the hashes.
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(homeCount)).high) }

    /// Where a hash is, or where it belongs.
    private func search(_ hash: UInt64) -> (index: Int, isThere: Bool) {
        var index = home(hash)
        while true {
            let found = places[index].hash
            if found >= hash { return (index, found == hash && hash != 0) }
            if found == 0 { return (index, false) }
            index += 1
        }
    }

    /// The value of an identifier. O(1).
    subscript(identifier: Int64) -> Int64? {
        let (index, isThere) = search(Self.hash(identifier))
        return isThere ? places[index].value : nil
    }

    /// Sets a value and returns the one before. O(1), amortised.
    @discardableResult
    mutating func updateValue(_ value: Int64, forIdentifier identifier: Int64) -> Int64? {
        let hash = Self.hash(identifier)
        let found = search(hash)
        var index = found.index
        if found.isThere {
            defer { places[index].value = value }
            return places[index].value
        }
        guard identifier != 0 else { return nil }
        while !insert(Place(hash: hash, value: value), at: index) {
            grow()
            index = search(hash).index
        }
        return nil
    }

    /// - Returns: Whether there was room.
    private mutating func insert(_ place: Place, at index: Int) -> Bool {
        guard count < limit else { return false }
        var end = index
        while places[end].hash != 0 { end += 1 }
        guard end < places.count - 1 else { return false }
        while end > index {
            places[end] = places[end - 1]
            end -= 1
        }
        places[index] = place
        count += 1
        return true
    }

    /// Removes an identifier and returns its value. O(1).
    @discardableResult
    mutating func removeValue(forIdentifier identifier: Int64) -> Int64? {
        let (index, isThere) = search(Self.hash(identifier))
        guard isThere else { return nil }
        let value = places[index].value
        // The members behind it move one place towards the beginning, up to the first that is in its home.
        var next = index + 1
        while places[next].hash != 0, home(places[next].hash) < next {
            places[next - 1] = places[next]
            next += 1
        }
        places[next - 1] = Place()
        count -= 1
        return value
    }

    func forEach(_ body: (_ identifier: Int64, _ value: Int64) throws -> Void) rethrows {
        for place in places where place.hash != 0 { try body(Self.identifier(of: place.hash), place.value) }
    }

    private mutating func grow() {
        // If there is room, it is the tail that is full: hashes that are not at random.
        var larger =
            count < limit
            ? IdentifierTable(homeCount: homeCount, tailCount: 2 * (places.count - homeCount)) : IdentifierTable(homeCount: homeCount + homeCount / 4)
        while !larger.fill(with: self) {
            larger = IdentifierTable(homeCount: larger.homeCount, tailCount: 2 * (larger.places.count - larger.homeCount))
        }
        self = larger
    }

    /// Takes the members of another table, in order. This one is empty.
    ///
    /// - Returns: Whether there was room.
    private mutating func fill(with other: IdentifierTable) -> Bool {
        var next = 0
        for place in other.places where place.hash != 0 {
            next = max(next, home(place.hash))
            guard next < places.count - 1 else { return false }
            places[next] = place
            next += 1
        }
        count = other.count
        return true
    }
}
