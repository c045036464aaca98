// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization

/// A database in virtual time that behaves as the scenario says.
final class Database: Sendable {
    /// The error that the database throws when it fails.
    struct ConnectionTimedOut: Error {}

    /// The row of a key: nothing of interest, but the time at which it was read.
    struct Row: Sendable, Codable {
        let key: Int
        let readAt: Int64
    }

    private struct State: Sendable {
        var generator: SeededGenerator
        var calls: [Call] = []
        var answeredKeys: Set<Int> = []
    }

    /// A call of the database.
    struct Call: Sendable {
        let key: Int
        let time: Duration
        let phase: Int
    }

    private let scenario: Scenario
    private let time: ManualTicker
    private let state: Mutex<State>

    init(_ scenario: Scenario, time: ManualTicker) {
        self.scenario = scenario
        self.time = time
        state = Mutex(State(generator: SeededGenerator(seed: scenario.seed &+ 1)))
    }

    /// The calls so far, in the order in which they came.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Whether the database has ever answered for the key.
    func hasAnswered(_ key: Int) -> Bool { state.withLock { $0.answeredKeys.contains(key) } }

    func row(_ key: Int) async throws -> Row {
        let now = Duration.nanoseconds(time.nanoseconds())
        let phase = scenario.phase(at: now)
        let behavior = scenario.phases[phase].database
        let factor = state.withLock { state in
            state.calls.append(Call(key: key, time: now, phase: phase))
            return Double.random(in: 0.75...1.25, using: &state.generator)
        }
        switch behavior {
        case .answers(let latency):
            try await time.sleep(until: time.nanoseconds() + Int64(latency.seconds * factor * 1e9))
            _ = state.withLock { $0.answeredKeys.insert(key) }
            return Row(key: key, readAt: time.nanoseconds())
        case .fails(let latency):
            try await time.sleep(until: time.nanoseconds() + Int64(latency.seconds * factor * 1e9))
            throw ConnectionTimedOut()
        }
    }
}
