// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A cache under replay: a policy of whatever type, and how often it hit.
protocol Replaying: AnyObject, Sendable {
    /// Replays the requests, one after the other.
    func replay(_ requests: [AccessRequest])
    /// How many of the requests so far were hits.
    var hits: Int { get }
    /// How many keys the policy holds.
    var count: Int { get }
}

/// Replays batch by batch on one policy. It is generic so that the compiler makes a loop for each type of policy.
///
/// Each batch may come from another thread, never two at once: the lock is taken once per batch and is always free.
final class Replay<Policy: ReplacementPolicy>: Replaying {
    private struct State {
        var policy: Policy
        var hits = 0
    }

    private let state: Mutex<State>

    init(_ policy: Policy) {
        state = Mutex(State(policy: policy))
    }

    var hits: Int { state.withLock { $0.hits } }

    var count: Int { state.withLock { $0.policy.count } }

    func replay(_ requests: [AccessRequest]) {
        state.withLock { state in
            for request in requests where state.policy.access(request.key) { state.hits += 1 }
        }
    }
}
