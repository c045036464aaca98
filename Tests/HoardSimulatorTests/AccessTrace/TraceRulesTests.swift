// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite struct TraceRulesTests {
    private func requests(_ targets: String..., rules change: (inout TraceRules) -> Void) throws -> [AccessRequest] {
        let directory = try TraceDirectory()
        let lines = targets.map { #"192.0.2.1 - - [22/Nov/2026:02:13:31 +0000] "GET \#($0) HTTP/1.1" 200 10"# + "\n" }.joined()
        let path = try directory.write(lines.utf8, to: "access.log")
        var rules = TraceRules()
        change(&rules)
        let reader = try AccessTraceReader(path: path, rules: rules)
        var batch: [AccessRequest] = []
        #expect(try reader.readBatch(into: &batch))
        return batch
    }

    @Test func parametersThatAreIgnoredMakeNoOtherObjects() throws {
        let requests = try requests("/a?x=1&utm_source=b&y=2", "/a?x=1&y=2", "/a?utm_medium=c&x=1&y=2&fbclid=d", "/a?y=2&x=1", "/a?x=1&y=2&other=1") {
            $0.ignoredParameters = ["utm_*", "fbclid"]
        }
        #expect(requests[0].key == requests[1].key && requests[1].key == requests[2].key)
        #expect(Set(requests.map(\.key)).count == 3)
    }

    @Test func aQueryOfIgnoredParametersAloneIsNone() throws {
        let requests = try requests("/a?utm_source=b", "/a", "/a?", "/a?&&utm_source") { $0.ignoredParameters = ["utm_*"] }
        #expect(Set(requests.map(\.key)).count == 1)
    }

    @Test func aStarIgnoresTheWholeQuery() throws {
        let requests = try requests("/a?b=c", "/a?d", "/a", "/e?b=c") { $0.ignoredParameters = ["*"] }
        #expect(requests[0].key == requests[1].key && requests[1].key == requests[2].key && requests[2].key != requests[3].key)
    }

    @Test func theLongestPathDecidesOnALifetime() throws {
        let requests = try requests("/a/b/c?d", "/a/x", "/y", "/a") {
            $0.lifetimes = ["/": 1, "/a/": 2, "/a/b/": 3]
            $0.bypassedPaths = ["/y"]
        }
        #expect(requests.map(\.lifetime) == [3, 2, 1, 1])
        #expect(requests.map(\.kind) == [.read, .read, .uncacheable, .read])
    }

    @Test func withoutRulesNothingChanges() throws {
        let requests = try requests("/a?utm_source=b", "/a") { _ in }
        #expect(requests[0].key != requests[1].key)
        #expect(requests.allSatisfy { $0.lifetime == nil && $0.kind == .read })
    }

    @Test func rulesOfPathsNeedALog() throws {
        let directory = try TraceDirectory()
        let path = try directory.write("1\n2\n".utf8)
        var rules = TraceRules()
        rules.lifetimes["/"] = 5
        var batch: [AccessRequest] = []
        #expect(try AccessTraceReader(path: path, rules: rules).readBatch(into: &batch))
        #expect(batch.map(\.lifetime) == [5, 5])
        rules.lifetimes["/a"] = 5
        let error = #expect(throws: AccessTraceError.self) { try AccessTraceReader(path: path, rules: rules).readBatch(into: &batch) }
        #expect(error?.code == .withoutTargets)
    }

    @Test func staleObjectsAnswerWhileTheyAreLoadedAnew() async throws {
        // One request each second for the same key, with a lifetime of nearly ten seconds.
        let requests = (0..<100).map { AccessRequest(key: 1, time: UInt64($0) * 1_000, lifetime: 9_500) }
        for (window, hits, stale) in [(0, 90, 0), (1_000, 99, 9)] as [(UInt64, Int, Int)] {
            for policy in [SimulationPolicy.lru, .hoard] {
                let simulation = Simulation(policies: [policy], capacities: [.count(10)], staleWhileRevalidate: window)
                let result = try await simulation.results(of: RequestSource(name: "seconds", requests))[0]
                #expect(result.hits == hits && result.staleHits == (window > 0 ? stale : nil), "\(policy), a window of \(window)")
                #expect(result.expired == (window == 0 ? 9 : 0))
            }
        }
    }
}
