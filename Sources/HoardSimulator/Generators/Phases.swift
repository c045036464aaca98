// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Streams that take turns.
struct Phases: KeyStream {
    private var streams: [any KeyStream]
    private let lengths: [Int]
    /// By how much of its length a phase may be longer or shorter.
    private let variation: Double
    private var current = 0
    private var left: Int

    init(_ streams: [any KeyStream], lengths: [Int], variation: Double = 0) {
        self.streams = streams
        self.lengths = lengths
        self.variation = variation
        left = lengths[0]
    }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        if left == 0 {
            current = (current + 1) % streams.count
            left = max(1, Int(Double(lengths[current]) * random.number(in: 1 - variation...1 + variation)))
        }
        left -= 1
        return streams[current].next(&random)
    }
}

/// A working set that is replaced all at once; a scan of keys that come once may lie between two of them.
struct Crashes: KeyStream {
    private var workingSet: HotKeys
    private var oneShots: OneShotKeys
    /// The accesses for which a working set stays, give or take two fifths.
    private let stay: Int
    private let scan: Int
    /// The share of keys that come once while a working set stays.
    private let noise: Double
    private var left: Int
    private var isScanning = false

    init(_ workingSet: HotKeys, _ oneShots: OneShotKeys, stay: Int, scan: Int, noise: Double) {
        self.workingSet = workingSet
        self.oneShots = oneShots
        self.stay = stay
        self.scan = scan
        self.noise = noise
        left = stay
    }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        if left == 0 {
            isScanning = !isScanning && scan > 0
            if !isScanning { workingSet.replace() }
            left = isScanning ? scan : max(1, Int(Double(stay) * random.number(in: 0.6...1.4)))
        }
        left -= 1
        if isScanning { return oneShots.next(&random) }
        return random.unit() < noise ? oneShots.next(&random) : workingSet.next(&random)
    }
}
