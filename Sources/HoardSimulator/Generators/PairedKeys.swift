// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// New keys, each of which comes `times` times in all. The distance from one time to the next is counted in new keys of this stream.
struct PairedKeys: KeyStream {
    private struct Return {
        var key: UInt64
        var timesLeft: Int
    }

    private let distances: ClosedRange<Int>
    private let times: Int
    private var lastKey: UInt64
    private var clock = 0
    /// The keys that are due at each of the next moments, in a ring.
    private var due: [[Return]]
    private var dueNow: [Return] = []

    init(space: UInt64, distances: ClosedRange<Int>, times: Int = 2) {
        self.distances = distances
        self.times = times
        lastKey = space
        due = Array(repeating: [], count: distances.upperBound + 2)
    }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        if let back = dueNow.popLast() {
            schedule(back.key, timesLeft: back.timesLeft - 1, &random)
            return back.key
        }
        clock += 1
        let place = clock % due.count
        swap(&dueNow, &due[place])
        lastKey += 1
        schedule(lastKey, timesLeft: times - 1, &random)
        return lastKey
    }

    private mutating func schedule(_ key: UInt64, timesLeft: Int, _ random: inout SplitMix64) {
        guard timesLeft > 0 else { return }
        let distance = distances.lowerBound + random.number(below: distances.count)
        due[(clock + distance) % due.count].append(Return(key: key, timesLeft: timesLeft))
    }
}
