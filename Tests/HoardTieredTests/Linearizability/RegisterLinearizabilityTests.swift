// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

/// Histories made by hand, good and bad: a checker that cannot fail proves nothing.
@Suite(.timeLimit(.minutes(5))) struct RegisterLinearizabilityTests {
    private typealias Action = RegisterHistory.Action
    private static var everything: Action { .remove { _ in true } }

    private func isLinearizable(_ operations: [(Action, ClosedRange<Int>)]) -> Bool {
        var history = RegisterHistory()
        for (action, time) in operations { history.add(action, from: time.lowerBound, to: time.upperBound) }
        return history.violation() == nil
    }

    @Test func anEmptyHistoryIsLinearizable() {
        #expect(isLinearizable([]))
    }

    @Test func aReadFindsWhatWasWrittenBefore() {
        #expect(isLinearizable([(.write(1), 1...2), (.read(1), 3...4)]))
        #expect(!isLinearizable([(.write(1), 1...2), (.read(2), 3...4)]))
        #expect(!isLinearizable([(.read(1), 1...2), (.write(1), 3...4)]))
    }

    @Test func anOlderValueIsNotReadOnceANewerHasBeenWritten() {
        #expect(!isLinearizable([(.write(1), 1...2), (.write(2), 3...4), (.read(1), 5...6)]))
        #expect(isLinearizable([(.write(1), 1...2), (.write(2), 3...6), (.read(1), 4...5)]))
    }

    @Test func whatWasRemovedIsNotRead() {
        #expect(!isLinearizable([(.write(1), 1...2), (Self.everything, 3...4), (.read(1), 5...6)]))
        #expect(isLinearizable([(.write(1), 1...2), (Self.everything, 3...6), (.read(1), 4...5)]))
        #expect(isLinearizable([(.write(1), 1...2), (.remove { $0 == 2 }, 3...4), (.read(1), 5...6)]))
        #expect(!isLinearizable([(.write(1), 1...2), (.remove { $0 == 1 }, 3...4), (.read(1), 5...6)]))
    }

    @Test func overlappingWritesMayBeDoneInEitherOrderButOnlyOne() {
        #expect(isLinearizable([(.write(1), 1...4), (.write(2), 2...3), (.read(1), 5...6), (.read(1), 7...8)]))
        #expect(isLinearizable([(.write(1), 1...4), (.write(2), 2...3), (.read(2), 5...6), (.read(2), 7...8)]))
        #expect(!isLinearizable([(.write(1), 1...4), (.write(2), 2...3), (.read(1), 5...6), (.read(2), 7...8)]))
    }

    @Test func readsDoNotGoBackDuringAWrite() {
        // The reads find the new value and then the old one while the write is still under way:
        // the register went forward and back.
        #expect(!isLinearizable([(.write(1), 1...2), (.write(2), 3...10), (.read(2), 4...5), (.read(1), 6...7)]))
        #expect(isLinearizable([(.write(1), 1...2), (.write(2), 3...10), (.read(1), 4...5), (.read(2), 6...7)]))
        #expect(isLinearizable([(.write(1), 1...2), (.write(2), 3...10), (.read(2), 4...7), (.read(1), 5...6)]))
    }

    @Test func aLoadMayPublishOrNot() {
        #expect(isLinearizable([(.publish(1), 1 ... .max), (.read(1), 2...3)]))
        #expect(isLinearizable([(.publish(1), 1 ... .max)]))
        #expect(isLinearizable([(.write(1), 1...2), (.publish(2), 3 ... .max), (.read(1), 4...5), (.read(2), 6...7), (.read(2), 8...9)]))
        #expect(!isLinearizable([(.write(1), 1...2), (.publish(2), 3 ... .max), (.read(2), 4...5), (.read(1), 6...7)]))
        #expect(!isLinearizable([(.read(1), 1...2), (.publish(1), 3 ... .max)]))
    }

    @Test func aLoadPublishesOnlyOnce() {
        #expect(!isLinearizable([(.write(2), 1...2), (.publish(1), 1 ... .max), (.read(1), 3...4), (.read(2), 5...6), (.read(1), 7...8)]))
    }

    @Test func aLoadDoesNotPublishAfterALaterChange() {
        // The load began before the removal, and must not undo it.
        #expect(!isLinearizable([(.publish(1), 1 ... .max), (Self.everything, 2...3), (.read(1), 4...5)]))
        #expect(!isLinearizable([(.publish(1), 1 ... .max), (.write(2), 2...3), (.read(1), 4...5)]))
        // The load began during or after the removal.
        #expect(isLinearizable([(Self.everything, 1...3), (.publish(1), 2 ... .max), (.read(1), 4...5)]))
        // The removal is under way, and may happen after the read.
        #expect(isLinearizable([(.publish(1), 1 ... .max), (Self.everything, 2...6), (.read(1), 4...5)]))
        // The removal is of a tag that the loaded value does not have.
        #expect(isLinearizable([(.publish(1), 1 ... .max), (.remove { $0 == 2 }, 2...3), (.read(1), 4...5)]))
        #expect(!isLinearizable([(.publish(1), 1 ... .max), (.remove { $0 == 1 }, 2...3), (.read(1), 4...5)]))
    }

    @Test func severalLoadsOfTheSameValueAreApart() {
        // The second load of 1 began after the removal. It explains the read that the first load must not explain.
        #expect(isLinearizable([(.publish(1), 1 ... .max), (Self.everything, 2...3), (.publish(1), 4 ... .max), (.read(1), 5...6)]))
    }

    @Test func aViolationIsDescribed() throws {
        var history = RegisterHistory()
        history.add(.write(1), from: 1, to: 2, "insert")
        history.add(Self.everything, from: 3, to: 4)
        history.add(.publish(7), from: 5)
        history.add(.read(1), from: 6, to: 9, "memory")
        let violation = try #require(history.violation())
        #expect(violation.contains("unexplained: [6, 9] read 1 (memory), with nothing in the register"))
        #expect(violation.contains(" ✓ [1, 2] write 1 (insert)"))
        #expect(violation.contains("   [5, …] load 7"))
    }

    @Test func tooLongAHistoryIsNoSuccess() {
        var history = RegisterHistory()
        for moment in 0..<65 { history.add(.write(1), from: moment, to: moment) }
        #expect(history.violation() != nil)
    }

    /// Histories of a real register, whose operations happen at a known moment within their times, are
    /// linearizable. If one read is changed to return the value that was there before, the checker and
    /// a search through all orders agree.
    @Test(arguments: 0..<4) func theCheckerAgreesWithTryingAllOrders(block: UInt64) {
        var linearizableCount = 0
        for seed in (block * 500)..<(block * 500 + 500) {
            var generator = SeededGenerator(seed: seed)
            let operations = (0..<6).map { _ -> RegisterHistory.Operation in
                let moment = Int.random(in: 0..<30, using: &generator)
                let (before, after) = (Int.random(in: 0..<8, using: &generator), Int.random(in: 0..<8, using: &generator))
                let value = Int.random(in: 0..<3, using: &generator)
                let action: Action =
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0, 1: .write(value)
                    case 2: .remove { $0 <= value }
                    case 3: .publish(value)
                    default: .read(value)
                    }
                let isOpen = if case .publish = action { true } else { false }
                return .init(action: action, invoked: (moment - before) * 8 + value, returned: isOpen ? .max : (moment + after) * 8 + 7)
            }
            var history = RegisterHistory()
            for operation in operations { history.add(operation.action, from: operation.invoked, to: operation.returned) }
            let expected = Self.canBeOrdered(operations, after: [], register: nil)
            if expected { linearizableCount += 1 }
            #expect((history.violation() == nil) == expected, "seed \(seed)")
        }
        // Both kinds of history occurred often.
        #expect((50...450).contains(linearizableCount))
    }

    /// Tries all orders, without any shortcut.
    private static func canBeOrdered(_ rest: [RegisterHistory.Operation], after done: [RegisterHistory.Operation], register: Int?) -> Bool {
        let awaited = rest.filter { if case .publish = $0.action { false } else { true } }
        if awaited.isEmpty { return true }
        for (index, operation) in rest.enumerated() where awaited.allSatisfy({ $0.returned >= operation.invoked }) {
            var next = register
            switch operation.action {
            case .read(let value): guard value == register else { continue }
            case .write(let value): next = value
            case .remove(let concerns): if let value = register, concerns(value) { next = nil }
            case .publish(let value):
                let isFenced = done.contains { other in
                    guard other.invoked > operation.invoked else { return false }
                    return switch other.action {
                    case .write: true
                    case .remove(let concerns): concerns(value)
                    default: false
                    }
                }
                if isFenced { continue }
                next = value
            }
            var others = rest
            others.remove(at: index)
            if canBeOrdered(others, after: done + [operation], register: next) { return true }
        }
        return false
    }
}
