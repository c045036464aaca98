// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// Checks all shards: tables, lists, totals, timers, limits. For tests.
    func checkInvariants() {
        cells.forEach { number in
            cells.withShard(number) { shard in shard.checkInvariants { UInt32(truncatingIfNeeded: hasher($0)) } }
        }
        guard configuration.maximumWeight != nil else { return }
        let limits = forEachShard(UInt(0)) { $0 += $1.policy.maximumWeight ?? 0 }
        precondition(Int(limits) + weightPool.rest == weightLimit.load(ordering: .acquiring), "the parts of the limit by weight do not add up")
    }

    /// Whether no thread is inside a shard. For tests.
    var allLocksAreFree: Bool { (0..<cells.count).allSatisfy { cells.isFree($0) } }

    /// The number of fences that loads have open. For tests.
    var openFenceCount: Int { forEachShard(0) { $0 += $1.fences.count } }
}
