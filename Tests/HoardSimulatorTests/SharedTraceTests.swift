// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("Shared access traces", .enabled(if: SharedTraces.arePresent, "there is no ../shared/traces beside the package"), .timeLimit(.minutes(5)))
struct SharedTraceTests {
    // These are the small traces: a debug build replays all of them within seconds.
    @Test(arguments: ["lirs_cpp", "lirs_gli", "lirs_scan", "lirs_2_pools", "webcachesim", "web07", "cloudphysics_io"])
    func exactPoliciesHaveTheKnownHits(name: String) async throws {
        let baselines = try SharedTraces.baselines(of: name)
        let reader = try AccessTraceReader(path: "\(SharedTraces.directory)/\(name).txt.gz")
        let results = try await Simulation(policies: [.lru, .fifo, .opt]).results(of: reader)
        // The default capacities are the capacities of the table.
        #expect(results.count == baselines.count * 3)
        for baseline in baselines {
            for result in results where result.capacity == baseline.capacity {
                #expect(result.requests == baseline.requests)
                #expect(result.hits == baseline.hits[result.policy], "\(result.policy) at \(baseline.capacity)")
            }
        }
    }
}
