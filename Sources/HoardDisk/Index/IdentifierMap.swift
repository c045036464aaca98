// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A map from records' identifiers to numbers, 19 to 25 bytes for each member.
///
/// Identifiers are keyed hashes, so that an attacker cannot choose ones that collide. Zero is no identifier. A large map has 256 parts that grow one by one, so that no
/// caller waits while ten million places are copied.
struct IdentifierMap {
    /// One, or 256 by the first byte of the identifier.
    private var tables: [IdentifierTable]
    private(set) var count = 0

    /// The number of members from which on the map has parts.
    static let dividedCount = 1 << 16

    init(minimumCapacity: Int = 0) {
        guard minimumCapacity > Self.dividedCount else {
            tables = [IdentifierTable(minimumCapacity: minimumCapacity)]
            return
        }
        // Some parts get more than others.
        let share = minimumCapacity / 256
        tables = (0..<256).map { _ in IdentifierTable(minimumCapacity: share + share / 16 + 16) }
    }

    var isEmpty: Bool { count == 0 }

    /// For tests.
    var allocatedByteCount: Int { tables.reduce(0) { $0 + $1.allocatedByteCount } }

    private func part(of identifier: Int64) -> Int { tables.count == 1 ? 0 : Int(UInt64(bitPattern: identifier) >> 56) }

    /// The value of an identifier. O(1).
    subscript(identifier: Int64) -> Int64? { tables[part(of: identifier)][identifier] }

    /// Sets a value and returns the one before. O(1), amortised.
    @discardableResult
    mutating func updateValue(_ value: Int64, forIdentifier identifier: Int64) -> Int64? {
        guard identifier != 0 else { return nil }
        let former = tables[part(of: identifier)].updateValue(value, forIdentifier: identifier)
        if former == nil {
            count += 1
            if count > Self.dividedCount, tables.count == 1 { divide() }
        }
        return former
    }

    /// Removes an identifier and returns its value. O(1).
    @discardableResult
    mutating func removeValue(forIdentifier identifier: Int64) -> Int64? {
        let former = tables[part(of: identifier)].removeValue(forIdentifier: identifier)
        if former != nil { count -= 1 }
        return former
    }

    mutating func removeAll() { self = IdentifierMap() }

    func forEach(_ body: (_ identifier: Int64, _ value: Int64) throws -> Void) rethrows {
        for table in tables { try table.forEach(body) }
    }

    private mutating func divide() {
        var divided = IdentifierMap(minimumCapacity: count + count / 8)
        forEach { divided.updateValue($1, forIdentifier: $0) }
        self = divided
    }
}
