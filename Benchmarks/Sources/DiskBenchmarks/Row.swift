// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport

/// The time and the operations of one round.
struct Timing: Sendable {
    var nanoseconds: Int64
    /// The operations of all tasks and threads together.
    var operations: Int

    /// The time of one operation.
    var microseconds: Double { Double(nanoseconds) / Double(operations) / 1_000 }
}

/// How much is measured.
struct Scale: Sendable {
    let isQuick: Bool
    let rounds: Int

    /// - Parameter full: Operations in one round, if not in a hurry.
    func operations(_ full: Int) -> Int {
        isQuick ? max(full / 10, 1) : full
    }
}

/// One thing that is measured: filled already, it runs a round whenever it is asked to.
struct Subject: Sendable {
    let name: String
    /// Gets the round's number. The same number means the same operations in the same order, for every subject.
    let run: @Sendable (Int) async throws -> Timing
    var finish: @Sendable () async -> Void = {}
}

/// One comparison: the same work by several subjects, in turns.
struct Row: Sendable {
    let name: String
    var goal = Goal.none
    /// Fills the subjects. `DiskStore` comes first.
    let makeSubjects: @Sendable (Workspace, Scale) async throws -> [Subject]

    struct Outcome: Sendable {
        let subject: String
        var microseconds = Sample()
    }

    /// Every round runs each subject once, so that all meet the same noise. A first round warms up and is not counted.
    func measure(workspace: Workspace, scale: Scale) async throws -> [Outcome] {
        let subjects = try await makeSubjects(workspace, scale)
        var results = subjects.map { Outcome(subject: $0.name) }
        for round in 0...scale.rounds {
            for (index, subject) in subjects.enumerated() {
                let timing = try await subject.run(round)
                if round > 0 { results[index].microseconds.add(timing.microseconds) }
            }
        }
        for subject in subjects { await subject.finish() }
        return results
    }
}

/// A subject read or stored something else than it should.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    init(_ subject: String, _ what: String) {
        description = "\(subject): \(what)."
    }
}

/// Something that a row needs is not on this machine.
struct NotAvailable: Error, CustomStringConvertible {
    let description: String
}
