// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The tables of a cache that was emptied. Their keys, values and errors are released with this object, which never happens under a lock.
@usableFromInline final class RemovedTables<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var tables: [EntryTable<Key, Value>] = []
    @usableFromInline var details: [EntryDetailsTable] = []

    @inlinable init() {}

    @inlinable func departures() -> Departures<Key, Value> {
        var departures = Departures<Key, Value>()
        for table in tables {
            for slot in table.slots.usedSlots where table.slots.flags(of: slot).segment != .free {
                let isNegative = table.slots.flags(of: slot).isNegative
                departures.append(.init(key: table.key(at: slot), value: isNegative ? nil : table.value(at: slot), cause: .explicit))
            }
        }
        return departures
    }

    deinit {
        for table in tables { table.deallocate() }
    }
}
