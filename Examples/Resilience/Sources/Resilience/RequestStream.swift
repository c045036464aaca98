// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting

/// A request for the value of a key, at a time.
struct Request: Sendable {
    let time: Duration
    let key: Int
}

extension Scenario {
    /// All requests, in the order of their times. The same for the same seed.
    ///
    /// The gaps between requests have an exponential distribution, as independent callers make it (a Poisson process).
    func requests() -> [Request] {
        var generator = SeededGenerator(seed: seed)
        let popularity = cumulativePopularity
        let end = duration.seconds
        var requests: [Request] = []
        var time = 0.0
        while true {
            time += -log(1 - Double.random(in: 0..<1, using: &generator)) / requestsPerSecond
            guard time < end else { return requests }
            let draw = Double.random(in: 0..<1, using: &generator)
            requests.append(Request(time: .nanoseconds(Int64(time * 1e9)), key: key(for: draw, in: popularity)))
        }
    }

    /// For each key the share of the requests that go to it or to a more popular one.
    private var cumulativePopularity: [Double] {
        let weights = (1...keyCount).map { pow(Double($0), -zipfExponent) }
        let total = weights.reduce(0, +)
        var sum = 0.0
        return weights.map { weight in
            sum += weight / total
            return sum
        }
    }

    private func key(for draw: Double, in popularity: [Double]) -> Int {
        var low = 0
        var high = popularity.count - 1
        while low < high {
            let middle = (low + high) / 2
            if popularity[middle] > draw { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
