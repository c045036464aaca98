// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite("MissRatioEstimator")
struct MissRatioEstimatorTests {
    private func makeEstimator(_ count: Int = 8_192) -> MissRatioEstimator {
        MissRatioEstimator(ReuseDistanceSampler(maximumCount: count, maximumBytes: 1 << 40, overheadPerObject: 0))
    }

    @Test func whatWaitsIsWorkedOffBeforeAnybodyLooks() throws {
        let estimator = makeEstimator()
        for key in 0..<10 as Range<UInt64> {
            estimator.enqueue([ObjectAccess(hash: spread(key), bytes: 1, isMiss: true)])
        }
        let last = (0..<10 as Range<UInt64>).map { ObjectAccess(hash: spread($0), bytes: 1, isMiss: false) }
        let ratios = estimator.flush([last], requests: 20, misses: 10) { $0.missRatios(at: [9, 10]) }
        #expect(try #require(ratios) == [1, 0.5])
    }

    @Test func theThresholdFollowsTheSample() {
        let estimator = makeEstimator(64)
        #expect(estimator.threshold == 1 << 32)
        let many = (0..<1_000 as Range<UInt64>).map { ObjectAccess(hash: spread($0), bytes: 1, isMiss: true) }
        let threshold = estimator.flush([many], requests: 1_000, misses: 1_000) { $0.threshold }
        #expect(estimator.threshold == threshold)
        #expect(threshold < 1 << 29)
    }

    @Test func batchesBeyondTheLimitAreDroppedAndTakenBack() {
        let estimator = makeEstimator()
        let batch = Array(repeating: ObjectAccess(hash: spread(1), bytes: 1, isMiss: true), count: 100)
        // While a test looks at the sampler, no thread can work, so that the queue fills.
        let sampledBefore = estimator.flush { sampler in
            for _ in 0..<200 { estimator.enqueue(batch) }
            return sampler.sampledRequests
        }
        #expect(sampledBefore == 0)
        let (sampled, ratios) = estimator.flush(requests: 20_000, misses: 20_000) { ($0.sampledRequests, $0.missRatios(at: [1])) }
        #expect(sampled == MissRatioEstimator.maximumBatchCount * 100)
        // One miss among 6,400 requests.
        #expect(abs((ratios?.first ?? 0) - 1 / 6_400) < 1e-9)
    }
}
