// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The bytes that many transfers may hold together.
final class ByteBudget: Sendable {
    private let bytesLeft: Atomic<Int>

    init(_ bytes: Int) {
        self.bytesLeft = Atomic(bytes)
    }

    /// Takes bytes if there are enough left.
    func take(_ count: Int) -> Bool {
        let (_, left) = bytesLeft.wrappingSubtract(count, ordering: .relaxed)
        if left >= 0 { return true }
        release(count)
        return false
    }

    func release(_ count: Int) {
        bytesLeft.wrappingAdd(count, ordering: .relaxed)
    }
}
