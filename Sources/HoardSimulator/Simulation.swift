// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Replays access traces on policies: look up; on a miss, insert. Every key counts 1.
///
/// ```swift
/// let simulation = Simulation(policies: [.hoard, .lru, .opt])
/// let results = try await simulation.results(of: AccessTraceReader(path: "web07.txt.gz"))
/// ```
///
/// All policies and capacities are replayed side by side, on as many threads as there are. With fixed capacities and without ``SimulationPolicy/opt``
/// the access trace is streamed, and memory does not depend on its length; otherwise it is held as an ``AccessTrace``.
public struct Simulation: Sendable {
    /// The policies, in the order of the results.
    public let policies: [SimulationPolicy]
    /// The capacities, in the order of the results.
    public let capacities: [SimulationCapacity]

    /// How many requests every replay gets before the next ones are read.
    private static let batchCount = 1 << 15

    public init(policies: [SimulationPolicy] = SimulationPolicy.all, capacities: [SimulationCapacity] = SimulationCapacity.defaults) {
        self.policies = policies
        self.capacities = capacities
    }

    /// Replays an access trace.
    ///
    /// - Parameters:
    ///   - reader: The access trace, from its beginning.
    ///   - progress: Told again and again how many more bytes of the file are done with.
    /// - Returns: A result for each capacity and, within it, for each policy. Capacities that come to the same number are one.
    public func results(of reader: AccessTraceReader, progress: (Int) -> Void = { _ in }) async throws(AccessTraceError) -> [SimulationResult] {
        if policies.contains(where: \.needsNextUses) || capacities.contains(where: \.isRelative) {
            let trace = try AccessTrace(reader)
            return await results(of: trace, byteCount: reader.bytesRead, progress: progress)
        }
        let cells = makeCells(keyCount: 0, nextUses: [])
        var requests: [AccessRequest] = []
        var bytesDone = 0
        while try reader.readBatch(into: &requests) {
            await Self.replay(requests, on: cells)
            progress(reader.bytesRead - bytesDone)
            bytesDone = reader.bytesRead
        }
        return results(of: cells, trace: reader.name, requests: reader.requestCount)
    }

    /// Replays an access trace that is in memory.
    func results(of trace: AccessTrace, byteCount: Int = 0, progress: (Int) -> Void = { _ in }) async -> [SimulationResult] {
        let nextUses = policies.contains(where: \.needsNextUses) ? trace.nextUses() : []
        let cells = makeCells(keyCount: trace.keyCount, nextUses: nextUses)
        var bytesDone = 0
        for start in stride(from: 0, to: trace.requestCount, by: Self.batchCount) {
            let end = min(start + Self.batchCount, trace.requestCount)
            await Self.replay(trace.requests[start..<end].map { AccessRequest(key: trace.keys[Int($0)]) }, on: cells)
            let bytes = Int(Double(byteCount) * Double(end) / Double(trace.requestCount))
            progress(bytes - bytesDone)
            bytesDone = bytes
        }
        return results(of: cells, trace: trace.name, requests: trace.requestCount)
    }

    /// A policy at a capacity.
    private struct Cell: Sendable {
        let capacity: Int
        let policy: SimulationPolicy
        let replay: any Replaying
    }

    private func makeCells(keyCount: Int, nextUses: [UInt32]) -> [Cell] {
        var seen: Set<Int> = []
        let counts = capacities.map { $0.resolved(keyCount: keyCount) }.filter { seen.insert($0).inserted }
        return counts.flatMap { count in
            policies.map { Cell(capacity: count, policy: $0, replay: $0.makeReplay(capacity: count, nextUses: nextUses)) }
        }
    }

    private static func replay(_ requests: [AccessRequest], on cells: [Cell]) async {
        await withTaskGroup { group in
            for cell in cells { group.addTask { cell.replay.replay(requests) } }
        }
    }

    private func results(of cells: [Cell], trace: String, requests: Int) -> [SimulationResult] {
        cells.map { SimulationResult(trace: trace, capacity: $0.capacity, policy: $0.policy, requests: requests, hits: $0.replay.hits) }
    }
}
