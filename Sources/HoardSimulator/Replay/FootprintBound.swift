// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bound on the hits of every policy where objects have sizes: the hits with the smallest footprints that the cache has room for on average.
///
/// Berger, Beckmann, Harchol-Balter: Practical Bounds on Optimal Caching with Variable Object Sizes, POMACS 2(2) (SIGMETRICS), 2018, the
/// relaxation PFOO-L.
///
/// The footprint of a hit is the size of its object times the number of requests that it has to stay for. The cache has its capacity times the
/// number of all requests, and may use it whenever it likes, as no real cache can. The cheapest hits come first, for the bytes of hits those
/// that are cheapest for each byte, and likewise for the saved time: the three bounds are those of three different choices.
final class FootprintBound: Replaying {
    private struct Hit {
        let footprint: Double
        let bytes: Int
        let microseconds: Int
    }

    private let held: HeldTrace
    private let nextUses: [UInt32]
    private let capacity: Int
    private let result = Mutex<HitTally?>(nil)

    init(_ held: HeldTrace, nextUses: [UInt32], capacity: Int) {
        self.held = held
        self.nextUses = nextUses
        self.capacity = capacity
    }

    var tally: HitTally { result.withLock { $0 ?? HitTally() } }
    /// It holds no keys.
    var count: Int { 0 }
    var size: Int { 0 }

    /// Computes the bound when the first requests come. It needs all of them, and has them.
    func replay(_ batch: RequestBatch) {
        result.withLock { $0 = $0 ?? bound() }
    }

    private func bound() -> HitTally {
        var hits: [Hit] = nextUses.indices.compactMap { place in
            let size = held.chargedBytes(place)
            guard nextUses[place] != AccessTrace.never, size <= capacity else { return nil }
            let distance = Double(nextUses[place]) - Double(place)
            let request = held.request(Int(nextUses[place]))
            return Hit(
                footprint: Double(size) * distance,
                bytes: request.knownBytes,
                microseconds: Int(request.cost ?? 0)
            )
        }
        let room = Double(capacity) * Double(nextUses.count)
        var tally = HitTally()
        hits.sort { $0.footprint < $1.footprint }
        tally.hits = Int(Self.most(of: hits, room: room) { _ in 1 })
        // The most for each unit of the footprint first.
        hits.sort { Double($0.bytes) * $1.footprint > Double($1.bytes) * $0.footprint }
        tally.bytes = Int(clamping: Self.most(of: hits, room: room) { $0.bytes })
        hits.sort { Double($0.microseconds) * $1.footprint > Double($1.microseconds) * $0.footprint }
        tally.microseconds = Int(Self.most(of: hits, room: room) { $0.microseconds })
        return tally
    }

    /// The sum of values of the first hits that there is room for, with the part of the last one that fits.
    private static func most(of hits: [Hit], room: Double, _ value: (Hit) -> Int) -> Double {
        var (room, sum) = (room, 0.0)
        for hit in hits {
            guard hit.footprint <= room else { return sum + Double(value(hit)) * room / hit.footprint }
            room -= hit.footprint
            sum += Double(value(hit))
        }
        return sum
    }
}
