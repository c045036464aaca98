// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A flag that several threads set.
final class Flag: Sendable {
    private let isSet = Atomic(false)

    /// - Returns: The value before.
    @discardableResult
    func set(_ value: Bool) -> Bool { isSet.exchange(value, ordering: .acquiringAndReleasing) }
}
