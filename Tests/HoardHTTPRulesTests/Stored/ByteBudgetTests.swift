// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport
import Testing

@testable import HoardHTTP

@Suite struct ByteBudgetTests {
    @Test func exactlyTheBudgetCanBeTaken() {
        let budget = ByteBudget(10)
        #expect(budget.take(4))
        #expect(budget.take(6))
        #expect(!budget.take(1))
        #expect(budget.take(0))
    }

    @Test func refusalTakesNothing() {
        let budget = ByteBudget(10)
        #expect(!budget.take(11))
        #expect(!budget.take(.max))
        #expect(budget.take(10))
    }

    @Test func whatIsReleasedCanBeTakenAgain() {
        let budget = ByteBudget(10)
        #expect(budget.take(10))
        budget.release(3)
        #expect(!budget.take(4))
        #expect(budget.take(3))
    }

    @Test func manyTasksLoseNothingOfTheBudget() async {
        let budget = ByteBudget(100)
        let taken = await withTaskGroup(of: Int.self) { group in
            for task in 1...8 {
                group.addTask {
                    var taken = 0
                    for round in 0..<2_000 {
                        let count = (task * 7 + round) % 60
                        guard budget.take(count) else { continue }
                        taken += 1
                        budget.release(count)
                    }
                    return taken
                }
            }
            return await group.reduce(0, +)
        }
        #expect(taken > 0)
        #expect(budget.take(100))
        #expect(!budget.take(1))
    }
}
