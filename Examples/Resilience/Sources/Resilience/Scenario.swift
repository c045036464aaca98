// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The behaviour of the database over time, and the requests of the callers.
struct Scenario: Sendable {
    /// Decides when requests come, for which keys, and how long the database takes.
    var seed: UInt64 = 42
    var phases: [Phase] = [
        Phase(name: "normal", duration: .seconds(600), database: .answers(after: .milliseconds(20))),
        Phase(name: "slow", duration: .seconds(600), database: .answers(after: .seconds(2))),
        Phase(name: "outage", duration: .seconds(3_600), database: .fails(after: .seconds(1))),
        Phase(name: "recovery", duration: .seconds(600), database: .answers(after: .milliseconds(20))),
    ]
    /// Mean number of requests in a second; they come independently of each other.
    var requestsPerSecond = 10.0
    var keyCount = 300
    /// The n-th most popular key is asked for in proportion to n to the power of minus this.
    var zipfExponent = 0.9

    /// A part of the time in which the database behaves in one way.
    struct Phase: Sendable {
        let name: String
        let duration: Duration
        let database: Behavior
    }

    /// How the database behaves. Times vary by a quarter, at random.
    enum Behavior: Sendable {
        case answers(after: Duration)
        case fails(after: Duration)
    }

    /// The number of the phase at a time. Times after the last phase belong to the last phase.
    func phase(at time: Duration) -> Int {
        var end = Duration.zero
        for (number, phase) in phases.enumerated() {
            end += phase.duration
            if time < end { return number }
        }
        return phases.count - 1
    }

    var duration: Duration { phases.reduce(.zero) { $0 + $1.duration } }

    /// When each phase begins, and when the last one ends.
    var boundaries: [Duration] {
        phases.reduce(into: [.zero]) { boundaries, phase in boundaries.append((boundaries.last ?? .zero) + phase.duration) }
    }
}
