// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The numbers of the fences that are open for one key, in ascending order.
///
/// A single fence, the usual case, needs no allocation. Each operation is O(1), amortised over the insertions.
@usableFromInline struct FenceSet {
    /// The only number, or none.
    @usableFromInline var single: UInt64?
    /// All numbers, if there have been several since the set was last empty.
    @usableFromInline var several: Several?

    @usableFromInline struct Several {
        @usableFromInline var open: Set<UInt64>
        /// All numbers that were inserted, oldest first. Those that are not in `open` were closed.
        var inOrder: [UInt64]
        /// The first index in `inOrder` that a younger fence has not broken.
        var first = 0

        mutating func removeAll(through id: UInt64) {
            while first < inOrder.count, inOrder[first] <= id {
                open.remove(inOrder[first])
                first += 1
            }
        }

        /// Forgets closed numbers, once they are the majority.
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

    /// - Parameter id: Greater than all numbers before it.
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

    /// Removes `id` and all older numbers.
    mutating func removeAll(through id: UInt64) {
        if let single, single <= id { self.single = nil }
        several?.removeAll(through: id)
    }
}
