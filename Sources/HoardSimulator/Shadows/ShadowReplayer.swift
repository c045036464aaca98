// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Replays the accesses of a recorder on shadows as they come.
final class ShadowReplayer: Sendable {
    private struct State {
        var window = RecordingWindow(length: ShadowReplayer.windowLength, remembersKeys: false)
        var directory: KeyDirectory
        var statistics: ShadowSimulation.Statistics
        var ready: [AccessRequest] = []
    }

    private struct Cell {
        let shadow: ShadowSimulation.Shadow
        let replay: any Replaying
    }

    /// A request waits so many milliseconds for the write of the object that was loaded for it, unless as many requests
    /// as this wait already. The others wait behind it.
    static let wait: UInt64 = 10_000
    static let windowLength = 1 << 15
    private static let batchCount = 1_024

    private let cells: [Cell]
    /// Held while requests are replayed.
    private let state: Mutex<State>

    /// - Parameter sampledShare: The share of the keys that is replayed, by which capacities are scaled.
    init(_ shadows: [ShadowSimulation.Shadow], sampledShare: Double, maximumKeyCount: Int) {
        cells = shadows.map { shadow in
            let countsBytes = shadow.capacity.countsBytes
            return Cell(
                shadow: shadow,
                replay: shadow.policy.makeReplay(capacity: shadow.scaledCapacity(by: sampledShare), countsBytes: countsBytes)
            )
        }
        state = Mutex(State(directory: KeyDirectory(maximumCount: maximumKeyCount), statistics: .init(sampledShare: sampledShare)))
    }

    /// Takes the next accesses.
    func receive(_ batch: TraceListener.Batch) {
        state.withLock { state in
            for event in batch.events { state.window.append(event, time: event.tick &* TraceListener.tickMilliseconds) }
            state.statistics.lost += batch.lost
            let now = batch.now &* TraceListener.tickMilliseconds
            if now > Self.wait { state.window.release(before: now - Self.wait) }
            if batch.isLast { state.window.finish() }
            replayReady(&state)
        }
    }

    /// Lets nothing wait any more.
    func finish() {
        state.withLock { state in
            state.window.finish()
            replayReady(&state)
        }
    }

    var statistics: ShadowSimulation.Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.shadows = cells.map { cell in
                .init(shadow: cell.shadow, requests: statistics.requests, hits: cell.replay.hits)
            }
            return statistics
        }
    }

    private func replayReady(_ state: inout State) {
        while state.window.hasReady {
            state.ready.removeAll(keepingCapacity: true)
            state.window.takeReady(atMost: Self.batchCount, into: &state.ready)
            for request in state.ready where request.isCounted { state.statistics.note(request) }
            let batch = state.directory.complete(state.ready)
            for cell in cells { cell.replay.replay(batch) }
        }
    }
}

extension ShadowSimulation.Statistics {
    fileprivate mutating func note(_ request: AccessRequest) {
        requests += 1
        if request.wasFreshInMemory { hits += 1 } else if request.wasHit == true { otherHits += 1 }
    }
}
