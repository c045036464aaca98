// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization

/// How long a value counts as fresh, in services that keep values.
let freshFor = Duration.seconds(60)

/// One way to answer requests with the help of a database.
protocol Service: Sendable {
    /// The name of the service in the table.
    var name: String { get }

    /// Answers a request.
    func row(_ key: Int) async throws -> Database.Row
}

/// Asks the database each time.
struct ServiceWithoutCache: Service {
    let name = "no cache"
    let database: Database

    func row(_ key: Int) async throws -> Database.Row {
        try await database.row(key)
    }
}

/// The service that a team writes first: a dictionary, and a time after which its values are no longer used.
final class ServiceWithDictionary: Service {
    let name = "dictionary with TTL"
    private let database: Database
    private let time: ManualTicker
    private let rows = Mutex<[Int: Database.Row]>([:])

    init(database: Database, time: ManualTicker) {
        self.database = database
        self.time = time
    }

    func row(_ key: Int) async throws -> Database.Row {
        let now = time.nanoseconds()
        if let row = rows.withLock({ $0[key] }), Duration.nanoseconds(now - row.readAt) < freshFor { return row }
        let row = try await database.row(key)
        rows.withLock { $0[key] = row }
        return row
    }
}
