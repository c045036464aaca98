// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// A service over a database that becomes slow, fails for an hour and recovers: without a cache, with a dictionary, with Hoard.
@main
struct Resilience {
    static func main() async throws {
        let scenario = Scenario()
        let runs = [
            try await play(scenario) { database, _ in ServiceWithoutCache(database: database) },
            try await play(scenario) { database, time in ServiceWithDictionary(database: database, time: time) },
            try await play(scenario) { database, time in ServiceWithHoard(database: database, time: time) },
        ]
        print(table(runs))
        let file = URL(fileURLWithPath: "resilience.svg")
        try Data(plot(runs).utf8).write(to: file)
        print("\nThe picture is in resilience.svg.")
    }
}
