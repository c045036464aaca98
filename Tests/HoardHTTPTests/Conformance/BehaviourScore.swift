// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// The results of behaviour tests, where a test counts as passed only if all that it depends on have passed as well.
struct BehaviourScore: Sendable {
    struct Failure: Sendable {
        let test: BehaviourTest
        let reason: String
    }

    private let tests: [BehaviourTest]
    private let outcomes: [String: BehaviourReplay.Outcome]
    private let dependencies: [String: [String]]

    init(_ tests: [BehaviourTest], _ outcomes: [String: BehaviourReplay.Outcome]) {
        self.tests = tests
        self.outcomes = outcomes
        self.dependencies = Dictionary(tests.map { ($0.id, $0.dependencies) }) { first, _ in first }
    }

    /// The test, or one that it depends on, that has not passed by itself; a dependency that is not among the tests counts as passed.
    private func blocker(of id: String, visited: Set<String> = []) -> String? {
        guard let outcome = outcomes[id], !visited.contains(id) else { return nil }
        if outcome.verdict != .passed { return id }
        return dependencies[id]?.lazy.compactMap { blocker(of: $0, visited: visited.union([id])) }.first
    }

    /// The tests of a kind that have not passed, in the order of the data.
    func failures(_ kind: BehaviourTest.Kind) -> [Failure] {
        tests.filter { $0.kind == kind }.compactMap { test in
            guard let blocker = dependencies[test.id]?.lazy.compactMap({ blocker(of: $0) }).first ?? blocker(of: test.id) else { return nil }
            let outcome = outcomes[blocker]
            let reason = "\(outcome?.verdict.rawValue ?? ""): \(outcome?.reason ?? "")"
            return Failure(test: test, reason: blocker == test.id ? reason : "blocked by \(blocker), \(reason)")
        }
    }

    /// The answers to the questions, a line for each, and how many of each kind have passed.
    var report: String {
        let unanswered = failures(.check)
        let answers = tests.filter { $0.kind == .check }.map { test in
            guard let failure = unanswered.first(where: { $0.test.id == test.id }) else { return "yes  \(test.id)" }
            return "no   \(test.id): \(failure.reason)"
        }
        let totals = BehaviourTest.Kind.allCases.map { kind in
            let count = tests.count { $0.kind == kind }
            return "\(kind.rawValue) \(count - failures(kind).count)/\(count)"
        }
        return (answers + [totals.joined(separator: ", ")]).joined(separator: "\n")
    }
}
