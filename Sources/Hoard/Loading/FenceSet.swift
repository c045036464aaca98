// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The numbers of the fences that are open for one key, which were given out in ascending order.
///
/// One fence, which is what most keys have, takes no memory of its own. Each operation is O(1), spread over the numbers that were inserted.
@usableFromInline struct FenceSet {
    /// The only one, or none.
    @usableFromInline var single: UInt64?
    /// All of them, if there have been several since the last one was closed.
    @usableFromInline var several: Several?

    @usableFromInline struct Several {
        @usableFromInline var open: Set<UInt64>
        /// All that were inserted, the oldest first: what is no longer in `open` was closed.
        var inOrder: [UInt64]
        /// The first of `inOrder` that has not been broken by a younger one.
        var first = 0

        mutating func removeAll(through id: UInt64) {
            while first < inOrder.count, inOrder[first] <= id {
                open.remove(inOrder[first])
                first += 1
            }
        }

        /// Forgets what was closed, once it is most of what there is.
        mutating func compact() {
            guard inOrder.count > 16, inOrder.count > 2 * open.count else { return }
            inOrder = inOrder[first...].filter(open.contains)
            first = 0
        }
    }

    @inlinable init() {}

    @inlinable init(_ id: UInt64) {
        single = id
    }

    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable var count: Int { several?.open.count ?? (single == nil ? 0 : 1) }

    @inlinable func contains(_ id: UInt64) -> Bool {
        several?.open.contains(id) ?? (single == id)
    }

    /// - Parameter id: Greater than all before it.
    @inlinable mutating func insert(_ id: UInt64) {
        if single == nil, several == nil { single = id } else { insertAnother(id) }
    }

    @usableFromInline mutating func insertAnother(_ id: UInt64) {
        if several != nil {
            several?.compact()
            several?.open.insert(id)
            several?.inOrder.append(id)
        } else if let other = single {
            single = nil
            several = Several(open: [other, id], inOrder: [other, id])
        }
    }

    @inlinable mutating func remove(_ id: UInt64) {
        if several != nil { several?.open.remove(id) } else if single == id { single = nil }
    }

    /// Removes `id` and all that are older.
    mutating func removeAll(through id: UInt64) {
        if let single, single <= id { self.single = nil }
        several?.removeAll(through: id)
    }
}
