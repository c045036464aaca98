// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("ReportCollector", .timeLimit(.minutes(5)))
struct ReportCollectorTests {
    @Test func allRequestsThatAreReadAreProfiled() throws {
        let requests = randomRequests(count: 1000, keyCount: 50, seed: 1).map { AccessRequest(key: $0) }
        let collector = ReportCollector(name: "test")
        let source = RequestSource(RequestSource(name: "test", requests, batchCount: 300), collector: collector)
        var (batch, read) = ([AccessRequest](), [AccessRequest]())
        while try source.readBatch(&batch) { read += batch }
        #expect(read == requests && source.name == "test")
        let profile = collector.section(results: []).profile
        #expect(profile.requestCount == 1000 && profile.keyCount == Set(requests).count)
    }

    @Test func theHistoryHasTheHitsOfEachBatch() throws {
        let collector = ReportCollector(name: "test")
        #expect(collector.section(results: []).history == nil)
        for (hits, otherHits) in [(10, 1), (25, 2), (25, 40)] {
            collector.add(allHits: hits, requests: 100, by: .hoard, capacity: 64, countsBytes: true)
            collector.add(allHits: otherHits, requests: 100, by: .lru, capacity: 64, countsBytes: true)
        }
        let history = try #require(collector.section(results: []).history)
        #expect(history.capacity == 64 && history.countsBytes)
        #expect(history.windows(of: .hoard).map(\.hits) == [10, 15, 0])
        #expect(history.windows(of: .lru).map(\.hits) == [1, 1, 38])
    }

    @Test(arguments: [SimulationCapacity.count(20), .percent(10)])
    func aSimulationTellsItsHits(middle: SimulationCapacity) async throws {
        let requests = randomRequests(count: 5000, keyCount: 200, seed: 2).enumerated().map { place, key in
            AccessRequest(key: key, kind: place % 50 == 7 ? .write : .read)
        }
        let collector = ReportCollector(name: "test")
        let simulation = Simulation(policies: [.hoard, .lru], capacities: [.count(5), middle, .count(100)])
        let source = RequestSource(name: "test", requests, batchCount: 700)
        let results = try await simulation.results(of: source, collector: collector)
        let section = collector.section(results: results)
        let history = try #require(section.history)
        for result in results where result.capacity == history.capacity {
            let windows = history.windows(of: result.policy)
            #expect(windows.count > 5)
            #expect(windows.reduce(0) { $0 + $1.hits } == result.hits && windows.reduce(0) { $0 + $1.requests } == result.requests)
            #expect(section.profile.requestCount == result.requests)
        }
        #expect(history.capacity == results[2].capacity)
    }
}
