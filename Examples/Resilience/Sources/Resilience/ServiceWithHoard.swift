// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting

/// A `TieredCache` with a policy for bad times.
final class ServiceWithHoard: Service {
    static let policy = CachePolicy(freshFor: freshFor).with { policy in
        // For half a minute more, callers get the old row at once, and the new one is read in the background.
        policy.staleWhileRevalidate = .seconds(30)
        // For four hours more, they get the old row if there is no new one,
        policy.staleIfError = .seconds(14_400)
        // wait no longer than this to find out,
        policy.softTimeout = .milliseconds(100)
        // and the database is asked for a row no more often than this while it fails.
        policy.retryAfterFailure = .seconds(30)
        // Rows that are asked for are read again before they are old.
        policy.earlyRefresh = .atFraction(0.8)
        // No caller waits longer than this, not even for a row that has never been read.
        policy.hardTimeout = .seconds(5)
    }

    let name = "Hoard"
    let cache: TieredCache<Int, Database.Row>
    private let database: Database

    init(database: Database, time: ManualTicker) {
        self.database = database
        cache = TieredCache(
            configuration: .init(maximumCount: 10_000, policy: Self.policy),
            stores: [],
            codec: .json,
            clock: time,
            ticker: time
        )
    }

    func row(_ key: Int) async throws -> Database.Row {
        try await cache.value(forKey: key) { [database] key in try await database.row(key) }
    }
}
