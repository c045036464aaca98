// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization

/// The outcome of one request.
struct Outcome: Sendable {
    enum Answer: Sendable, Hashable {
        case fresh, stale
        /// The caller got an error.
        case failed
        /// The caller got an error. The database had never answered for the key before, so no
        /// service could have had a value.
        case failedUnknown
    }

    /// When the request came.
    let time: Duration
    let answer: Answer
    let latency: Duration
    /// How long ago the answer was read from the database.
    let age: Duration?
}

/// The outcomes of all requests, with one way to answer them.
struct Run: Sendable {
    let service: String
    let scenario: Scenario
    /// The outcomes, in the order of the requests.
    let outcomes: [Outcome]
    /// The calls, in the order in which they came.
    let calls: [Database.Call]
}

/// Collects outcomes in the order of their requests, in whichever order they come about.
private final class OutcomeList: Sendable {
    private let outcomes: Mutex<[Outcome?]>

    init(count: Int) {
        outcomes = Mutex(Array(repeating: nil, count: count))
    }

    var all: [Outcome] { outcomes.withLock { $0.compactMap { $0 } } }

    func set(_ outcome: Outcome, at number: Int) {
        outcomes.withLock { $0[number] = outcome }
    }
}

/// Plays a scenario in virtual time. An hour takes as long as the computer needs for the work in it.
func play(_ scenario: Scenario, makeService: @escaping @Sendable (Database, ManualTicker) -> any Service) async throws -> Run {
    let time = ManualTicker()
    let executor = SeededExecutor(seed: scenario.seed, time: time, maximumJobCount: .max)
    return try await executor.run {
        let database = Database(scenario, time: time)
        let service = makeService(database, time)
        let requests = scenario.requests()
        let outcomes = OutcomeList(count: requests.count)
        try await withThrowingDiscardingTaskGroup { group in
            for (number, request) in requests.enumerated() {
                try await time.sleep(until: Int64(request.time.seconds * 1e9))
                group.addTask {
                    let outcome = await answer(request, by: service, database: database, time: time)
                    outcomes.set(outcome, at: number)
                }
            }
        }
        return Run(service: service.name, scenario: scenario, outcomes: outcomes.all, calls: database.calls)
    }
}

private func answer(_ request: Request, by service: any Service, database: Database, time: ManualTicker) async -> Outcome {
    let wasKnown = database.hasAnswered(request.key)
    var answer = wasKnown ? Outcome.Answer.failed : .failedUnknown
    var age: Duration?
    if let row = try? await service.row(request.key) {
        let rowAge = Duration.nanoseconds(time.nanoseconds() - row.readAt)
        answer = rowAge < freshFor ? .fresh : .stale
        age = rowAge
    }
    return Outcome(time: request.time, answer: answer, latency: .nanoseconds(time.nanoseconds()) - request.time, age: age)
}
