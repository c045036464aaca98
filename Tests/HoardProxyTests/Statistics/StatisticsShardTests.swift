// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardNIO
import HoardTesting
import Testing

@testable import HoardProxy

@Suite("StatisticsShard and ThreadNumber")
struct StatisticsShardTests {
    private let everything = StatisticsShard.Settings(distinguishesHosts: false, threshold: 1 << 32)

    private func record(_ report: ExchangeReport, in shard: StatisticsShard, threshold: UInt64 = 1 << 32) -> [ObjectAccess]? {
        let identity = RequestIdentity(report.request, hasher: fixedHasher(), distinguishesHosts: false)
        return shard.record(report, identity, .init(distinguishesHosts: false, threshold: threshold))
    }

    @Test func referencesAreHandedOnInBatches() throws {
        let shard = StatisticsShard()
        for number in 1..<StatisticsShard.batchCount { #expect(record(get("/\(number)"), in: shard) == nil) }
        let batch = try #require(record(get("/last", bytes: 77, outcome: .miss, tier: .origin), in: shard))
        #expect(batch.count == StatisticsShard.batchCount)
        #expect(batch.last?.bytes == 77 && batch.last?.isMiss == true)
        #expect(shard.withState { $0.sampled.isEmpty })
        #expect(shard.withState { $0.references } == StatisticsShard.batchCount)
        #expect(shard.withState { $0.missedReferences } == 1)
    }

    @Test func belowTheThresholdAllUsesOfAnObjectAreSampledAndAboveItNone() {
        let shard = StatisticsShard()
        for _ in 0..<3 {
            for number in 0..<50 { _ = record(get("/\(number)"), in: shard, threshold: 1 << 31) }
        }
        let counts = shard.withState { state in Dictionary(grouping: state.sampled, by: \.hash).mapValues(\.count) }
        #expect(counts.values.allSatisfy { $0 == 3 })
        // Half of 50; six standard deviations are 21.
        #expect((5...45).contains(counts.count))
        #expect(shard.withState { $0.references } == 150)
    }

    @Test func whoHasWaitedForTheOriginCountsThere() {
        let shard = StatisticsShard()
        var validated = report(outcome: .validatedHit, tier: .memory)
        _ = record(validated, in: shard)
        validated.note = ExchangeNote(AnswerReport(.staleHit, tier: .store, originDuration: .seconds(1)))
        _ = record(validated, in: shard)
        _ = record(report(outcome: .collapsedHit, tier: .origin), in: shard)
        _ = record(report(outcome: .staleHit, tier: .store), in: shard)
        _ = record(report(outcome: .hit, tier: .memory), in: shard)
        _ = record(report(.invalid, status: 400, outcome: nil), in: shard)
        func count(_ tier: AnswerReport.Tier) -> Int { shard.withState { $0.latencies[Int(tier.rawValue)].count } }
        #expect([count(.memory), count(.store), count(.origin), count(.none)] == [1, 1, 3, 1])
    }

    @Test func timesThatNobodyCanHaveWaitedAreTakenForTheLimit() {
        let shard = StatisticsShard()
        _ = record(report(firstByte: .seconds(Int64.max / 4)), in: shard)
        _ = record(report(firstByte: .seconds(-5)), in: shard)
        let histogram = shard.withState { $0.latencies[Int(AnswerReport.Tier.memory.rawValue)] }
        #expect(histogram.count == 2)
        #expect(histogram.greatest == LatencyHistogram.maximum)
        #expect(histogram.percentile(0) == 0)
    }

    @Test func aThreadKeepsItsNumber() {
        let numbers = (0..<10).map { _ in ThreadNumber.current }
        #expect(Set(numbers).count == 1)
        #expect(numbers.allSatisfy { $0 > 0 })
    }
}
