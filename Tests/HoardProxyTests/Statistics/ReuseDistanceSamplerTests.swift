// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("ReuseDistanceSampler")
struct ReuseDistanceSamplerTests {
    private func makeSampler(_ count: Int = 8_192, maximumBytes: Int = 1 << 40, overhead: Int = 0) -> ReuseDistanceSampler {
        ReuseDistanceSampler(maximumCount: count, maximumBytes: maximumBytes, overheadPerObject: overhead)
    }

    /// A cache of so many bytes that evicts the least recently used, written down plainly.
    private func exactMisses(_ requests: [(key: UInt64, bytes: Int)], capacity: Int) -> Int {
        var cache: [(key: UInt64, bytes: Int)] = []
        var (total, misses) = (0, 0)
        for request in requests {
            if let place = cache.firstIndex(where: { $0.key == request.key }) {
                total -= cache.remove(at: place).bytes
            } else {
                misses += 1
            }
            cache.insert(request, at: 0)
            total += request.bytes
            while total > capacity, let last = cache.popLast() { total -= last.bytes }
        }
        return misses
    }

    @Test(arguments: [0, 50])
    func ofAllObjectsTheCurveIsThatOfAnExactCacheByBytes(overhead: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let lengths = (0..<300).map { _ in Int.random(in: 0...(1 << Int.random(in: 0...14, using: &generator)), using: &generator) }
        let keys = zipfRequests(count: 3_000, keyCount: 300, exponent: 0.7, seed: seed)
        var sampler = makeSampler(overhead: overhead)
        feed(keys, to: &sampler) { lengths[Int($0)] }
        // Sizes at the ends of buckets, where the curve is exact.
        let sizes = stride(from: 300, to: LogLinearScale.bucketCount(upTo: 2_000_000), by: 37).map {
            let (lowest, count) = LogLinearScale.extent(of: $0)
            return lowest + count - 1
        }
        let found = sampler.missRatios(at: sizes)
        let ratios = try #require(found)
        let requests = keys.map { (key: $0, bytes: lengths[Int($0)] + overhead) }
        for (size, ratio) in zip(sizes, ratios) {
            let exact = Double(exactMisses(requests, capacity: size)) / Double(keys.count)
            #expect(abs(ratio - exact) < 1e-9, "seed \(seed), \(size) bytes")
        }
        let (rate, sampled) = (sampler.rate, sampler.sampledRequests)
        #expect(rate == 1)
        #expect(sampled == keys.count)
    }

    @Test func theSizeOfAnObjectIsWhatAWholeAnswerHad() throws {
        var sampler = makeSampler()
        func use(_ key: UInt64, _ bytes: Int, _ length: ObjectAccess.Length, isMiss: Bool = false) {
            sampler.add(ObjectAccess(hash: spread(key), bytes: bytes, length: length, isMiss: isMiss))
            sampler.count(requests: 1, misses: isMiss ? 1 : 0)
        }
        use(1, 30, .whole, isMiss: true)
        use(2, 7, .part, isMiss: true)
        // A part gives no new length, an unknown length gives none, and 20 is more than 7.
        use(1, 10, .part)
        use(1, 0, .unknown)
        use(2, 20, .part)
        // Object 2 needed 30 + 20 bytes, object 1 first 7 + 30, then 30.
        let found = sampler.missRatios(at: [29, 30, 36, 37, 49, 50])
        let ratios = try #require(found)
        #expect(ratios.map { ($0 * 5).rounded() } == [5, 4, 4, 3, 3, 2])
    }

    @Test func whatNoSizeWouldHaveSparedIsAMissAtAnySize() throws {
        var sampler = makeSampler()
        for step in 0..<10 {
            sampler.add(ObjectAccess(hash: spread(1), bytes: 5, isMiss: step % 2 == 0, isUnavoidable: step % 2 == 0))
        }
        sampler.count(requests: 10, misses: 5)
        let ratios = sampler.missRatios(at: [5, 1 << 40])
        #expect(ratios == [0.5, 0.5])
        #expect(sampler.measuredMissRatio == 0.5)
    }

    @Test func aHitOnWhatWasNeverSeenTellsNothing() throws {
        var sampler = makeSampler()
        sampler.add(ObjectAccess(hash: spread(1), bytes: 5, isMiss: false))
        sampler.count(requests: 1, misses: 0)
        let before = (sampler.missRatios(at: [5]), sampler.measuredMissRatio)
        #expect(before.0 == nil && before.1 == nil)
        sampler.add(ObjectAccess(hash: spread(1), bytes: 5, isMiss: false))
        sampler.count(requests: 1, misses: 0)
        let ratios = sampler.missRatios(at: [4, 5])
        #expect(ratios == [1, 0])
    }

    @Test func lostReferencesAreTakenBack() throws {
        var sampler = makeSampler()
        for _ in 0..<4 { sampler.add(ObjectAccess(hash: spread(1), bytes: 1, isMiss: false)) }
        sampler.count(requests: 10, misses: 0)
        sampler.forget(sampledRequests: 6)
        let ratios = sampler.missRatios(at: [0, 1])
        #expect(ratios == [1, 0])
    }

    @Test func memoryIsFixedAndAsStated() {
        var sampler = makeSampler()
        let before = sampler.byteCount
        #expect(before < 573_000)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<40_000 { sampler.add(ObjectAccess(hash: generator.next(), bytes: 100, isMiss: true)) }
        let count = sampler.count
        #expect(count <= 8_192)
        #expect(count > 7_000)
        let (after, rate) = (sampler.byteCount, sampler.rate)
        #expect(after == before)
        #expect(rate < 8_192.0 / 40_000 * 1.1)
        #expect(rate > 7_000.0 / 40_000)
    }

    @Test func objectsBeyondAllSizesOfInterestLeaveInsteadOfOthers() throws {
        // 1,000 objects in a loop between strangers that come once: only the strangers leave, and all of the loop stays in view.
        var sampler = makeSampler(4_096, maximumBytes: 3_000)
        var requests: [UInt64] = []
        for step in 0..<40_000 as Range<UInt64> { requests.append(step % 2 == 0 ? step / 2 % 1_000 : 1_000_000 + step) }
        feed(requests, to: &sampler)
        let rateBefore = sampler.rate
        #expect(rateBefore == 1)
        let ratios = sampler.missRatios(at: [1_900, 2_100])
        #expect(ratios == [1, 0.525])
        // With more to look at than fits, the rate falls after all.
        sampler.maximumBytes = 1 << 40
        feed((0..<10_000).map { 2_000_000 + $0 }, to: &sampler)
        let (rate, count) = (sampler.rate, sampler.count)
        #expect(rate < 1)
        #expect(count <= 4_096)
    }

    @Test func whatWasLearnedFades() throws {
        var sampler = makeSampler()
        feed(Array(repeating: 1, count: 1_000), to: &sampler)
        let before = try #require(ratios(of: sampler))
        for _ in 0..<10 { sampler.fade(by: 0.5) }
        let after = try #require(ratios(of: sampler))
        #expect(before == after)
        #expect(before.predicted < 0.01 && before.measured < 0.01)
        // One miss now weighs as much as a thousand requests then.
        feed([2], to: &sampler)
        let last = try #require(ratios(of: sampler))
        #expect(abs(last.predicted - 0.5) < 0.02)
        #expect(abs(last.measured - 0.5) < 0.02)
    }

    private struct Ratios: Equatable {
        var predicted: Double
        var measured: Double
    }

    private func ratios(of sampler: ReuseDistanceSampler) -> Ratios? {
        guard let predicted = sampler.missRatios(at: [1])?.first, let measured = sampler.measuredMissRatio else { return nil }
        return Ratios(predicted: predicted, measured: measured)
    }

    @Test func theCurveNeverRisesAndStaysBetweenNoneAndAll() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        // So few objects in the sample that its errors are large.
        var sampler = makeSampler(64)
        let requests = zipfRequests(count: 20_000, keyCount: 5_000, exponent: 1.1, seed: generator.next())
        feed(requests, to: &sampler)
        let found = sampler.missRatios(at: sizes(upTo: 10_000))
        let ratios = try #require(found)
        #expect(ratios.allSatisfy { (0...1).contains($0) }, "seed \(seed)")
        #expect(zip(ratios, ratios.dropFirst()).allSatisfy { $0 >= $1 }, "seed \(seed)")
    }

    @Test func thereIsNoCurveOfNothing() {
        let nothing = (makeSampler().missRatios(at: [1]), makeSampler().measuredMissRatio)
        #expect(nothing.0 == nil && nothing.1 == nil)
    }
}
