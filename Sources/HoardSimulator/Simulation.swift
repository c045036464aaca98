// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Replays access traces on policies: look up; on a miss, insert.
///
/// A capacity in keys counts each key 1; one in bytes charges each object its size. A request whose size is not known uses the last known size of its
/// key, or else 1 byte. The same holds for costs and lifetimes, but without a known lifetime an object does not expire. With lifetimes, an object
/// that was loaded at a time *t* is expired from *t* + its lifetime on: asking for it then is a miss, and loads it anew. ``SimulationPolicy/hoard``
/// gives the room of expired objects back by itself; in the other caches they take room until they are asked for or evicted.
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

    /// The capacity of an LRU disk level below each cache; `nil` if there is none.
    ///
    /// A hit in memory does not reach the disk. A hit there is brought into memory and stays on disk, and a load is written to both. Policies
    /// that ``SimulationPolicy/canStandAboveDisk`` have results, and no others. Their hits are those of both levels.
    public let disk: SimulationCapacity?

    /// For how many milliseconds an object that has expired still answers requests, the first of which has it loaded anew (RFC 5861 §3). 0 for
    /// not at all. It is not replayed with a ``disk``, nor in a ``fleet``.
    public let staleWhileRevalidate: UInt64

    /// The fleet whose nodes the caches are, each of the capacity; `nil` if there is a single cache. Policies that
    /// ``SimulationPolicy/canStandAboveDisk`` have results, and no others. Their hits are those of all tiers.
    public let fleet: Fleet?

    /// How many requests every replay gets before the next ones are read.
    private static let batchCount = 1 << 15

    /// A simulation of single caches, with or without a disk below each.
    public init(
        policies: [SimulationPolicy] = SimulationPolicy.all,
        capacities: [SimulationCapacity] = SimulationCapacity.defaults,
        disk: SimulationCapacity? = nil,
        staleWhileRevalidate: UInt64 = 0
    ) {
        self.staleWhileRevalidate = staleWhileRevalidate
        self.policies = disk == nil ? policies : policies.filter(\.canStandAboveDisk)
        self.capacities = capacities
        self.disk = disk
        fleet = nil
    }

    /// A simulation of a fleet.
    public init(policies: [SimulationPolicy] = SimulationPolicy.all, capacities: [SimulationCapacity] = SimulationCapacity.defaults, fleet: Fleet) {
        self.policies = policies.filter(\.canStandAboveDisk)
        self.capacities = capacities
        disk = nil
        staleWhileRevalidate = 0
        self.fleet = fleet
    }

    /// Replays an access trace.
    ///
    /// - Parameters:
    ///   - reader: The access trace, from its beginning.
    ///   - collector: Collects the data of a ``TraceReport``. It may be used for one access trace only.
    ///   - progress: Told again and again how many more bytes of the file are done with.
    /// - Returns: A result for each capacity and, within it, for each policy that can count in its unit. Capacities that come to the same
    ///   number are one.
    public func results(
        of reader: AccessTraceReader,
        collector: ReportCollector? = nil,
        progress: (Int) -> Void = { _ in }
    ) async throws(AccessTraceError) -> [SimulationResult] {
        try await results(of: RequestSource(reader), collector: collector, progress: progress)
    }

    /// Replays requests from wherever they come.
    func results(
        of source: RequestSource,
        collector: ReportCollector? = nil,
        progress: (Int) -> Void = { _ in }
    ) async throws(AccessTraceError) -> [SimulationResult] {
        let source = collector.map { RequestSource(source, collector: $0) } ?? source
        if needsWholeTrace {
            let trace = try HeldTrace(source)
            return await results(of: trace, collector: collector, byteCount: source.bytesRead(), progress: progress)
        }
        let cells = makeCells(for: nil)
        var completer = RequestCompleter(numbersKeys: tiers != nil)
        var batch = RequestBatch([])
        batch.staleWindow = staleWhileRevalidate
        var bytesDone = 0
        while try source.readBatch(&batch.requests) {
            completer.complete(&batch)
            await Self.replay(batch, on: cells)
            Self.note(batch, on: cells, in: collector)
            progress(source.bytesRead() - bytesDone)
            bytesDone = source.bytesRead()
        }
        return results(of: cells, trace: source.name, totals: completer.totals, parts: completer.parts)
    }

    /// Replays an access trace that is in memory.
    func results(of trace: AccessTrace, byteCount: Int = 0, progress: (Int) -> Void = { _ in }) async -> [SimulationResult] {
        await results(of: HeldTrace(trace), collector: nil, byteCount: byteCount, progress: progress)
    }

    private func results(of held: HeldTrace, collector: ReportCollector?, byteCount: Int, progress: (Int) -> Void) async -> [SimulationResult] {
        let cells = makeCells(for: held)
        let requestCount = held.trace.requestCount
        var bytesDone = 0
        // The history of a short trace needs more than a few windows.
        let batchCount = collector == nil ? Self.batchCount : min(max(requestCount / 200, 64), Self.batchCount)
        for start in stride(from: 0, to: requestCount, by: batchCount) {
            let end = min(start + batchCount, requestCount)
            var batch = held.batch(start..<end, numbersKeys: tiers != nil)
            batch.staleWindow = staleWhileRevalidate
            await Self.replay(batch, on: cells)
            Self.note(batch, on: cells, in: collector)
            let bytes = Int(Double(byteCount) * Double(end) / Double(requestCount))
            progress(bytes - bytesDone)
            bytesDone = bytes
        }
        return results(of: cells, trace: held.trace.name, totals: held.totals, parts: held.parts)
    }

    private static func replay(_ batch: RequestBatch, on cells: [Cell]) async {
        await withTaskGroup { group in
            for cell in cells { group.addTask { cell.replay.replay(batch) } }
        }
    }

    /// Tells a collector the hits at the capacity in the middle.
    private static func note(_ batch: RequestBatch, on cells: [Cell], in collector: ReportCollector?) {
        guard let collector, !cells.isEmpty else { return }
        let middle = cells[cells.count / 2]
        let requests = batch.parts.contains(.changes) ? batch.requests.count(where: \.isCounted) : batch.requests.count
        for cell in cells where cell.capacity == middle.capacity && cell.countsBytes == middle.countsBytes {
            collector.add(allHits: cell.replay.hits, requests: requests, by: cell.policy, capacity: cell.capacity, countsBytes: cell.countsBytes)
        }
    }

    private func results(of cells: [Cell], trace: String, totals: RequestTotals, parts: RequestParts) -> [SimulationResult] {
        cells.map { cell in
            var result = SimulationResult(
                trace: trace,
                capacity: cell.capacity,
                countsBytes: cell.countsBytes,
                policy: cell.policy,
                tally: cell.replay.tally,
                totals: totals,
                parts: parts
            )
            if staleWhileRevalidate > 0 { result.staleHits = cell.replay.tally.stale }
            if disk == nil {
                result.fleet = cell.replay.fleetResult
            } else {
                result.diskHits = cell.replay.tally.lowerHits
                result.diskHitBytes = cell.replay.tally.lowerBytes
            }
            return result
        }
    }
}
