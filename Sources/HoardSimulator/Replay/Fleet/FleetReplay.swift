// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Replays batch by batch on the near caches of a fleet, and on the tier that they share, if there is one.
///
/// Each tier has deadlines of its own: without a shared tier, and after it has evicted an object, nodes load at different times. An object that
/// comes from the shared tier keeps its deadline. ``Fleet`` has the other rules. A memory level above a disk is a fleet
/// of one node.
final class FleetReplay<Near: ReplacementPolicy, Shared: SlotListPolicy>: Replaying {
    private struct State {
        var nodes: [ExpiringCache<Near>]
        var shared: ExpiringCache<Shared>?
        var router: FleetRouter
        var tally = HitTally()
        var loads = OriginLoads()
        /// The bytes of loads and writes that the shared tier got.
        var bytesToShared = 0
    }

    private let fleet: Fleet
    private let state: Mutex<State>
    /// A closure, as in ``Replay``.
    private let loop: @Sendable (RequestBatch, inout State) -> Void

    /// - Parameters:
    ///   - nodes: The near caches.
    ///   - shared: The tier below; `nil` if there is none.
    init(_ fleet: Fleet, nodes: [ExpiringCache<Near>], shared: ExpiringCache<Shared>?) {
        self.fleet = fleet
        var shared = shared
        if fleet.isInclusive { shared?.policy.keys.evicted = [] }
        state = Mutex(State(nodes: nodes, shared: shared, router: FleetRouter(fleet)))
        loop = { batch, state in Self.replay(batch, on: &state) }
    }

    var tally: HitTally { state.withLock { $0.tally } }
    /// Of all near caches.
    var count: Int { state.withLock { $0.nodes.reduce(0) { $0 + $1.policy.count } } }
    var size: Int { state.withLock { $0.nodes.reduce(0) { $0 + $1.policy.size } } }

    var fleetResult: FleetResult? {
        state.withLock { FleetResult(fleet, tally: $0.tally, loads: $0.loads, bytesToShared: $0.bytesToShared) }
    }

    func replay(_ batch: RequestBatch) { state.withLock { loop(batch, &$0) } }

    private static func replay(_ batch: RequestBatch, on state: inout State) {
        for (request, number) in zip(batch.requests, batch.keyNumbers) {
            let (node, number) = (state.router.node(for: request.key), Int(number))
            state.loads.noteKey(number)
            state.nodes[node].reclaim(at: request.time ?? 0)
            switch request.kind.base {
            case .read: read(request, number, at: node, in: &state)
            case .uncacheable: state.loads.noteLoad(number)
            case .write, .removal: change(request, number, at: node, in: &state)
            }
            dropEvicted(from: &state)
        }
    }

    private static func read(_ request: AccessRequest, _ number: Int, at node: Int, in state: inout State) {
        let time = request.time ?? 0
        var hasExpired = state.nodes[node].expire(request.key, number, at: time)
        if state.nodes[node].access(request) { return state.tally.note(request) }
        if state.shared?.expire(request.key, number, at: time) == true { hasExpired = true }
        if state.shared?.access(request) == true, let deadline = state.shared?.deadline(of: number) {
            state.tally.note(request)
            state.tally.lowerHits += 1
            state.tally.lowerBytes = state.tally.lowerBytes.adding(request.knownBytes)
            state.nodes[node].setDeadline(deadline, of: request.key, number)
            state.loads.noteSharedHit(request, number, at: node)
            return
        }
        if hasExpired { state.tally.expired += 1 }
        state.nodes[node].setDeadline(request.deadline, of: request.key, number)
        state.shared?.setDeadline(request.deadline, of: request.key, number)
        if state.loads.noteMiss(request, number, at: node), state.shared != nil { noteSent(request, in: &state) }
    }

    /// Counts the bytes of an object that the shared tier gets.
    private static func noteSent(_ request: AccessRequest, in state: inout State) {
        state.bytesToShared = state.bytesToShared.adding(request.knownBytes)
    }

    /// Removes from the nodes the objects that the shared tier has evicted, if they are told of it.
    private static func dropEvicted(from state: inout State) {
        guard let evicted = state.shared?.policy.keys.evicted, !evicted.isEmpty else { return }
        for key in evicted {
            for node in state.nodes.indices { _ = state.nodes[node].policy.remove(key) }
        }
        state.shared?.policy.keys.evicted = []
    }

    /// Carries out a write or a removal in all tiers.
    private static func change(_ request: AccessRequest, _ number: Int, at node: Int, in state: inout State) {
        let isWrite = request.kind == .write
        for other in state.nodes.indices where !isWrite || other != node { state.nodes[other].remove(request.key, number) }
        if isWrite {
            state.nodes[node].write(request, number)
            state.shared?.write(request, number)
            if state.shared != nil { noteSent(request, in: &state) }
        } else {
            state.shared?.remove(request.key, number)
        }
        state.loads.noteChange(number)
    }
}
