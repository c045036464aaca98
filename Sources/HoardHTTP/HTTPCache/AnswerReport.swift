// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A report of a request's outcome, for statistics and logs.
package struct AnswerReport: Sendable, Hashable {
    /// Each request has exactly one. ``HTTPCacheStatistics`` gives the meaning of each.
    package enum Outcome: UInt8, Sendable, CaseIterable {
        case hit, staleHit, validatedHit, collapsedHit, miss, generated, failure
        /// The request did not concern the cache: its method, its fields or its route kept it away.
        case bypass
        /// The client left before there was an answer. That is no failure of the origin's.
        case abandoned
    }

    /// Where the content came from.
    package enum Tier: UInt8, Sendable, CaseIterable {
        case memory, store, origin
        /// The server made it up.
        case none
    }

    package var outcome: Outcome
    package var tier: Tier
    /// The time that the origin took for the head of its answer; `nil` if this request was not sent to it.
    package var originDuration: Duration?
    /// Of a miss: whether the origin's response is stored or being stored. A response that cannot be stored would be a
    /// miss in a cache of any size.
    package var isStored: Bool
    /// Of a miss: whether something was found that could not be used, because it was stale or did not match. A larger cache would not have helped.
    package var foundUnusable: Bool

    package init(_ outcome: Outcome, tier: Tier, originDuration: Duration? = nil, isStored: Bool = true, foundUnusable: Bool = false) {
        self.outcome = outcome
        self.tier = tier
        self.originDuration = originDuration
        self.isStored = isStored
        self.foundUnusable = foundUnusable
    }
}
