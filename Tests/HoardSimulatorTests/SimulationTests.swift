// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("Simulation", .timeLimit(.minutes(5)))
struct SimulationTests {
    private func trace(_ requests: [UInt64]) throws -> (TraceDirectory, AccessTraceReader) {
        let directory = try TraceDirectory()
        let path = try directory.write(requests.map { "\($0)\n" }.joined().utf8, to: "some.txt")
        return (directory, try AccessTraceReader(path: path))
    }

    @Test func resultsComeByCapacityAndThenByPolicy() async throws {
        let (directory, reader) = try trace([1, 2, 3, 1, 2, 3])
        let simulation = Simulation(policies: [.opt, .lru, .fifo], capacities: [.count(3), .count(2), .count(3), .percent(100)])
        let results = try await simulation.results(of: reader)
        #expect(results.map(\.capacity) == [3, 3, 3, 2, 2, 2])
        #expect(results.map(\.policy) == [.opt, .lru, .fifo, .opt, .lru, .fifo])
        #expect(results.map(\.hits) == [3, 3, 3, 2, 0, 0])
        #expect(results.allSatisfy { $0.requests == 6 && $0.trace == "some" })
        #expect(results[3].hitRatio == 2.0 / 6)
        #expect(results[3].missRatio == 1 - 2.0 / 6)
        withExtendedLifetime(directory) {}
    }

    @Test func aStreamedTraceGivesTheSameResultsAsOneInMemory() async throws {
        // There is more than one batch of either kind.
        let requests = randomRequests(count: 70_000, keyCount: 300, seed: 11)
        let online = SimulationPolicy.all.filter { $0 != .opt && $0.canCount(bytes: false) }
        let (directory, streamed) = try trace(requests)
        let results = try await Simulation(policies: online, capacities: [.count(20), .count(100)]).results(of: streamed)
        let whole = try AccessTrace(AccessTraceReader(path: directory.path + "/some.txt"))
        let others = await Simulation(policies: online, capacities: [.count(20), .count(100)]).results(of: whole)
        #expect(results == others)
        #expect(results.count == online.count * 2)
    }

    @Test(arguments: [[SimulationCapacity.count(5)], SimulationCapacity.defaults])
    func progressAddsUpToTheBytesOfTheFile(capacities: [SimulationCapacity]) async throws {
        let (directory, reader) = try trace(randomRequests(count: 40_000, keyCount: 300, seed: 12))
        var bytes = 0
        _ = try await Simulation(policies: [.lru], capacities: capacities).results(of: reader) { bytes += $0 }
        #expect(bytes == reader.byteCount)
        withExtendedLifetime(directory) {}
    }

    @Test func errorsOfTheReaderArePassedOn() async throws {
        let directory = try TraceDirectory()
        let path = try directory.write("1\nx\n".utf8)
        for policy in [SimulationPolicy.lru, .opt] {
            await #expect(throws: AccessTraceError.self) {
                try await Simulation(policies: [policy], capacities: [.count(1)]).results(of: AccessTraceReader(path: path))
            }
        }
    }

    @Test func everyPolicyIsFoundByItsName() {
        #expect(
            SimulationPolicy.all.map(\.name) == [
                "hoard", "hoard-bytes", "lru", "fifo", "clock", "sieve", "s3fifo", "merlin", "arc", "lirs", "tinylfu", "gdsf", "lhd", "adaptsize",
                "opt", "pfoo-l",
            ]
        )
        for policy in SimulationPolicy.all { #expect(SimulationPolicy(name: policy.name) == policy) }
        #expect(SimulationPolicy(name: "LRU") == .lru)
        #expect(SimulationPolicy(name: "mru") == nil)
        #expect(SimulationPolicy(name: "") == nil)
    }

    @Test(arguments: [
        ("1", 1), ("1000", 1000), ("1000000000", 1_000_000_000), ("10%", 100), ("0.1%", 1), ("50%", 500), ("0.01%", 1), ("100%", 1000),
        ("12.55%", 126),
        (".5%", 5),
    ])
    func capacitiesAreNumbersOrShares(text: String, count: Int) {
        #expect(SimulationCapacity(text)?.resolved(keyCount: 1000) == count)
    }

    @Test(arguments: [
        ("1B", 1), ("64k", 65_536), ("64KB", 65_536), ("64KiB", 65_536), ("3M", 3 << 20), ("1GiB", 1 << 30), ("1024T", 1 << 50), ("5%B", 250),
        ("0.01%b", 1), ("100%B", 5000),
    ])
    func capacitiesAreBytesOrSharesOfThem(text: String, bytes: Int) {
        let capacity = SimulationCapacity(text)
        #expect(capacity?.countsBytes == true)
        #expect(capacity?.resolved(keyCount: 1000, byteCount: 5000) == bytes)
    }

    @Test(arguments: [
        "", "0", "-1", "1.5", "x", "1x", "1kk", "0B", "5%C", "%B", "1.5M", "2PiB", "1025T", "1000000001", "99999999999999999999", "%", "0%", "-5%",
        "101%", "nan%", "inf%", "1e1%", "10 %", "+5", "5%%",
        "٣",
    ])
    func otherTextsAreNoCapacities(text: String) {
        #expect(SimulationCapacity(text) == nil)
    }

    @Test func defaultCapacitiesAreSharesOfTheKeysAndTenAtLeast() {
        func defaults(_ keyCount: Int) -> [Int] { SimulationCapacity.defaults.map { $0.resolved(keyCount: keyCount) } }
        #expect(defaults(102_348) == [102, 1023, 5117, 10_235, 20_470, 51_174])
        // A half is rounded to the even number.
        #expect(defaults(2529) == [10, 25, 126, 253, 506, 1264])
        #expect(defaults(1223) == [10, 12, 61, 122, 245, 612])
        #expect(defaults(3) == [10, 10, 10, 10, 10, 10])
    }
}
