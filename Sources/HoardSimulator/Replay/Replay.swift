// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A cache under replay: a policy of whatever type, and how often it hit.
protocol Replaying: AnyObject, Sendable {
    /// Replays the requests, one after the other.
    func replay(_ batch: RequestBatch)
    /// The hits among the requests so far.
    var tally: HitTally { get }
    /// The number of keys that the policy holds.
    var count: Int { get }
    /// The sum of the sizes of the keys it holds.
    var size: Int { get }
    /// The rest of a fleet's result; `nil` for a single cache.
    var fleetResult: FleetResult? { get }
}

extension Replaying {
    var fleetResult: FleetResult? { nil }

    /// How many of the requests so far were hits.
    var hits: Int { tally.hits }
}

/// The hits of a cache.
struct HitTally: Hashable, Sendable {
    /// How many requests found their object in the cache.
    var hits = 0
    /// The bytes that they asked for.
    var bytes = 0
    /// The time that the saved loads would have taken.
    var microseconds = 0
    /// How many requests found an object that had expired.
    var expired = 0
    /// How many of the hits were with an object that had expired, and was loaded anew meanwhile.
    var stale = 0
    /// How many of the hits were found on the second level only.
    var lowerHits = 0
    /// The bytes of those.
    var lowerBytes = 0
}

/// Replays batch by batch on one policy, with a loop that the compiler makes for each type of policy.
///
/// The loop is a closure for that: the compiler specialises the initialiser, whose caller knows the type, and with it the closure. A method
/// that is called through ``Replaying`` would be the same for all policies, and three to five times as slow.
///
/// Each batch may come from another thread, never two at once: the lock is taken once per batch and is always free.
final class Replay<Policy: ReplacementPolicy>: Replaying {
    private struct State {
        var cache: ExpiringCache<Policy>
        var tally = HitTally()
    }

    private let state: Mutex<State>
    private let loop: @Sendable (RequestBatch, inout State) -> Void

    /// - Parameters:
    ///   - countsBytes: Whether the policy is told sizes; otherwise each is 1.
    ///   - reclaims: Whether an expired object gives its room back at once, and not when it is asked for.
    init(_ policy: Policy, countsBytes: Bool = false, reclaims: Bool = false) {
        state = Mutex(State(cache: ExpiringCache(policy, countsBytes: countsBytes, reclaims: reclaims)))
        loop = { batch, state in Self.replay(batch, on: &state) }
    }

    var tally: HitTally { state.withLock { $0.tally } }
    var count: Int { state.withLock { $0.cache.policy.count } }
    var size: Int { state.withLock { $0.cache.policy.size } }

    func replay(_ batch: RequestBatch) { state.withLock { loop(batch, &$0) } }

    private static func replay(_ batch: RequestBatch, on state: inout State) {
        if batch.parts.needNumbers {
            replayWithChanges(batch, on: &state)
        } else if batch.parts.isEmpty {
            replayKeys(batch.requests, on: &state)
        } else {
            for request in batch.requests where state.cache.access(request) { state.tally.note(request) }
        }
    }

    /// Replays requests that have a key and nothing else.
    private static func replayKeys(_ requests: [AccessRequest], on state: inout State) {
        var hits = 0
        for request in requests where state.cache.policy.access(request.key, size: 1) { hits += 1 }
        state.tally.hits += hits
        state.tally.bytes += hits
    }

    /// Replays with changes: removes objects that expire before they are asked for, and makes the changes of the trace.
    private static func replayWithChanges(_ batch: RequestBatch, on state: inout State) {
        for (request, number) in zip(batch.requests, batch.keyNumbers) {
            let (number, time) = (Int(number), request.time ?? 0)
            state.cache.reclaim(at: time)
            switch request.kind.base {
            case .read:
                if state.cache.expire(request.key, number, at: time) { state.tally.expired += 1 }
                if state.cache.access(request) {
                    state.tally.note(request)
                    guard batch.staleWindow > 0, time >= state.cache.deadline(of: number) - batch.staleWindow else { continue }
                    // It had expired, and is loaded anew.
                    state.tally.stale += 1
                }
                state.cache.setDeadline(request.deadline(staleFor: batch.staleWindow), of: request.key, number)
            case .write: state.cache.write(request, number, staleFor: batch.staleWindow)
            case .removal:
                state.cache.remove(request.key, number)
                state.cache.policy.passBy()
            case .uncacheable: state.cache.policy.passBy()
            }
        }
    }
}

extension HitTally {
    /// Counts a hit.
    mutating func note(_ request: AccessRequest) {
        hits += 1
        bytes = bytes.adding(request.knownBytes)
        microseconds += Int(request.cost ?? 0)
    }
}
