// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Holds a body to the length it was announced with.
///
/// The part that completes the length is held back until the body has ended. So the check finds a body that is too long while its
/// receiver still misses a byte.
package struct LengthCheck {
    private var missingByteCount: Int
    private var heldBack: ByteBuffer?

    package init(byteCount: Int) {
        missingByteCount = byteCount
    }

    package enum Action: Equatable {
        case send(ByteBuffer)
        case hold
        /// The body is longer than announced.
        case fail
    }

    /// The body has yielded a part that is not empty.
    package mutating func next(_ part: ByteBuffer) -> Action {
        guard part.readableBytes <= missingByteCount else { return .fail }
        missingByteCount -= part.readableBytes
        guard missingByteCount == 0 else { return .send(part) }
        heldBack = part
        return .hold
    }

    package enum EndAction: Equatable {
        /// The response is complete after this, which can be `nil` if it is empty.
        case send(ByteBuffer?)
        /// The body is shorter than announced.
        case fail
    }

    /// The body has ended.
    package mutating func end() -> EndAction {
        missingByteCount == 0 ? .send(heldBack.take()) : .fail
    }
}
