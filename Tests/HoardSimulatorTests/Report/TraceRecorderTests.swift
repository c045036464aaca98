// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("TraceRecorder", .timeLimit(.minutes(5)))
struct TraceRecorderTests {
    @Test func allRequestsThatAreReadAreProfiled() throws {
        let requests = randomRequests(count: 1000, keyCount: 50, seed: 1).map { AccessRequest(key: $0) }
        let recorder = TraceRecorder(name: "test")
        let source = RequestSource(RequestSource(name: "test", requests, batchCount: 300), recorder: recorder)
        var (batch, read) = ([AccessRequest](), [AccessRequest]())
        while try source.readBatch(&batch) { read += batch }
        #expect(read == requests && source.name == "test")
        let profile = recorder.section(results: []).profile
        #expect(profile.requestCount == 1000 && profile.keyCount == Set(requests).count)
    }

    @Test func theHistoryHasTheHitsOfEachBatch() throws {
        let recorder = TraceRecorder(name: "test")
        #expect(recorder.section(results: []).history == nil)
        for (hits, otherHits) in [(10, 1), (25, 2), (25, 40)] {
            recorder.add(allHits: hits, requests: 100, by: .hoard, capacity: 64, countsBytes: true)
            recorder.add(allHits: otherHits, requests: 100, by: .lru, capacity: 64, countsBytes: true)
        }
        let history = try #require(recorder.section(results: []).history)
        #expect(history.capacity == 64 && history.countsBytes)
        #expect(history.windows(of: .hoard).map(\.hits) == [10, 15, 0])
        #expect(history.windows(of: .lru).map(\.hits) == [1, 1, 38])
    }
}
