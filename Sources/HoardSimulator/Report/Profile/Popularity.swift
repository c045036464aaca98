// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How the requests of a trace are spread over its keys.
struct Popularity: Sendable {
    /// Keys that are requested equally often.
    struct Group: Hashable, Sendable {
        let requests: Int
        let keys: Int
    }

    /// The law requests = *c* · rank^−*exponent*.
    struct ZipfFit: Hashable, Sendable {
        let exponent: Double
        /// The logarithm of *c*.
        let logScale: Double
        /// The share of the variance that the law explains, from 0 to 1.
        let determination: Double
        /// The last rank that was used.
        let lastRank: Int

        /// The requests that a rank has by this law.
        func requests(rank: Int) -> Double { exp(logScale - exponent * log(Double(rank))) }
    }

    /// From the most popular keys to the least popular ones.
    let groups: [Group]
    let keyCount: Int
    let requestCount: Int

    /// - Parameter counts: The requests of each key.
    /// - Complexity: O(*n*) in the keys, as nearly all of them have few requests.
    init(_ counts: some Sequence<Int>) {
        var few = Array(repeating: 0, count: 1024)
        var many: [Int: Int] = [:]
        for count in counts {
            if count < few.count { few[count] += 1 } else { many[count, default: 0] += 1 }
        }
        for (count, keys) in few.enumerated() where count > 0 && keys > 0 { many[count] = keys }
        groups = many.map { Group(requests: $0.key, keys: $0.value) }.sorted { $0.requests > $1.requests }
        keyCount = groups.reduce(0) { $0 + $1.keys }
        requestCount = groups.reduce(0) { $0 + $1.keys * $1.requests }
    }

    /// The number of keys that are requested once only.
    var keysRequestedOnce: Int { groups.last.map { $0.requests == 1 ? $0.keys : 0 } ?? 0 }

    /// The requests of as many of the most popular keys.
    func requests(ofTop keys: Int) -> Int {
        var left = keys
        return groups.reduce(0) { sum, group in
            let taken = min(left, group.keys)
            left -= taken
            return sum + taken * group.requests
        }
    }

    /// The share of the requests that ask for the most popular keys.
    ///
    /// - Parameter keys: The share of the keys, from 0 to 1. It is rounded up to whole keys.
    func share(ofTop keys: Double) -> Double {
        let top = Int((Double(keyCount) * keys).rounded(.up))
        return Double(requests(ofTop: top)) / Double(max(requestCount, 1))
    }

    /// Ranks at even distances on a logarithmic scale, from 1 to the last one, with their requests.
    var ranks: [(rank: Int, requests: Int)] {
        var ranks: [(Int, Int)] = []
        var (next, before) = (1, 0)
        for group in groups {
            while next <= before + group.keys {
                ranks.append((next, group.requests))
                // Twelve for each decade.
                next = max(next + 1, Int((Double(next) * pow(10, 1.0 / 12)).rounded()))
            }
            before += group.keys
        }
        return ranks
    }

    /// The straight line through ``ranks`` with both axes logarithmic that has the least squares, over those with 5 requests or more; `nil` if
    /// there are fewer than three such ranks.
    ///
    /// Ranks are even on the logarithmic axis so that the many rare keys do not outweigh the others; ranks with few requests are steps, not a line.
    var zipfFit: ZipfFit? {
        let used = ranks.filter { $0.requests >= 5 }
        guard used.count >= 3, let lastRank = used.last?.rank else { return nil }
        let points = used.map { (x: log(Double($0.rank)), y: log(Double($0.requests))) }
        let count = Double(points.count)
        let (meanX, meanY) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
        let squaresX = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        let squaresY = points.reduce(0) { $0 + ($1.y - meanY) * ($1.y - meanY) }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / squaresX
        // Sums of equal numbers are not quite zero.
        let determination = squaresY < 1e-9 ? 1 : min(slope * slope * squaresX / squaresY, 1)
        return ZipfFit(exponent: -slope, logScale: meanY - slope * meanX, determination: determination, lastRank: lastRank)
    }
}
