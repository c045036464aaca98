// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A small cache of hashes alone, which shows how a tuning would do on a sample of the accesses.
///
/// Miniature simulation (Waldspurger, Saemundsson, Ahmad and Park, "Cache Modeling and Optimization using Miniature
/// Simulations", USENIX ATC 2017): a cache of a fraction of the capacity, fed with the same fraction of the keys, has about the same hit ratio.
/// Two keys with the same 32-bit hash are one key to it.
struct ShadowCache {
    private var table: SlotTable
    private var policy: EvictionPolicy
    private let capacity: Int

    init(capacity: Int, tuning: EvictionPolicy.Tuning) {
        self.capacity = max(1, capacity)
        table = SlotTable(capacity: min(self.capacity + 1, 16), hasWeights: false)
        policy = EvictionPolicy(maximumCount: self.capacity, maximumWeight: nil, tuning: tuning)
        policy.tableDidGrow(table)
        policy.showGeneration(in: &table)
    }

    /// Looks a hash up and, if it is not there, inserts it. Returns whether it was there.
    mutating func access(_ hash: UInt32) -> Bool {
        let slot = table.find(hash) { table.hash(of: $0) == hash }
        guard slot == .none else {
            table.countUse(of: slot, table.flags(of: slot))
            return true
        }
        if table.isFull {
            table.grow(to: min(table.capacity * 2, capacity + 1))
            policy.tableDidGrow(table)
        }
        let newcomer = table.allocate(hash)
        let links = table.links
        policy.didInsert(newcomer, in: links)
        if table.generation != SlotTable.countsUses { policy.age(&table, isNew: true) }
        while true {
            let evicted = policy.nextEvicted(in: links, sparing: newcomer)
            if evicted == .none { return false }
            table.free(evicted)
        }
    }

    var count: Int { table.count }

    func deallocate() { table.deallocate() }

    /// Checks table and lists. For tests.
    func checkInvariants() {
        table.checkInvariants()
        policy.checkInvariants(in: table)
    }
}
