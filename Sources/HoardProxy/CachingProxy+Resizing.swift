// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardHTTP
internal import Synchronization

extension CachingProxy {
    /// Changes how much is kept, while the proxy serves. Suspends until the new limits hold.
    ///
    /// More room loses nothing; for less room those responses leave that would have left next. A later ``reload(_:)`` gives memory the size of its configuration again.
    ///
    /// - Parameters:
    ///   - memoryBytes: The most bytes in memory. `nil`: as many as before.
    ///   - diskBytes: The most bytes in the store on disk. `nil`: as many as before.
    /// - Throws: ``ProxyError/Code/invalidConfiguration`` if a size is negative, or there is no store whose size can change;
    ///   ``ProxyError/Code/cannotResize`` if the store could not remove the records that must leave.
    public func resize(memoryBytes: Int? = nil, diskBytes: Int? = nil) async throws(ProxyError) {
        try await ProxyResizing(cache: cache, statistics: recorder.statistics, state: state).resize(memoryBytes: memoryBytes, diskBytes: diskBytes)
    }
}

/// Changes sizes, for the proxy itself and for its admin server.
struct ProxyResizing: Sendable {
    let cache: HTTPCache
    let statistics: ProxyStatistics
    /// Remembers the size, for the next reload; `nil`: nothing is to be remembered.
    let state: ProxyState?

    func resize(memoryBytes: Int?, diskBytes: Int?) async throws(ProxyError) {
        guard memoryBytes ?? 0 >= 0, diskBytes ?? 0 >= 0 else { throw ProxyError(.invalidConfiguration, "A size must not be negative.") }
        if let diskBytes {
            let hasStore: Bool
            do throws(StoreError) {
                hasStore = try await cache.setMaximumStoreBytes(diskBytes)
            } catch {
                throw ProxyError(.cannotResize, "The size of the disk store could not be changed: \(error.message)", underlyingError: error)
            }
            guard hasStore else { throw ProxyError(.invalidConfiguration, "The proxy has no disk store whose size could be changed.") }
        }
        if let memoryBytes {
            cache.setMaximumMemoryBytes(memoryBytes)
            state?.value.withLock { $0.configuration.cache.maximumMemoryBytes = memoryBytes }
        }
        let (size, overflow) = cache.maximumMemoryBytes.addingReportingOverflow(await cache.figures().disk?.limit ?? 0)
        statistics.cacheByteCount = overflow ? .max : size
    }
}
