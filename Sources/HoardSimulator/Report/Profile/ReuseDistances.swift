// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Distances at which keys are requested again: the smallest LRU cache, in keys, that hits.
///
/// A key that is requested twice in a row has the distance 1; each other key that is requested in between adds 1. They are exact as long as there are
/// not more than the maximum of keys. Then half of the keys are left out, chosen by a hash, and half of the rest whenever there are too many again. A
/// request for a key that stays counts for those for keys that do not, and its distance is multiplied likewise.
///
/// Mattson, Gecsei, Slutz, Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems Journal 1970. Waldspurger, Park, Garthwaite,
/// Ahmad: Efficient MRC Construction with SHARDS, FAST 2015; the sampling is theirs with a fixed size.
struct ReuseDistances: Sendable {
    /// The last request of a key, or one that was its last.
    private struct Place {
        let number: UInt32
        /// The number of times that the keys can be halved with this one left.
        let halvings: UInt8
    }

    private static let none = UInt32.max

    private let maximumKeys: Int
    private let capacity: Int
    /// In the order of the requests. Those of keys that have been requested again since are not live.
    private var places: [Place] = []
    private var live: LivePlaces
    /// By the number of the key, the place of its last request; ``none`` for a key that is left out.
    private var placeOfKey: [UInt32] = []

    /// The number of times that half of the keys have been left out.
    private(set) var halvings = 0
    private(set) var histogram = PowerHistogram()

    init(maximumKeys: Int = 1 << 16) {
        self.maximumKeys = maximumKeys
        capacity = maximumKeys * 4
        live = LivePlaces(count: 0, capacity: capacity)
    }

    /// Counts a request.
    ///
    /// - Parameter number: A number for the key. New keys get the next ones, from 0.
    /// - Complexity: O(log *n*) in the maximum of keys, amortized.
    mutating func add(_ key: UInt64, number: Int) {
        if number == placeOfKey.count { placeOfKey.append(Self.none) }
        let keyHalvings = mixed(key).leadingZeroBitCount
        guard keyHalvings >= halvings else { return }
        let last = placeOfKey[number]
        if last != Self.none {
            let between = live.count(above: Int(last))
            histogram.add((UInt64(between) << UInt64(halvings)) + 1, times: 1 << halvings)
            live.remove(Int(last))
        }
        if places.count == capacity { compact() }
        placeOfKey[number] = UInt32(places.count)
        live.insert(places.count)
        places.append(Place(number: UInt32(number), halvings: UInt8(keyHalvings)))
        while live.count > maximumKeys {
            halvings += 1
            compact()
        }
    }

    /// Forgets the places that are not live, and the keys that are left out now.
    private mutating func compact() {
        var kept: [Place] = []
        kept.reserveCapacity(capacity)
        for (index, place) in places.enumerated() where live.contains(index) {
            let stays = place.halvings >= halvings
            placeOfKey[Int(place.number)] = stays ? UInt32(kept.count) : Self.none
            if stays { kept.append(place) }
        }
        places = kept
        live = LivePlaces(count: kept.count, capacity: capacity)
    }
}
