// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds the entries whose time is up without looking at the others.
///
/// A hierarchical timing wheel (Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987). Each of six wheels has 64 buckets; the
/// first turns once in 67 ms, each further one 64 times more slowly, the last in 2.3 years. An entry waits in the finest wheel that
/// reaches its deadline and moves to a finer one when that bucket's time comes. Setting and cancelling a timer is O(1), and every entry
/// moves five times at most.
///
/// An entry's deadline may be put off without telling the wheel (expire-after-access does so on each hit): the wheel reads the deadline
/// when the timer comes up, and sets it again.
///
/// The wheel also spares most reads the deadline: entries in the two finest wheels, and those that are due, are marked as due soon in their
/// flags. No other entry expires before the ``horizon``.
///
/// Its links and marks are in the ``SlotTimers`` that each operation is given. Memory: 3 KB.
struct TimerWheel: Sendable {
    private static let bucketBits: Int64 = 6
    private static let bucketsPerWheel = 64
    private static let wheelCount = 6
    /// A bucket of the finest wheel is 2 to the power of 20 nanoseconds wide.
    private static let finestShift: Int64 = 20

    /// The ends of the lists: one for each bucket, and one of entries that are due. Numbered from ``firstEnd`` up among the slots.
    private var ends: [SlotTimers.Timer]
    /// The buckets that may have entries; a bit for each.
    private var occupied: [UInt64]
    /// Up to when buckets have been emptied.
    private(set) var time: Int64

    private static let firstEnd: Slot = 1 << 31
    private static let dueList = wheelCount * bucketsPerWheel
    /// The entries of the wheels before this one are marked as due soon. A bucket of this one is a tick of ``SlotTicks`` wide.
    private static let firstUnmarkedWheel = 2

    init(time: Int64) {
        self.time = time
        ends = (0...Self.dueList).map { list in
            let end = Self.firstEnd + Slot(list)
            return SlotTimers.Timer(previous: end, next: end)
        }
        occupied = Array(repeating: 0, count: Self.wheelCount)
    }

    /// The ``SlotTicks`` before which no entry expires that is not marked as due soon: the one after the present one.
    var horizon: Int32 { max(SlotTicks.always + 1, SlotTicks.tick(time) &+ 1) }

    // MARK: Timers

    /// Sets or moves an entry's timer to its deadline; cancels it if the entry never expires.
    mutating func schedule(_ slot: Slot, in table: SlotTimers) {
        cancel(slot, in: table)
        let deadline = table.deadline(of: slot)
        guard deadline < .max else { return table.setDueSoon(false, of: slot) }
        guard deadline > time else {
            table.setDueSoon(true, of: slot)
            return append(slot, to: Self.dueList, in: table)
        }
        for wheel in 0..<Self.wheelCount {
            let shift = Self.shift(wheel)
            let distance = (deadline >> shift) - (time >> shift)
            if distance < Self.bucketsPerWheel || wheel == Self.wheelCount - 1 {
                // A time beyond the last wheel's reach waits in its last bucket and is looked at again then.
                let tick = distance < Self.bucketsPerWheel ? deadline >> shift : (time >> shift) + Int64(Self.bucketsPerWheel) - 1
                let bucket = Int(tick & Int64(Self.bucketsPerWheel - 1))
                occupied[wheel] |= 1 << UInt64(bucket)
                table.setDueSoon(wheel < Self.firstUnmarkedWheel, of: slot)
                return append(slot, to: wheel * Self.bucketsPerWheel + bucket, in: table)
            }
        }
    }

    /// The entry leaves, or expires no more.
    mutating func cancel(_ slot: Slot, in table: SlotTimers) {
        let timer = table.timer(of: slot)
        guard timer.next != .none else { return }
        setNext(timer.next, of: timer.previous, in: table)
        setPrevious(timer.previous, of: timer.next, in: table)
        table.setTimer(SlotTimers.Timer(), of: slot)
    }

    /// Forgets all timers.
    mutating func removeAll() {
        self = TimerWheel(time: time)
    }

    // MARK: Time passes

    /// Moves the entries that are due by `now`, to a bucket's width of a millisecond, to the list of due entries. O(1)
    /// amortised for each timer.
    mutating func advance(to now: Int64, in table: SlotTimers) {
        guard now > time else { return }
        let before = time
        time = now
        for wheel in 0..<Self.wheelCount {
            let shift = Self.shift(wheel)
            let (from, to) = (before >> shift, now >> shift)
            if from == to { break }
            let steps = min(to - from, Int64(Self.bucketsPerWheel))
            // The buckets that have been entered since, the present one last; a finer wheel takes that one's entries.
            for step in 0..<steps {
                let bucket = Int((to - steps + 1 + step) & Int64(Self.bucketsPerWheel - 1))
                empty(bucket, of: wheel, in: table)
            }
            if wheel == 0 { empty(Int(from & Int64(Self.bucketsPerWheel - 1)), of: 0, in: table) }
        }
    }

    private mutating func empty(_ bucket: Int, of wheel: Int, in table: SlotTimers) {
        guard occupied[wheel] & 1 << UInt64(bucket) != 0 else { return }
        occupied[wheel] &= ~(1 << UInt64(bucket))
        let list = wheel * Self.bucketsPerWheel + bucket
        let end = Self.firstEnd + Slot(list)
        var slot = ends[list].next
        ends[list] = SlotTimers.Timer(previous: end, next: end)
        while slot != end {
            let next = table.timer(of: slot).next
            table.setTimer(SlotTimers.Timer(), of: slot)
            schedule(slot, in: table)
            slot = next
        }
    }

    /// Takes out an entry whose deadline has come; `none` if the list of due entries is empty.
    mutating func nextExpired(at now: Int64, in table: SlotTimers) -> Slot {
        let end = Self.firstEnd + Slot(Self.dueList)
        while true {
            let slot = ends[Self.dueList].next
            if slot == end { return .none }
            cancel(slot, in: table)
            if table.deadline(of: slot) <= now { return slot }
            schedule(slot, in: table)
            // With a clock that went back the entry may be due by the wheel's time, but not by the caller's.
            if table.deadline(of: slot) <= time { return .none }
        }
    }

    /// Looks at the entries of the present bucket too, which ``advance(to:in:)`` leaves for a millisecond. O(*n*) in their number.
    mutating func collectPresentBucket(in table: SlotTimers) {
        let bucket = Int(time >> Self.finestShift & Int64(Self.bucketsPerWheel - 1))
        empty(bucket, of: 0, in: table)
    }

    // MARK: Lists

    private static func shift(_ wheel: Int) -> Int64 { finestShift + Int64(wheel) * bucketBits }

    private mutating func append(_ slot: Slot, to list: Int, in table: SlotTimers) {
        let end = Self.firstEnd + Slot(list)
        let last = ends[list].previous
        table.setTimer(SlotTimers.Timer(previous: last, next: end), of: slot)
        setNext(slot, of: last, in: table)
        ends[list].previous = slot
    }

    private mutating func setNext(_ next: Slot, of slot: Slot, in table: SlotTimers) {
        if slot >= Self.firstEnd { ends[Int(slot - Self.firstEnd)].next = next } else { table.setNext(next, of: slot) }
    }

    private mutating func setPrevious(_ previous: Slot, of slot: Slot, in table: SlotTimers) {
        if slot >= Self.firstEnd { ends[Int(slot - Self.firstEnd)].previous = previous } else { table.setPrevious(previous, of: slot) }
    }

    /// Checks that every entry that expires has a timer that comes up in time, and no other has one. For tests.
    func checkInvariants(in whole: SlotTable) {
        guard let table = whole.timerColumns else { return }
        var timers = 0
        for list in ends.indices {
            let end = Self.firstEnd + Slot(list)
            var (slot, previous) = (ends[list].next, end)
            while slot != end {
                precondition(table.timer(of: slot).previous == previous, "the links of a bucket disagree")
                precondition(whole.flags(of: slot).segment != .free, "a free slot has a timer")
                // A deadline that was put off for ever keeps its timer until that comes up.
                if table.deadline(of: slot) < .max { timers += 1 }
                precondition(
                    whole.flags(of: slot).isDueSoon || SlotTicks.tick(table.deadline(of: slot)) >= horizon,
                    "an entry that expires before the horizon is not marked"
                )
                if list < Self.dueList {
                    let shift = Self.shift(list / Self.bucketsPerWheel)
                    let bucket = Int64(list % Self.bucketsPerWheel)
                    // The next time at which this bucket is emptied must not be later than a bucket's width after the deadline.
                    let next = (time >> shift) + (bucket - (time >> shift)) & Int64(Self.bucketsPerWheel - 1)
                    precondition(next <= table.deadline(of: slot) >> shift, "a timer comes up too late")
                    precondition(occupied[list / Self.bucketsPerWheel] & 1 << UInt64(bucket) != 0, "an occupied bucket is not marked")
                }
                (previous, slot) = (slot, table.timer(of: slot).next)
            }
            precondition(ends[list].previous == previous, "a bucket ends elsewhere")
        }
        let expiring = whole.usedSlots.count { whole.flags(of: $0).segment != .free && table.deadline(of: $0) < .max }
        precondition(timers == expiring, "an entry that expires has no timer")
    }
}
