// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The routes that are in force now. A reload puts others in their place; requests under way keep those with which they began.
final class CurrentRoutes: Sendable {
    private let table: Mutex<RouteTable>
    private let count = Atomic<UInt64>(0)

    init(_ table: RouteTable) {
        self.table = Mutex(table)
    }

    /// Changes whenever the routes do. Reading it takes no lock, so that a holder of a table can see cheaply whether it
    /// is still the current one.
    var generation: UInt64 { count.load(ordering: .acquiring) }

    var current: RouteTable { table.withLock { $0 } }

    func replace(with other: RouteTable) {
        table.withLock { $0 = other }
        count.add(1, ordering: .releasing)
    }
}
