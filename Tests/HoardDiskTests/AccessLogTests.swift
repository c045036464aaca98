// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDisk

@Suite struct AccessLogTests {
    private let date = Date(timeIntervalSinceReferenceDate: 1000)

    @Test func recencyGrowsThoughTheClockStandsStillOrGoesBack() {
        let log = AccessLog()
        let recencies = [date, date, date - 500, date + 1, date].map(log.nextRecency(at:))
        #expect(recencies == [1_000_000_000, 1_000_000_001, 1_000_000_002, 1_001_000_000, 1_001_000_001])
    }

    @Test func recencyGrowsPastWhatTheDatabaseHolds() {
        let log = AccessLog()
        log.advance(past: 5_000_000_000)
        #expect(log.nextRecency(at: date) == 5_000_000_001)
        log.advance(past: 1)
        #expect(log.nextRecency(at: date) == 5_000_000_002)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func anAbsurdClockDoesNotTrap(interval: Double) {
        let log = AccessLog()
        let first = log.nextRecency(at: Date(timeIntervalSinceReferenceDate: interval))
        #expect(log.nextRecency(at: Date(timeIntervalSinceReferenceDate: interval)) == first + 1)
    }

    @Test func theGreatestRecencyDoesNotOverflow() {
        let log = AccessLog()
        log.advance(past: .max)
        #expect(log.nextRecency(at: date) == .max)
    }

    @Test func aUseIsPendingUntilItIsTaken() {
        let log = AccessLog()
        #expect(log.isEmpty)
        #expect(log.noteUse(of: 7, at: date).previous == nil)
        #expect(!log.isEmpty)
        let use = AccessLog.Use(recency: 1_000_000_000, lastAccess: date)
        #expect(log.pendingUse(of: 7) == use)
        #expect(log.takeAll() == [7: use])
        #expect(log.pendingUse(of: 7) == nil)
        #expect(log.isEmpty)
    }

    @Test func aSecondUseTellsOfTheFirst() {
        let log = AccessLog()
        _ = log.noteUse(of: 7, at: date)
        #expect(log.noteUse(of: 7, at: date + 1).previous?.lastAccess == date)
        #expect(log.pendingUse(of: 7)?.lastAccess == date + 1)
    }

    @Test func aFullLogAsksOnceToBeWritten() {
        let log = AccessLog(capacity: 3)
        let requests = (1...5).map { log.noteUse(of: $0, at: date).mustFlush }
        #expect(requests == [false, false, true, false, false])
        _ = log.takeAll()
        let later = (1...3).map { log.noteUse(of: $0, at: date).mustFlush }
        #expect(later == [false, false, true])
    }

    @Test func aLogThatIsNotWrittenStaysBounded() {
        let log = AccessLog(capacity: 3)
        for id in 1...100 { _ = log.noteUse(of: Int64(id), at: date) }
        #expect(log.takeAll().count == 6)
    }

    @Test func usesThatCouldNotBeWrittenReturnUnlessALaterOneExists() {
        let log = AccessLog(capacity: 3)
        _ = log.noteUse(of: 1, at: date)
        _ = log.noteUse(of: 2, at: date)
        let taken = log.takeAll()
        _ = log.noteUse(of: 2, at: date + 5)
        log.putBack(taken)
        #expect(log.pendingUse(of: 1)?.lastAccess == date)
        #expect(log.pendingUse(of: 2)?.lastAccess == date + 5)
        log.putBack([3: .init(recency: 1, lastAccess: date), 4: .init(recency: 1, lastAccess: date)])
        #expect(log.takeAll().count == 3)
    }
}
