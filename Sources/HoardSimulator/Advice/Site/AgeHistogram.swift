// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The requests for objects that had been loaded before, by how long before.
///
/// Ages are in milliseconds, four bins to a power of two.
struct AgeHistogram: Sendable {
    /// Requests of about the same age.
    struct Bin: Sendable {
        /// Requests that the cache answered with a fresh object.
        var hits = 0
        var greatestHitAge: UInt64 = 0
        /// Those of agents, or of clients, that had not asked for the object before.
        var newAgentHits = 0
        var newClientHits = 0
        /// Requests for which the object was loaded again.
        var reloads = 0
        var newAgentReloads = 0
        var newClientReloads = 0
        /// Reloads of which the sizes before and after are known, and those of them of which they are the same.
        var comparedReloads = 0
        var unchangedReloads = 0
        /// The bytes of these.
        var unchangedBytes = 0
        /// Requests for which the origin confirmed the object.
        var revalidations = 0
        /// The time that reloads and revalidations took.
        var microseconds = 0

        static func += (bin: inout Self, other: Self) {
            bin.hits += other.hits
            bin.greatestHitAge = max(bin.greatestHitAge, other.greatestHitAge)
            bin.newAgentHits += other.newAgentHits
            bin.newClientHits += other.newClientHits
            bin.reloads += other.reloads
            bin.newAgentReloads += other.newAgentReloads
            bin.newClientReloads += other.newClientReloads
            bin.comparedReloads += other.comparedReloads
            bin.unchangedReloads += other.unchangedReloads
            bin.unchangedBytes = bin.unchangedBytes.adding(other.unchangedBytes)
            bin.revalidations += other.revalidations
            bin.microseconds = bin.microseconds.adding(other.microseconds)
        }
    }

    private var bins: [Int: Bin] = [:]

    /// Changes the bin of an age.
    mutating func note(_ age: UInt64, _ change: (inout Bin) -> Void) {
        change(&bins[Self.number(of: age), default: Bin()])
    }

    mutating func add(_ other: Self) {
        for (number, bin) in other.bins { bins[number, default: Bin()] += bin }
    }

    /// The sum of all bins.
    var total: Bin { bins.values.reduce(into: Bin(), +=) }

    /// The sum of the bins up to an age.
    func total(upTo age: UInt64) -> Bin {
        let last = Self.number(of: age)
        return bins.reduce(into: Bin()) { sum, entry in if entry.key <= last { sum += entry.value } }
    }

    /// How old objects get; `nil` without hits.
    var limit: Limit? {
        let hits = total.hits
        guard hits > 0 else { return nil }
        var sum = 0
        for (number, bin) in bins.sorted(by: { $0.key < $1.key }) {
            sum += bin.hits
            if Double(sum) >= 0.99 * Double(hits) { return Limit(age: bin.greatestHitAge, number: number) }
        }
        return nil
    }

    /// The age that 99 % of the hits did not exceed.
    struct Limit {
        let age: UInt64
        fileprivate let number: Int
    }

    /// The requests for objects that were as old as objects get, or older, but not much older than so many times that age.
    func late(_ limit: Limit, upToTimes factor: Double = .infinity) -> Bin {
        let end = factor.isFinite ? limit.number + Int(4 * log2(factor)) : .max
        return bins.reduce(into: Bin()) { sum, entry in if entry.key >= limit.number, entry.key <= end { sum += entry.value } }
    }

    /// The requests for objects that were younger by a third at least.
    func early(_ limit: Limit) -> Bin {
        bins.reduce(into: Bin()) { sum, entry in if entry.key < limit.number - 1 { sum += entry.value } }
    }

    private static func number(of age: UInt64) -> Int { age == 0 ? 0 : Int(4 * log2(Double(age))) + 1 }
}
