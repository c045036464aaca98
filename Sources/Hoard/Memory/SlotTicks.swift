// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Times of a table, in units of 2 to the power of 32 nanoseconds: 4.3 seconds.
@usableFromInline enum SlotTicks {
    @inlinable static var never: Int32 { .max }
    /// Before all times, so that each read has to look at the deadline.
    @inlinable static var always: Int32 { .min }

    @inlinable static func tick(_ time: Int64) -> Int32 { Int32(truncatingIfNeeded: time &>> 32) }
}
