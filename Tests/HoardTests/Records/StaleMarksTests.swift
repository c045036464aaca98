// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct StaleMarksTests {
    private func mark(_ sequence: Int64, _ seconds: Double) -> StaleMarks.Mark {
        StaleMarks.Mark(sequence: sequence, date: Date(timeIntervalSinceReferenceDate: seconds))
    }

    private func marks(_ marks: StaleMarks.Mark...) -> StaleMarks {
        var all = StaleMarks()
        for mark in marks { all.add(mark) }
        return all
    }

    private func end(_ marks: StaleMarks, _ sequence: Int64) -> Double? {
        marks.freshnessEnd(forSequence: sequence)?.timeIntervalSinceReferenceDate
    }

    @Test func markConcernsWhatWasWrittenUpToIt() {
        let marks = marks(mark(5, 100))
        #expect(end(marks, 4) == 100)
        #expect(end(marks, 5) == 100)
        #expect(end(marks, 6) == nil)
        #expect(end(StaleMarks(), 0) == nil)
    }

    @Test func earliestOfTheMarksThatConcernARecordCounts() {
        let marks = marks(mark(5, 100), mark(10, 200))
        #expect(end(marks, 3) == 100)
        #expect(end(marks, 7) == 200)
        #expect(end(marks, 11) == nil)
    }

    @Test func markOfWhichAnotherSaysMoreIsDropped() {
        #expect(marks(mark(5, 100), mark(10, 50)).marks == [mark(10, 50)])
        #expect(marks(mark(10, 50), mark(5, 100)).marks == [mark(10, 50)])
        #expect(marks(mark(5, 100), mark(10, 100)).marks == [mark(10, 100)])
        #expect(marks(mark(5, 100), mark(5, 100)).marks == [mark(5, 100)])
    }

    @Test func tooManyMarksMakeRecordsStaleForLongerAndNeverFresh() {
        var all = StaleMarks()
        let count = StaleMarks.maximumCount + 3
        for number in 1...count { all.add(mark(Int64(number * 10), Double(number))) }
        #expect(all.marks.count == StaleMarks.maximumCount)
        for number in 1...count {
            guard let end = end(all, Int64(number * 10)) else {
                Issue.record("What mark \(number) ended is fresh again.")
                continue
            }
            #expect(end <= Double(number))
        }
        #expect(end(all, Int64(count * 10)) == Double(count))
        #expect(end(all, Int64(count * 10) + 1) == nil)
    }

    @Test func dateThatIsNotANumberIsLongAgo() {
        #expect(marks(mark(5, .nan)).freshnessEnd(forSequence: 5) == .distantPast)
        #expect(marks(mark(5, .nan), mark(8, 3)).freshnessEnd(forSequence: 1) == .distantPast)
    }

    @Test(arguments: 0..<50)
    func marksSayWhatAllOfThemSayInAnyOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let all = (0..<Int.random(in: 0...StaleMarks.maximumCount, using: &generator)).map { _ in
            mark(.random(in: 0...40, using: &generator), Double(Int.random(in: 0...40, using: &generator)))
        }
        var kept = StaleMarks()
        for mark in all + all.shuffled(using: &generator) { kept.add(mark) }
        for sequence in Int64(0)...41 {
            let expected = all.filter { $0.sequence >= sequence }.map(\.date).min()
            #expect(kept.freshnessEnd(forSequence: sequence) == expected, "With seed \(seed), for \(sequence)")
        }
    }
}
