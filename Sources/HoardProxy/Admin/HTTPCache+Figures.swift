// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
package import HoardHTTP

/// The part of a proxy's figures that its cache provides.
package struct CacheFigures: Sendable, Hashable {
    package var memory: ProxyStatistics.Snapshot.Space
    /// All stores together that only this process uses; `nil` if there are none, or if one does not answer.
    package var disk: ProxyStatistics.Snapshot.Space?
    /// The store that other processes use too.
    package var shared: ProxyStatistics.Snapshot.SharedTier?
    package var evictions: ProxyStatistics.Snapshot.Evictions
}

extension HTTPCache {
    /// The figures as they stand now. Suspends; does not wait for writes.
    package func figures() async -> CacheFigures {
        let memory = memoryStatistics
        var figures = CacheFigures(
            memory: .init(bytes: memoryByteCount, limit: maximumMemoryBytes, entries: memoryEntryCount),
            evictions: .init(
                memory: .init(capacity: memory.evictions, expired: memory.expirations, removed: memory.removals, replaced: memory.replacements)
            )
        )
        let all = await storeStatistics()
        let areShared = sharedStores
        if let index = areShared.firstIndex(of: true) { figures.shared = .init(storeHealth[index], all[index]) }
        let stores = zip(all, areShared).filter { !$0.1 }.map(\.0)
        let known = stores.compactMap { $0 }
        guard !stores.isEmpty, known.count == stores.count else { return figures }
        let limits = known.compactMap(\.maximumBytes)
        figures.disk = .init(
            bytes: known.reduce(0) { $0 + $1.bytes },
            limit: limits.count == known.count ? limits.reduce(0) { $0.addingSaturating($1) } : nil,
            entries: known.reduce(0) { $0 + $1.count }
        )
        figures.evictions.disk = .init(
            capacity: known.reduce(0) { $0 + $1.evictions },
            expired: known.reduce(0) { $0 + $1.expirations },
            removed: known.reduce(0) { $0 + $1.removals }
        )
        return figures
    }
}

extension HTTPCache {
    /// The name of the tier that other processes use too, if nothing is kept elsewhere beyond memory.
    package var sharedTierName: String? { sharedStores == [true] ? storeHealth.first?.store : nil }
}

extension ProxyStatistics.Snapshot.SharedTier {
    /// - Parameter statistics: `nil`: the store does not answer.
    fileprivate init(_ health: StoreHealth, _ statistics: StoreStatistics?) {
        let space = statistics.map { ProxyStatistics.Snapshot.Space(bytes: $0.bytes, limit: $0.maximumBytes, entries: $0.count) }
        let isReached = space != nil && health.circuit == .closed
        self.init(
            name: health.store,
            state: isReached ? health.isSound ? .sound : .recovering : .unreachable,
            space: space,
            hits: statistics?.hits,
            misses: statistics?.misses,
            failures: health.failures,
            pendingInvalidations: health.pendingInvalidations
        )
    }
}

extension Int {
    fileprivate func addingSaturating(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
