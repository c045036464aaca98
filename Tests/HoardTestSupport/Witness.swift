// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A value that reports its own release, and runs a function at that moment.
package final class Witness: Sendable {
    package let number: Int
    private let onRelease: @Sendable (Int) -> Void

    package init(_ number: Int = 0, onRelease: @escaping @Sendable (Int) -> Void) {
        self.number = number
        self.onRelease = onRelease
    }

    deinit { onRelease(number) }
}
