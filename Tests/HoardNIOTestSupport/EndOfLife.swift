// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Tells when it is released.
package final class EndOfLife: Sendable {
    private let tell: @Sendable () -> Void

    package init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    deinit {
        tell()
    }
}
