// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Predicts the hits of an LRU cache that admits objects by their size, from how often each is asked for.
///
/// It assumes that requests for an object are a Poisson process, and that all objects leave at the same time after their last use. At this time the
/// expected sizes of all objects in the cache add up to the capacity. Che, Tung, Wang: Hierarchical Web Caching Systems: Modeling, Design and
/// Experimental Results, IEEE JSAC 20(7), 2002.
struct AdmissionModel: Sendable {
    private struct Object {
        let key: UInt64
        var size: Double
        /// Requests in a period, over the last periods.
        var rate = 0.0
        /// Requests in this period.
        var requests = 0.0
        var isNew = true
    }

    /// The weight of the past.
    private static let decay = 0.3

    private let capacity: Double
    private var numbers = KeyTable()
    private var objects: [Object] = []
    private var knownBytes = 0.0

    init(capacity: Int) { self.capacity = Double(capacity) }

    /// Whether enough different bytes were asked for to fill the cache three times.
    var isReady: Bool { knownBytes > capacity * 3 }

    mutating func note(_ key: UInt64, size: Int) {
        let number = numbers.number(of: key)
        if number == objects.count { objects.append(Object(key: key, size: 0)) }
        knownBytes += Double(size) - objects[number].size
        objects[number].size = Double(size)
        objects[number].requests += 1
    }

    /// Ends a period, and returns the scale with the most predicted hits.
    mutating func bestScale() -> Double? {
        endPeriod()
        let end = log2(capacity)
        var (best, most) = (0.0, -1.0)
        func consider(_ exponent: Double) {
            let hits = hits(scale: exp2(exponent))
            if hits > most { (best, most) = (exponent, hits) }
        }
        for exponent in stride(from: 0, through: end, by: 2) { consider(exponent) }
        // Ever finer around the best one so far.
        for step in [1, 0.5, 0.25, 0.125] {
            let middle = best
            for exponent in [middle - step, middle + step] where exponent >= 0 && exponent <= end { consider(exponent) }
        }
        return most > 0 ? exp2(best) : nil
    }

    private mutating func endPeriod() {
        for number in objects.indices {
            let requests = objects[number].requests
            objects[number].rate = objects[number].isNew ? requests : objects[number].rate * Self.decay + requests * (1 - Self.decay)
            objects[number].requests = 0
            objects[number].isNew = false
        }
        objects.removeAll { $0.rate < 0.1 }
        numbers = KeyTable()
        knownBytes = 0
        for (number, object) in objects.enumerated() {
            numbers.insert(object.key, number)
            knownBytes += object.size
        }
    }

    /// The expected hits in a period.
    func hits(scale: Double) -> Double {
        let chances = objects.map { exp(-$0.size / scale) }
        let admitted = zip(objects, chances).reduce(0) { $0 + $1.0.rate * $1.1 * $1.0.size }
        guard admitted > 0 else { return 0 }
        var time = capacity / admitted
        for _ in 0..<20 where time < 1e70 {
            let held = zip(objects, chances).reduce(0) { $0 + $1.0.size * Self.share(rate: $1.0.rate, chance: $1.1, time: time) }
            guard held > 0 else { break }
            let next = time * capacity / held
            defer { time = next }
            if abs(next - time) < time * 1e-4 { break }
        }
        return zip(objects, chances).reduce(0) { $0 + $1.0.rate * Self.share(rate: $1.0.rate, chance: $1.1, time: time) }
    }

    /// The share of time in which an object is held, which is that of its requests that hit.
    private static func share(rate: Double, chance: Double, time: Double) -> Double {
        guard rate * time < 150 else { return chance > 0 ? 1 : 0 }
        let odds = chance * (exp(rate * time) - 1)
        return odds / (1 + odds)
    }
}
