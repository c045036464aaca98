// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The goal of a cache whose entries have weights.
public struct HitGoal: Hashable, Sendable {
    private let weighsHits: Bool

    /// As many hits as possible. Of the next eight entries that may leave, the cache evicts the one that was used least often for its weight.
    ///
    /// Right when a miss costs about the same for each entry: a query, a round trip.
    public static var objects: HitGoal { HitGoal(weighsHits: false) }

    /// As great a total weight of hits as possible: in bytes, if entries weigh their bytes. Weights do not decide which entry leaves next.
    ///
    /// Right when a miss costs more for a heavy entry: traffic, disk throughput.
    public static var bytes: HitGoal { HitGoal(weighsHits: true) }
}
