// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An entity tag: an opaque name for one state of a resource.
///
/// A tag that breaks the grammar (no quotes, `w/` for `W/`) is compared whole, byte for byte, and never counts as strong. Equal bytes are still a
/// sign of equal content, but the sender's care is in doubt.
///
/// [RFC 9110 §8.8.3](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3)
package struct EntityTag: Hashable, Sendable {
    /// Whether equal tags promise only equivalent content, not equal bytes.
    package let isWeak: Bool
    /// The tag with its quotes and without its weakness flag.
    package let opaqueTag: [UInt8]

    /// Reads one tag, without spaces around it.
    package init(_ bytes: some Collection<UInt8>) {
        let hasWeakPrefix = bytes.starts(with: "W/\"".utf8)
        let opaque = Array(hasWeakPrefix ? bytes.dropFirst(2) : bytes.dropFirst(0))
        let isWellFormed =
            opaque.count >= 2 && opaque.first == .doubleQuote && opaque.last == .doubleQuote
            && opaque.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != .doubleQuote && $0 != 0x7F }
        self.isWeak = hasWeakPrefix || !isWellFormed
        self.opaqueTag = isWellFormed ? opaque : Array(bytes)
    }

    /// Strong comparison: [RFC 9110 §8.8.3.2](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaqueTag == other.opaqueTag
    }

    /// Weak comparison: [RFC 9110 §8.8.3.2](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.2).
    package func matchesWeakly(_ other: EntityTag) -> Bool {
        opaqueTag == other.opaqueTag
    }
}
