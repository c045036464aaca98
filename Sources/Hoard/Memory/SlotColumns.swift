// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The columns of a ``SlotTable`` that the eviction policy works with: hashes, lists, flags and weights.
///
/// Three pointers, so that it travels in registers. Valid until the table grows or is deallocated.
@usableFromInline struct SlotLinks {
    /// An entry's hash and its neighbours in the list that it is in.
    @usableFromInline struct Node {
        @usableFromInline var hash: UInt32
        /// The next older entry.
        @usableFromInline var previous: Slot
        /// The next newer entry; for a free slot, the next free one.
        @usableFromInline var next: Slot
    }

    @usableFromInline let nodes: UnsafeMutablePointer<Node>
    @usableFromInline let flags: UnsafeMutablePointer<SlotFlags>
    @usableFromInline let weights: UnsafeMutablePointer<Int>?

    @inlinable init(
        nodes: UnsafeMutablePointer<Node>,
        flags: UnsafeMutablePointer<SlotFlags>,
        weights: UnsafeMutablePointer<Int>?
    ) {
        self.nodes = nodes
        self.flags = flags
        self.weights = weights
    }

    func flags(of slot: Slot) -> SlotFlags { flags[Int(slot)] }
    func setFlags(_ newFlags: SlotFlags, of slot: Slot) { flags[Int(slot)] = newFlags }

    func hash(of slot: Slot) -> UInt32 { nodes[Int(slot)].hash }

    func previous(of slot: Slot) -> Slot { nodes[Int(slot)].previous }
    func next(of slot: Slot) -> Slot { nodes[Int(slot)].next }
    func setPrevious(_ previous: Slot, of slot: Slot) { nodes[Int(slot)].previous = previous }
    func setNext(_ next: Slot, of slot: Slot) { nodes[Int(slot)].next = next }

    /// The weight of the entry; 1 in a table without weights.
    func weight(of slot: Slot) -> Int { weights?[Int(slot)] ?? 1 }
    func setWeight(_ weight: Int, of slot: Slot) { weights?[Int(slot)] = weight }
}

/// The columns of a ``SlotTable`` that the ``TimerWheel`` works with. Valid until the table grows or is deallocated.
struct SlotTimers {
    /// An entry's neighbours in the timer wheel; both `none` if it has no timer.
    @usableFromInline struct Timer {
        @usableFromInline var previous: Slot = .none
        @usableFromInline var next: Slot = .none

        @usableFromInline init(previous: Slot = .none, next: Slot = .none) {
            self.previous = previous
            self.next = next
        }
    }

    private let timers: UnsafeMutablePointer<Timer>
    private let deadlines: UnsafeMutablePointer<Int64>
    private let flags: UnsafeMutablePointer<SlotFlags>

    init(timers: UnsafeMutablePointer<Timer>, deadlines: UnsafeMutablePointer<Int64>, flags: UnsafeMutablePointer<SlotFlags>) {
        self.timers = timers
        self.deadlines = deadlines
        self.flags = flags
    }

    /// The tick at which the entry expires; `Int64.max` for never.
    func deadline(of slot: Slot) -> Int64 { deadlines[Int(slot)] }

    func timer(of slot: Slot) -> Timer { timers[Int(slot)] }
    func setTimer(_ timer: Timer, of slot: Slot) { timers[Int(slot)] = timer }
    func setPrevious(_ previous: Slot, of slot: Slot) { timers[Int(slot)].previous = previous }
    func setNext(_ next: Slot, of slot: Slot) { timers[Int(slot)].next = next }

    /// Marks an entry whose deadline may lie before the ``TimerWheel/horizon``.
    func setDueSoon(_ isDueSoon: Bool, of slot: Slot) { flags[Int(slot)].isDueSoon = isDueSoon }
}
