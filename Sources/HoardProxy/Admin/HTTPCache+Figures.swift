// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
package import HoardHTTP

/// What a proxy's figures say of its cache.
package struct CacheFigures: Sendable, Hashable {
    package var memory: ProxyStatistics.Snapshot.Space
    /// All stores together; `nil` if there are none, or if one does not answer.
    package var disk: ProxyStatistics.Snapshot.Space?
    package var evictions: ProxyStatistics.Snapshot.Evictions
}

extension HTTPCache {
    /// The figures as they stand now. Suspends; does not wait for writes.
    package func figures() async -> CacheFigures {
        let memory = memoryStatistics
        var figures = CacheFigures(
            memory: .init(bytes: memoryByteCount, limit: maximumMemoryByteCount, entries: memoryEntryCount),
            evictions: .init(
                memory: .init(capacity: memory.evictions, expired: memory.expirations, removed: memory.removals, replaced: memory.replacements)
            )
        )
        let stores = await storeStatistics()
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

extension Int {
    fileprivate func addingSaturating(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
