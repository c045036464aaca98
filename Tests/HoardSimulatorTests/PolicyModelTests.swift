// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("Policies and models", .timeLimit(.minutes(5)))
struct PolicyModelTests {
    @Test func lruAgreesWithItsModel() { compareByKeys(LRUPolicy.init(capacity:), { LRUModel(capacity: $0) }) }
    @Test func fifoAgreesWithItsModel() { compareByKeys(FIFOPolicy.init(capacity:), { FIFOModel(capacity: $0) }) }
    @Test func clockAgreesWithItsModel() { compareByKeys(ClockPolicy.init(capacity:), { ClockModel(capacity: $0) }) }
    @Test func sieveAgreesWithItsModel() { compareByKeys(SievePolicy.init(capacity:), { SieveModel(capacity: $0) }) }
    @Test func s3fifoAgreesWithItsModel() { compareByKeys(S3FIFOPolicy.init(capacity:), S3FIFOModel.init) }
    @Test func merlinAgreesWithItsModel() {
        let capacities = [1, 2, 3, 4, 5, 7, 10, 15, 20, 33, 50, 64]
        compareByKeys(MerlinPolicy.init(capacity:), { MerlinModel(capacity: $0) }, capacities: capacities, requestCount: 3_000)
    }

    @Test func arcAgreesWithItsModel() { compareByKeys(ARCPolicy.init, ARCModel.init) }
    @Test func lirsAgreesWithItsModel() { compareByKeys(LIRSPolicy.init, LIRSModel.init) }

    @Test func lirsAgreesWithItsModelWhereItsQueueHasSeveralKeys() {
        compareByKeys(LIRSPolicy.init, LIRSModel.init, capacities: [250])
    }

    @Test func lruAgreesWithItsModelInBytes() { compareByBytes(LRUPolicy.init(byteCapacity:), { LRUModel(capacity: $0) }) }
    @Test func fifoAgreesWithItsModelInBytes() { compareByBytes(FIFOPolicy.init(byteCapacity:), { FIFOModel(capacity: $0) }) }
    @Test func clockAgreesWithItsModelInBytes() { compareByBytes(ClockPolicy.init(byteCapacity:), { ClockModel(capacity: $0) }) }
    @Test func sieveAgreesWithItsModelInBytes() { compareByBytes(SievePolicy.init(byteCapacity:), { SieveModel(capacity: $0) }) }

    @Test func s3fifoAgreesWithItsModelInBytes() {
        compareByBytes(S3FIFOPolicy.init(byteCapacity:)) { capacity in
            var model = S3FIFOModel(capacity: capacity)
            model.countsBytes = true
            return model
        }
    }

    @Test func merlinAgreesWithItsModelInBytes() {
        compareByBytes(MerlinPolicy.init(byteCapacity:)) { capacity in
            var model = MerlinModel(capacity: capacity)
            model.countsBytes = true
            return model
        }
    }

    @Test func tinyLFUAgreesWithItsModel() { compareByKeys(TinyLFUPolicy.init(capacity:), { TinyLFUModel(capacity: $0) }, requestCount: 1500) }

    @Test func tinyLFUAgreesWithItsModelInBytes() {
        compareByBytes(TinyLFUPolicy.init(byteCapacity:), { TinyLFUModel(capacity: $0, countsBytes: true) }, requestCount: 1500)
    }

    @Test func gdsfAgreesWithItsModel() { compareByKeys(GDSFPolicy.init, GDSFModel.init) }
    @Test func gdsfAgreesWithItsModelInBytes() { compareByBytes(GDSFPolicy.init, GDSFModel.init) }

    /// The period is short enough for both changes of the scale of ages.
    @Test func lhdAgreesWithItsModelInBytes() {
        compareByBytes(
            { LHDPolicy(capacity: $0, period: 40) },
            { LHDModel(capacity: $0, period: 40) },
            capacities: [1000],
            requestCount: 1100,
            seedCount: 2
        )
    }

    @Test func adaptSizeAgreesWithItsModelInBytes() {
        compareByBytes(
            { AdaptSizePolicy(byteCapacity: $0, period: 100) },
            { AdaptSizeModel(capacity: $0, period: 100) },
            capacities: [10, 1000, 4000]
        )
    }
}

/// Compares a policy that counts keys with its model. One request in 25 removes its key instead.
func compareByKeys<Model: ReplacementPolicy>(
    _ makePolicy: (Int) -> some ReplacementPolicy,
    _ makeModel: (Int) -> Model,
    capacities: [Int] = [1, 2, 3, 7, 20, 33],
    requestCount: Int = 700
) {
    for capacity in capacities {
        for seed in UInt64(0)..<8 {
            let requests = randomRequests(count: requestCount, keyCount: UInt64(capacity * 2 + 4), seed: seed)
            let place = "capacity \(capacity), seed \(seed)"
            guard agree(makePolicy(capacity), makeModel(capacity), on: requests.map { SizedKey(key: $0, size: 1) }, seed: seed, place) else { return }
        }
    }
}

/// Compares a policy that counts bytes with its model, on objects whose sizes change at times, and of which some are larger than the cache.
func compareByBytes<Model: ReplacementPolicy>(
    _ makePolicy: (Int) -> some ReplacementPolicy,
    _ makeModel: (Int) -> Model,
    capacities: [Int] = [1, 10, 100, 1000, 4000],
    requestCount: Int = 700,
    seedCount: UInt64 = 8
) {
    for capacity in capacities {
        for seed in 0..<seedCount {
            let largest = max(2, capacity / (seed % 2 == 0 ? 5 : 20))
            let requests = randomSizedRequests(count: requestCount, keyCount: 60, largestSize: largest, seed: seed)
            let place = "capacity \(capacity) bytes, seed \(seed)"
            guard agree(makePolicy(capacity), makeModel(capacity), on: requests, seed: seed, place) else { return }
        }
    }
}

private func agree<Model: ReplacementPolicy>(
    _ policy: some ReplacementPolicy,
    _ model: Model,
    on requests: [SizedKey],
    seed: UInt64,
    _ place: String
) -> Bool {
    var (policy, model) = (policy, model)
    var generator = SeededGenerator(seed: seed &+ 1000)
    for (step, request) in requests.enumerated() {
        let isRemoval = Int.random(in: 0..<25, using: &generator) == 0
        let isHit = isRemoval ? policy.remove(request.key) : policy.access(request.key, size: request.size)
        let shouldHit = isRemoval ? model.remove(request.key) : model.access(request.key, size: request.size)
        guard isHit != shouldHit || policy.count != model.count || policy.size != model.size else { continue }
        Issue.record(
            """
            \(Model.self), \(place), step \(step)\(isRemoval ? ", a removal" : ""): hit \(isHit) for \(shouldHit), \
            \(policy.count) keys for \(model.count), \(policy.size) bytes for \(model.size)
            """
        )
        return false
    }
    return true
}
