// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The place of a command in the queue, shared by the task that waits and the thread that cancels it. The second of the two to act sees the first.
struct PlaceNumber: ~Copyable, Sendable {
    private static let unknown: UInt64 = 0
    private static let cancelled = UInt64.max

    private let value = Atomic(Self.unknown)

    /// - Returns: Whether the task was cancelled before.
    func assign(_ number: UInt64) -> Bool {
        !value.compareExchange(expected: Self.unknown, desired: number, ordering: .acquiringAndReleasing).exchanged
    }

    /// - Returns: The place, if it is known already.
    func cancel() -> UInt64? {
        let number = value.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
        return number == Self.unknown || number == Self.cancelled ? nil : number
    }
}
