// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardProxy

@Suite struct RetryBudgetTests {
    private static let second: Int64 = 1_000_000_000

    private static func exhausted() -> RetryBudget {
        var budget = RetryBudget(at: 0)
        while budget.take(at: 0) {}
        return budget
    }

    @Test func someRetriesAreFreeAtFirst() {
        var budget = RetryBudget(at: 0)
        var count = 0
        while budget.take(at: 0) { count += 1 }
        #expect(count == 10)
    }

    @Test func retriesAreAFifthOfAllRequestsAtMost() {
        var budget = Self.exhausted()
        var count = 0
        for _ in 0..<1_000 {
            budget.requestStarted()
            if budget.take(at: 0) { count += 1 }
        }
        #expect(count == 200)
    }

    @Test func savingsAreLimited() {
        var budget = Self.exhausted()
        for _ in 0..<100_000 { budget.requestStarted() }
        var count = 0
        while budget.take(at: 0) { count += 1 }
        #expect(count == 100)
    }

    @Test func everySecondPaysForOneUpToTen() {
        var budget = Self.exhausted()
        #expect(budget.take(at: Self.second - 1) == false)
        #expect(budget.take(at: Self.second) == true)
        #expect(budget.take(at: Self.second + 1) == false)
        var count = 0
        while budget.take(at: 3_600 * Self.second) { count += 1 }
        #expect(count == 10)
        #expect(budget.take(at: .min) == false)
        #expect(budget.take(at: .max) == true)
    }
}
