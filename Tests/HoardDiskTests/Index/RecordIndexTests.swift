// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDisk

@Suite struct RecordIndexTests {
    private let now = ManualClock.start
    private var microseconds: Int64 { Int64(now.timeIntervalSinceReferenceDate * 1_000_000) }

    @Test func stampsAreTwiceTheMicrosecondsAndTellReadingsFromWritings() {
        var index = RecordIndex()
        #expect(index.nextStamp(at: now, isUse: false) == microseconds * 2)
        #expect(index.nextStamp(at: now + 1, isUse: true) == (microseconds + 1_000_000) * 2 + 1)
        #expect(abs(RecordIndex.date(of: index.latestStamp).timeIntervalSince(now + 1)) < 0.000_01)
    }

    @Test func stampsGrowWhileTheClockStandsStillOrGoesBack() {
        var index = RecordIndex()
        var last = Int64.min
        for step in 0..<1000 {
            let isUse = step % 3 == 0
            let stamp = index.nextStamp(at: now - Double(step % 7) * 3600, isUse: isUse)
            #expect(stamp > last)
            #expect((stamp & 1 == 1) == isUse)
            #expect(index.latestStamp == stamp)
            last = stamp
        }
        #expect(last <= microseconds * 2 + 2 * 1000)
    }

    @Test(arguments: [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 4e12)])
    func stampsOfFarDatesGrow(date: Date) {
        var index = RecordIndex()
        var last = index.latestStamp
        for step in 0..<10 {
            let stamp = index.nextStamp(at: date, isUse: step % 2 == 0)
            #expect(stamp > last)
            last = stamp
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, 4.7e12]) func datesThatNoStampHasCountAsBeforeAllOthers(seconds: Double) {
        var index = RecordIndex()
        index.advance(past: 100)
        #expect(index.nextStamp(at: Date(timeIntervalSinceReferenceDate: seconds), isUse: false) == 102)
        #expect(index.nextStamp(at: Date(timeIntervalSinceReferenceDate: seconds), isUse: true) == 105)
    }

    @Test func theLastStampsDoNotTrap() {
        var index = RecordIndex()
        index.advance(past: .max - 5)
        for step in 0..<10 { #expect(index.nextStamp(at: now, isUse: step % 2 == 0) > 0) }
        index.advance(past: .max)
        #expect(index.nextStamp(at: now, isUse: true) == .max)
        #expect(index.nextStamp(at: now, isUse: false) == .max - 1)
    }

    @Test func advancingNeverGoesBack() {
        var index = RecordIndex()
        index.advance(past: 10)
        index.advance(past: 5)
        #expect(index.latestStamp == 10)
    }

    @Test func aRecordIsKnownToBeAbsentOnlyWhenTheIndexIsComplete() {
        var index = RecordIndex()
        #expect(index.mayHold(1))
        index.enter(2, stamp: 4, place: 4)
        index.isComplete = true
        #expect(!index.mayHold(1) && index.mayHold(2))
        index.remove(2)
        #expect(!index.mayHold(2))
        index.enter(3, stamp: 6, place: 6)
        index.removeAll()
        #expect(!index.mayHold(3))
        #expect(index.isComplete)
    }

    @Test func aRemovalLeavesWhatWasWrittenLater() {
        var index = RecordIndex()
        for number: Int64 in 1...4 { index.enter(number, stamp: number * 10, place: number * 10) }
        index.remove(2, upTo: 19)
        index.remove(3, upTo: 30)
        #expect(index.stamp(of: 2) == 20 && index.stamp(of: 3) == nil)
        index.removeAll(upTo: 20)
        #expect(index.count == 1 && index.stamp(of: 4) == 40)
    }

    @Test func anOlderStampChangesNothing() {
        var index = RecordIndex()
        index.enter(1, stamp: 10, place: 10)
        index.enter(1, stamp: 8, place: 8)
        #expect(index.stamp(of: 1) == 10)
        index.enter(1, stamp: 12, place: 12)
        #expect(index.stamp(of: 1) == 12)
        #expect(index.latestStamp == 12)
    }

    @Test func aUseIsKnownUntilTheRecordIsWrittenAgain() {
        var index = RecordIndex()
        let place = index.nextStamp(at: now, isUse: false)
        index.enter(1, stamp: place, place: place)
        #expect(index.lastUse(of: 1) == nil)
        #expect(index.noteUse(of: 1, at: now + 10).previous == nil)
        #expect(abs((index.noteUse(of: 1, at: now + 20).previous ?? .distantPast).timeIntervalSince(now + 10)) < 0.001)
        let uses = index.pendingUses()
        #expect(uses.map(\.identifier) == [1])
        // The use is now in the database, and the index knows it from there.
        index.enter(1, stamp: uses[0].stamp, place: place)
        #expect(index.whereabouts(of: 1) == .at(place))
        index.settleUse(of: 1, noted: uses[0].stamp)
        #expect(index.pendingUses().isEmpty)
        #expect(abs((index.lastUse(of: 1) ?? .distantPast).timeIntervalSince(now + 20)) < 0.001)
        let later = index.nextStamp(at: now + 30, isUse: false)
        index.enter(1, stamp: later, place: later)
        #expect(index.whereabouts(of: 1) == .at(later))
        #expect(index.lastUse(of: 1) == nil)
        #expect(index.lastUse(of: 2) == nil)
    }

    @Test func aLaterUseIsNotForgottenWhenAnEarlierOneIsSettled() {
        var index = RecordIndex()
        _ = index.noteUse(of: 1, at: now)
        let earlier = index.pendingUses()[0].stamp
        _ = index.noteUse(of: 1, at: now + 1)
        index.settleUse(of: 1, noted: earlier)
        #expect(index.pendingUses().count == 1)
        index.settleUse(of: 1, noted: index.pendingUses()[0].stamp)
        #expect(index.pendingUses().isEmpty)
    }

    @Test func usesArePendingInTheirOrder() {
        var index = RecordIndex()
        for identifier in [5, 3, 9, 1, 3] as [Int64] { _ = index.noteUse(of: identifier, at: now) }
        #expect(index.pendingUses().map(\.identifier) == [5, 9, 1, 3])
        index.remove(9)
        #expect(index.pendingUses().map(\.identifier) == [5, 1, 3])
    }

    @Test func manyUsesAskToBeWrittenOnceAndAreBounded() {
        var index = RecordIndex(useCapacity: 10)
        var flushCount = 0
        for identifier in 1...100 as ClosedRange<Int64> where index.noteUse(of: identifier, at: now).mustFlush { flushCount += 1 }
        #expect(flushCount == 1)
        #expect(index.pendingUses().count == 20)
        // The index still renews a use that it holds.
        _ = index.noteUse(of: 1, at: now + 5)
        #expect(index.pendingUses().last?.identifier == 1)
        for use in index.pendingUses() { index.settleUse(of: use.identifier, noted: use.stamp) }
        for identifier in 1...10 as ClosedRange<Int64> where index.noteUse(of: identifier, at: now).mustFlush { flushCount += 1 }
        #expect(flushCount == 2)
    }
}
