// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The value that a record's key had when it was last seen.
///
/// Values are told apart by the random number that each one begins with (``StoredRecord``).
enum RecordVersion: Sendable, Hashable {
    /// There was no value, or one that is too short to be a record or a tombstone.
    case absent
    case number(UInt64)
}

/// The versions that a process has seen lately, and since when.
struct VersionTable: Sendable {
    struct Sighting: Sendable, Hashable {
        let version: RecordVersion
        /// A moment at which the version had been seen already.
        let moment: UInt64
    }

    private var sightings: AgingTable<Sighting>

    init(capacity: Int) {
        sightings = AgingTable(capacity: capacity)
    }

    /// Notes a version that a reply has told, at the moment at which the reply came.
    mutating func note(_ version: RecordVersion, of key: KeyHash, at moment: UInt64) {
        // A version never comes back, so a version that was seen before has been there all the time. Absence does come
        // back.
        if case .number = version, sightings[key]?.version == version { return }
        _ = sightings.insert(Sighting(version: version, moment: moment), for: key)
    }

    /// The version of a key and since when it has been seen, if known.
    mutating func sighting(of key: KeyHash) -> Sighting? { sightings[key] }

    mutating func forget(_ key: KeyHash) { sightings.remove(key) }

    mutating func forgetEverything() { sightings.removeAll() }

    var count: Int { sightings.count }
}
