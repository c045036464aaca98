// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Replays batch by batch on a memory level with a disk level below.
///
/// A hit in memory does not reach the disk, whose order it leaves alone. A miss in memory looks there: a hit is brought into memory, and stays
/// on disk; a miss loads the object, and writes it to both. The two evict on their own, so that memory may hold what the disk has evicted. An
/// object that expires leaves both; one that comes from the disk keeps its deadline.
final class TieredReplay<Memory: ReplacementPolicy, Disk: ReplacementPolicy>: Replaying {
    private struct State {
        var memory: Memory
        var disk: Disk
        var tally = HitTally()
        /// When the object expires that each key was loaded with last, by the key's number.
        var deadlines: [UInt64] = []
    }

    private let state: Mutex<State>
    /// A closure, as in ``Replay``.
    private let loop: @Sendable (RequestBatch, inout State) -> Void

    init(_ memory: Memory, countsBytes: Bool, above disk: Disk, countsBytes diskCountsBytes: Bool) {
        state = Mutex(State(memory: memory, disk: disk))
        loop = { batch, state in Self.replay(batch, countsBytes: countsBytes, diskCountsBytes: diskCountsBytes, on: &state) }
    }

    var tally: HitTally { state.withLock { $0.tally } }
    /// Of the memory level.
    var count: Int { state.withLock { $0.memory.count } }
    var size: Int { state.withLock { $0.memory.size } }

    func replay(_ batch: RequestBatch) { state.withLock { loop(batch, &$0) } }

    private static func replay(_ batch: RequestBatch, countsBytes: Bool, diskCountsBytes: Bool, on state: inout State) {
        let hasNumbers = batch.parts.needNumbers
        for (place, request) in batch.requests.enumerated() {
            let number = hasNumbers ? Int(batch.keyNumbers[place]) : nil
            if let number {
                while state.deadlines.count <= number { state.deadlines.append(.max) }
                guard request.kind == .read else {
                    change(request, number, countsBytes: countsBytes, diskCountsBytes: diskCountsBytes, in: &state)
                    continue
                }
                expire(request, number: number, in: &state)
            }
            if state.memory.access(request.key, size: countsBytes ? request.chargedBytes : 1) {
                state.tally.note(request)
            } else if state.disk.access(request.key, size: diskCountsBytes ? request.chargedBytes : 1) {
                state.tally.note(request)
                state.tally.lowerHits += 1
                state.tally.lowerBytes += request.knownBytes
            } else if let number {
                state.deadlines[number] = request.deadline
            }
        }
    }

    /// Does what changes both levels.
    private static func change(_ request: AccessRequest, _ number: Int, countsBytes: Bool, diskCountsBytes: Bool, in state: inout State) {
        if request.kind == .removal {
            _ = state.memory.remove(request.key)
            _ = state.disk.remove(request.key)
        } else if request.kind == .write {
            _ = state.memory.access(request.key, size: countsBytes ? request.chargedBytes : 1)
            _ = state.disk.access(request.key, size: diskCountsBytes ? request.chargedBytes : 1)
            state.deadlines[number] = request.deadline
        }
    }

    private static func expire(_ request: AccessRequest, number: Int, in state: inout State) {
        guard state.deadlines[number] <= request.time ?? 0 else { return }
        let wasInMemory = state.memory.remove(request.key)
        if state.disk.remove(request.key) || wasInMemory { state.tally.expired += 1 }
    }
}
