// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Streams of which each access takes one, by their shares. The shares go from one list to another and back while the trace goes on.
struct Mixture: KeyStream {
    private var streams: [any KeyStream]
    private let from: [Double]
    private let to: [Double]
    /// The accesses in which the shares go from one list to the other.
    private let period: Int
    private var shares: [Double]
    private var time = 0

    init(_ streams: [any KeyStream], shares: [Double]) {
        self.init(streams, from: shares, to: shares, period: .max)
    }

    init(_ streams: [any KeyStream], from: [Double], to: [Double], period: Int) {
        self.streams = streams
        self.from = from
        self.to = to
        self.period = max(1, period)
        shares = from
    }

    mutating func next(_ random: inout SplitMix64) -> UInt64 {
        if period < .max, time % 64 == 0 {
            let position = Double(time % (2 * period)) / Double(period)
            let way = position <= 1 ? position : 2 - position
            shares = zip(from, to).map { $0 + ($1 - $0) * way }
        }
        time += 1
        var rest = random.unit() * shares.reduce(0, +)
        var chosen = 0
        while chosen < streams.count - 1 {
            rest -= shares[chosen]
            if rest < 0 { break }
            chosen += 1
        }
        return streams[chosen].next(&random)
    }
}
