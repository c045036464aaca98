// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct TimerWheelTests {
    static let millisecond: Int64 = 1_000_000
    static let second: Int64 = 1_000_000_000
    static let day: Int64 = 86_400 * second
    static let year: Int64 = 365 * day
    /// A bucket of the finest wheel.
    static let bucketWidth: Int64 = 1 << 20

    /// A wheel, its table, and the deadlines of the entries that should be there.
    struct Fixture {
        var table = SlotTable(capacity: 8, hasWeights: false)
        var wheel: TimerWheel
        var deadlines: [Slot: Int64] = [:]

        init(time: Int64) {
            table.addTimes(hasWriteTimes: false)
            wheel = TimerWheel(time: time)
        }

        func deallocate() { table.deallocate() }

        @discardableResult
        mutating func add(_ deadline: Int64) -> Slot {
            if table.isFull { table.grow(to: table.capacity * 2) }
            let slot = table.allocate(UInt32(truncatingIfNeeded: deadlines.count))
            var flags = table.flags(of: slot)
            flags.segment = .window
            table.setFlags(flags, of: slot)
            schedule(slot, deadline)
            return slot
        }

        mutating func schedule(_ slot: Slot, _ deadline: Int64) {
            table.setDeadline(deadline, of: slot)
            wheel.schedule(slot, in: table.timing)
            deadlines[slot] = deadline
        }

        /// The effect of a read on an entry that expires after access.
        mutating func putOff(_ slot: Slot, to deadline: Int64) {
            table.setDeadline(deadline, of: slot)
            deadlines[slot] = deadline
        }

        mutating func remove(_ slot: Slot) {
            wheel.cancel(slot, in: table.timing)
            table.free(slot)
            deadlines[slot] = nil
        }

        /// Takes out everything the wheel finds, and returns the deadlines.
        mutating func reclaim(at now: Int64) -> [Int64] {
            var expired: [Int64] = []
            while true {
                let slot = wheel.nextExpired(at: now, in: table.timing)
                guard slot != .none, let deadline = deadlines[slot] else { return expired }
                expired.append(deadline)
                remove(slot)
            }
        }

        mutating func advance(to now: Int64, exactly: Bool = false) -> [Int64] {
            wheel.advance(to: now, in: table.timing)
            if exactly { wheel.collectPresentBucket(in: table.timing) }
            return reclaim(at: now)
        }

        func checkInvariants() {
            table.checkInvariants()
            wheel.checkInvariants(in: table)
        }
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflowed) = a.addingReportingOverflow(b)
        return overflowed ? (b > 0 ? .max : .min) : sum
    }

    /// A span from nothing to centuries, with each order of magnitude equally likely.
    private static func randomSpan(_ generator: inout SeededGenerator) -> Int64 {
        Int64.random(in: 0...(1 << Int64.random(in: 0...62, using: &generator)), using: &generator)
    }

    private static func randomDeadline(_ now: Int64, _ generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .max
        case 1: .max - 1
        case 2: sum(now, -randomSpan(&generator))
        case 3: now
        case 4: .min
        default: sum(now, randomSpan(&generator))
        }
    }

    @Test(arguments: [0, -5, .min, .min + 1, -(1 << 50), 1 << 56, 12_345_678_901_234_567, .max - 1 << 40, .max - 1, .max] as [Int64])
    func nothingComesUpEarlyAndEverythingInTime(start: Int64) {
        for seed in UInt64(0)..<12 {
            var generator = SeededGenerator(seed: seed)
            var fixture = Fixture(time: start)
            defer { fixture.deallocate() }
            var now = start
            for step in 0..<120 {
                let slot = fixture.deadlines.keys.sorted().randomElement(using: &generator)
                switch Int.random(in: 0..<12, using: &generator) {
                case 0..<5:
                    fixture.add(Self.randomDeadline(now, &generator))
                case 5:
                    if let slot { fixture.schedule(slot, Self.randomDeadline(now, &generator)) }
                case 6, 7:
                    if let slot, let deadline = fixture.deadlines[slot], deadline < .max {
                        fixture.putOff(slot, to: Self.sum(deadline, Self.randomSpan(&generator)))
                    }
                case 8:
                    if let slot { fixture.remove(slot) }
                default:
                    let steps = [0, 1, Self.bucketWidth - 1, Self.bucketWidth, Self.randomSpan(&generator), Self.randomSpan(&generator) >> 8]
                    now = step == 110 ? .max : Self.sum(now, steps.randomElement(using: &generator) ?? 0)
                    let isExact = Bool.random(using: &generator)
                    let expired = fixture.advance(to: now, exactly: isExact)
                    let bound = isExact ? now : Self.sum(now & -Self.bucketWidth, -1)
                    if let early = expired.first(where: { $0 > now }) {
                        Issue.record("seed \(seed), step \(step): deadline \(early) came up at \(now)")
                        return
                    }
                    if let late = fixture.deadlines.values.first(where: { $0 <= bound && $0 < .max }) {
                        Issue.record("seed \(seed), step \(step): deadline \(late) did not come up at \(now)")
                        return
                    }
                }
                fixture.checkInvariants()
            }
        }
    }

    /// Small steps, as real caches make them, over every border between wheels.
    @Test func deadlinesOnEveryBorderComeUpInTheirBucket() {
        for wheel in Int64(0)..<6 {
            let width = Self.bucketWidth << (6 * wheel)
            for start in [0, -1, width - 1, -width, 63 * width, 64 * width - 1] as [Int64] {
                var fixture = Fixture(time: start)
                defer { fixture.deallocate() }
                for buckets in [1, 2, 62, 63, 64, 65] as [Int64] {
                    for offset in [-1, 0, 1] as [Int64] { fixture.add(start + buckets * width + offset) }
                }
                fixture.checkInvariants()
                var now = start
                while !fixture.deadlines.isEmpty {
                    let next = fixture.deadlines.values.min() ?? 0
                    // Just before the next deadline no entry comes up, and just after it this entry does.
                    now = max(now, next - 1)
                    #expect(fixture.advance(to: now, exactly: true).isEmpty)
                    fixture.checkInvariants()
                    now = next
                    #expect(fixture.advance(to: now, exactly: true) == [next])
                    fixture.checkInvariants()
                }
            }
        }
    }

    @Test func entryIsLateByABucketsWidthAtMost() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        for number in Int64(1)...200 { fixture.add(number * 700_001) }
        var late: Int64 = 0
        for step in Int64(1)...400 {
            let now = step * 400_000
            for deadline in fixture.advance(to: now) {
                #expect(deadline <= now)
                late = max(late, now - deadline)
            }
            fixture.checkInvariants()
        }
        #expect(fixture.deadlines.isEmpty)
        #expect(late < Self.bucketWidth + 400_000)
    }

    @Test func presentBucketIsExactOnRequest() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        for deadline in Int64(1)...5 { fixture.add(deadline * 100) }
        #expect(fixture.advance(to: 300).isEmpty, "they are in the present bucket")
        #expect(fixture.advance(to: 300, exactly: true).sorted() == [100, 200, 300])
        fixture.checkInvariants()
        #expect(fixture.advance(to: 499, exactly: true) == [400])
        #expect(fixture.advance(to: Self.bucketWidth) == [500])
    }

    @Test func deadlinesThatWerePutOffComeUpLater() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        let slot = fixture.add(Self.second)
        for second in Int64(1)..<100 {
            fixture.putOff(slot, to: (second + 1) * Self.second)
            #expect(fixture.advance(to: second * Self.second, exactly: true).isEmpty)
            fixture.checkInvariants()
        }
        fixture.putOff(slot, to: 3 * Self.year)
        #expect(fixture.advance(to: 3 * Self.year - 1, exactly: true).isEmpty)
        fixture.checkInvariants()
        #expect(fixture.advance(to: 3 * Self.year, exactly: true) == [3 * Self.year])
    }

    @Test func deadlineThatWasPutOffForeverLosesItsTimerWhenThatComesUp() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        let slot = fixture.add(Self.second)
        fixture.putOff(slot, to: .max)
        fixture.checkInvariants()
        #expect(fixture.advance(to: 2 * Self.second).isEmpty)
        #expect(fixture.table.timing.timer(of: slot).next == .none)
        fixture.checkInvariants()
        // The same for an entry that is due but has not been taken out yet.
        fixture.schedule(slot, Self.second)
        fixture.putOff(slot, to: .max)
        #expect(fixture.reclaim(at: 2 * Self.second).isEmpty)
        #expect(fixture.table.timing.timer(of: slot).next == .none)
        fixture.checkInvariants()
    }

    @Test func deadlineThatWasMovedForwardComesUpSooner() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        let slot = fixture.add(Self.year)
        fixture.schedule(slot, Self.second)
        #expect(fixture.advance(to: Self.second, exactly: true) == [Self.second])
        fixture.checkInvariants()
    }

    @Test func timesBeyondTheLastWheelAreWaitedFor() {
        for years in [2, 3, 100, 250] as [Int64] {
            var fixture = Fixture(time: 0)
            defer { fixture.deallocate() }
            fixture.add(years * Self.year)
            for year in 1..<years {
                #expect(fixture.advance(to: year * Self.year).isEmpty)
                fixture.checkInvariants()
            }
            #expect(fixture.advance(to: years * Self.year - 1, exactly: true).isEmpty)
            #expect(fixture.advance(to: years * Self.year, exactly: true) == [years * Self.year])
        }
    }

    @Test func timeMayLeapFromOneEndToTheOther() {
        var fixture = Fixture(time: .min)
        defer { fixture.deallocate() }
        let deadlines = [.min + 1, -1, 0, 1, .max - 1] as [Int64]
        for deadline in deadlines { fixture.add(deadline) }
        fixture.add(.max)
        fixture.checkInvariants()
        #expect(fixture.advance(to: .max).sorted() == deadlines)
        fixture.checkInvariants()
        #expect(fixture.deadlines.count == 1, "what never expires is still there")
        fixture.add(.max - 1)
        #expect(fixture.reclaim(at: .max) == [.max - 1])
    }

    /// Coarse and exact clocks disagree by some milliseconds.
    @Test func clockThatGoesBackExpiresNothingEarly() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        for number in Int64(1)...20 { fixture.add(number * Self.millisecond) }
        fixture.wheel.advance(to: 15 * Self.millisecond, in: fixture.table.timing)
        for now in [2, 3, 7, 1] as [Int64] {
            let expired = fixture.advance(to: now * Self.millisecond)
            #expect(expired.allSatisfy { $0 <= now * Self.millisecond })
            #expect(fixture.wheel.time == 15 * Self.millisecond)
            fixture.checkInvariants()
        }
        fixture.add(5 * Self.millisecond)
        #expect(fixture.advance(to: 4 * Self.millisecond).allSatisfy { $0 <= 4 * Self.millisecond })
        fixture.checkInvariants()
        _ = fixture.advance(to: 21 * Self.millisecond, exactly: true)
        #expect(fixture.deadlines.isEmpty)
    }

    @Test func forgettingAllTimersKeepsTheTime() {
        var fixture = Fixture(time: 5)
        defer { fixture.deallocate() }
        fixture.add(Self.second)
        fixture.wheel.advance(to: 10, in: fixture.table.timing)
        fixture.wheel.removeAll()
        #expect(fixture.wheel.time == 10)
        #expect(fixture.advance(to: .max).isEmpty)
    }

    @Test func cancellingWithoutATimerDoesNothing() {
        var fixture = Fixture(time: 0)
        defer { fixture.deallocate() }
        let slot = fixture.add(.max)
        fixture.wheel.cancel(slot, in: fixture.table.timing)
        fixture.checkInvariants()
        fixture.schedule(slot, Self.day)
        fixture.schedule(slot, .max)
        fixture.checkInvariants()
        #expect(fixture.advance(to: .max - 1).isEmpty)
    }
}
