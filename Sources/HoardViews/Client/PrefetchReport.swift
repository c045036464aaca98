// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The records of several prefetches.
public struct PrefetchReport: Sendable {
    /// The prefetches, or why there are none, in the order of the requests.
    public let results: [Result<Prefetch, ViewError>]

    /// Creates a report of these results.
    public init(results: [Result<Prefetch, ViewError>]) {
        self.results = results
    }

    /// Those that have not failed.
    public var prefetches: [Prefetch] { results.compactMap { try? $0.get() } }
    /// How many brought a screen from the server.
    public var fetchedCount: Int { count { $0.outcome == .fetched } }
    /// How many were not needed, as the screen was there.
    public var alreadyKeptCount: Int { count { $0.outcome == .alreadyKept } }
    /// How many brought the server's word that a screen is still right.
    public var renewedCount: Int { count { $0.outcome == .renewed } }
    /// How many a limit has prevented.
    public var skippedCount: Int { count { [.skippedTooMany, .skippedToSaveData, .skippedTooLarge].contains($0.outcome) } }
    /// How many have failed.
    public var failedCount: Int { results.count { (try? $0.get()) == nil } }
    /// How many of the screens a fetch has got, as it stands now.
    public var usedCount: Int { count { $0.use == .used } }
    /// The number of fetched or already kept screens that no fetch has asked for in time, as it stands now.
    public var unusedCount: Int { count { $0.use == .unused && [.fetched, .renewed, .alreadyKept].contains($0.outcome) } }
    /// How many bytes came from the server for nothing, as it stands now.
    public var wastedBytes: Int { prefetches.filter { $0.use == .unused && $0.outcome == .fetched }.reduce(0) { $0 + $1.byteCount } }

    private func count(_ isCounted: (Prefetch) -> Bool) -> Int { prefetches.count(where: isCounted) }
}
