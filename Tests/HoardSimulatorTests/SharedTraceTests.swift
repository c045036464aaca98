// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardSimulator

/// Access traces with known hit counts, which are not part of the package.
private enum SharedTraces {
    static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/traces").path

    static var arePresent: Bool { FileManager.default.fileExists(atPath: directory + "/baselines.csv") }

    struct Baseline {
        let capacity: Int
        let requests: Int
        let hits: [SimulationPolicy: Int]
    }

    /// The table's lines of an access trace.
    static func baselines(of trace: String) throws -> [Baseline] {
        try String(contentsOfFile: directory + "/baselines.csv", encoding: .utf8).split(whereSeparator: \.isNewline).compactMap { line in
            let fields = line.split(separator: ",")
            guard fields[0] == trace else { return nil }
            let numbers = try fields[1...5].map { try #require(Int($0)) }
            return Baseline(capacity: numbers[0], requests: numbers[1], hits: [.lru: numbers[2], .fifo: numbers[3], .opt: numbers[4]])
        }
    }
}

@Suite("Shared access traces", .enabled(if: SharedTraces.arePresent, "there is no ../shared/traces beside the package"), .timeLimit(.minutes(5)))
struct SharedTraceTests {
    // The small ones: a debug build replays all of them within seconds.
    @Test(arguments: ["lirs_cpp", "lirs_gli", "lirs_scan", "lirs_2_pools", "webcachesim", "web07", "cloudphysics_io"])
    func exactPoliciesHaveTheKnownHits(name: String) async throws {
        let baselines = try SharedTraces.baselines(of: name)
        let reader = try AccessTraceReader(path: "\(SharedTraces.directory)/\(name).txt.gz")
        let results = try await Simulation(policies: [.lru, .fifo, .opt]).results(of: reader)
        // The default capacities are those of the table.
        #expect(results.count == baselines.count * 3)
        for baseline in baselines {
            for result in results where result.capacity == baseline.capacity {
                #expect(result.requests == baseline.requests)
                #expect(result.hits == baseline.hits[result.policy], "\(result.policy) at \(baseline.capacity)")
            }
        }
    }
}
