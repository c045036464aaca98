// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A handler's remark on its answer, for the observer of exchanges. The server hands it on and reads nothing of it.
package struct ExchangeNote: Equatable, Sendable {
    /// Their meaning is the handler's.
    package var bits: UInt32
    package var duration: Duration?
    /// An object that goes with the exchange to its end, such as its span.
    package var attachment: (any AnyObject & Sendable)?

    package init(bits: UInt32, duration: Duration? = nil) {
        self.bits = bits
        self.duration = duration
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.bits == other.bits && one.duration == other.duration && one.attachment === other.attachment
    }
}
