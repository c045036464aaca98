// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// LRU that admits an object with the probability e^(-size / *c*). A model of the cache chooses the *c* with the most hits again and again.
///
/// Berger, Sitaraman, Harchol-Balter: AdaptSize: Orchestrating the Hot Object Memory Cache in a Content Delivery Network, NSDI 2017. *c* is
/// chosen after 65,536 requests, and not before three times the capacity has been asked for; the authors' simulator takes 500,000.
struct AdaptSizePolicy: ReplacementPolicy {
    private static let firstScale = 32_768.0

    private let period: Int
    private var cache: LRUPolicy<ByteSizes>
    private var model: AdmissionModel
    private var random = SplitMix64(state: 1)
    private var requestsLeft: Int
    /// The *c* of the paper.
    private(set) var scale = AdaptSizePolicy.firstScale

    init(byteCapacity: Int, period: Int = 1 << 16) {
        self.period = period
        requestsLeft = period
        cache = LRUPolicy(byteCapacity: byteCapacity)
        model = AdmissionModel(capacity: byteCapacity)
    }

    var count: Int { cache.count }
    var size: Int { cache.size }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        requestsLeft -= 1
        if requestsLeft <= 0 {
            if model.isReady {
                scale = model.bestScale() ?? scale
                requestsLeft = period
            } else {
                requestsLeft = max(1, period / 100)
            }
        }
        model.note(key, size: size)
        guard cache.holds(key) || random.unit() < exp(-Double(size) / scale) else { return false }
        return cache.access(key, size: size)
    }

    mutating func remove(_ key: UInt64) -> Bool { cache.remove(key) }
}
