// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

extension SharedTraces {
    /// The requests of an access trace with sizes.
    fileprivate static func sizedRequests(of name: String) throws -> [AccessRequest] {
        let source = try TextSource(path: "\(directory)/\(name).txt.gz", name: name, partByteCount: 1 << 16)
        var (text, part) = ([UInt8](), Array(repeating: UInt8(0), count: 1 << 16))
        while case let count = try source.read(into: &part), count > 0 { text += part[..<count] }
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: " ")).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
            return numbers.count == 2 ? AccessRequest(key: UInt64(numbers[0]), size: max(1, numbers[1])) : nil
        }
    }
}

@Suite(.enabled(if: SharedTraces.arePresent, "there is no ../shared/traces beside the package"), .timeLimit(.minutes(5)))
struct SizedTraceTests {
    /// Sums over capacities of 1, 5, 20 and 50 % of all bytes.
    @Test(arguments: ["webcachesim", "cloudphysics_io"])
    func cacheHitsMoreBytesThanLRUAndGDSFAndMoreObjectsThanLRU(name: String) async throws {
        let simulation = Simulation(policies: [.lru, .gdsf, .hoard, .hoardBytes], capacities: [1, 5, 20, 50].map { .percentOfBytes($0) })
        let results = try await simulation.results(of: RequestSource(name: name, SharedTraces.sizedRequests(of: name)))
        func sum(_ policy: SimulationPolicy, _ number: (SimulationResult) -> Int) -> Int {
            results.lazy.filter { $0.policy == policy }.reduce(0) { $0 + number($1) }
        }
        #expect(sum(.hoardBytes, \.hitBytes) > sum(.lru, \.hitBytes), "\(name)")
        #expect(sum(.hoardBytes, \.hitBytes) > sum(.gdsf, \.hitBytes), "\(name)")
        #expect(sum(.hoard, \.hits) > sum(.lru, \.hits), "\(name)")
    }
}
