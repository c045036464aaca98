// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A handler's remark on its answer, for the observer of exchanges. The server hands it on and reads nothing of it.
package struct ExchangeNote: Hashable, Sendable {
    /// Their meaning is the handler's.
    package var bits: UInt32
    package var duration: Duration?

    package init(bits: UInt32, duration: Duration? = nil) {
        self.bits = bits
        self.duration = duration
    }
}
