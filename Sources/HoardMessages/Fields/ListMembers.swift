// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The members of a comma-separated field value.
///
/// Commas within quotes do not separate, members are trimmed, and empty members are skipped
/// ([RFC 9110 §5.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1)). If a quote is never closed, the rest of the value is
/// split at every comma and its members are reported as damaged: better to see a directive too many than to overlook `no-store`.
///
/// Complexity: one pass over the bytes, whatever they are.
package struct ListMembers: Sequence, IteratorProtocol {
    package struct Member {
        package let bytes: ArraySlice<UInt8>
        /// Whether the member lies behind a quote that is never closed, or contains it.
        package let isDamaged: Bool
    }

    /// The syntax of text between quotes.
    package enum Quoting {
        /// `quoted-string`, where a backslash makes the next byte literal: RFC 9110 §5.6.4.
        case quotedString
        /// `opaque-tag`, where a backslash is a byte like any other: RFC 9110 §8.8.3.
        case entityTag
    }

    private let bytes: [UInt8]
    private let quoting: Quoting
    private var position = 0
    private var quoteIsOpen = false

    package init(_ bytes: [UInt8], quoting: Quoting = .quotedString) {
        self.bytes = bytes
        self.quoting = quoting
    }

    package mutating func next() -> Member? {
        while position < bytes.count {
            let start = position
            while position < bytes.count, bytes[position] != .comma {
                if bytes[position] == .doubleQuote, !quoteIsOpen {
                    skipQuoted()
                } else {
                    position += 1
                }
            }
            let member = bytes[start..<position].trimmed
            position += 1
            if !member.isEmpty { return Member(bytes: member, isDamaged: quoteIsOpen) }
        }
        return nil
    }

    /// Moves behind the closing quote, or only behind the opening one if there is no other. The latter happens once at most.
    private mutating func skipQuoted() {
        var end = position + 1
        while end < bytes.count, bytes[end] != .doubleQuote {
            end += quoting == .quotedString && bytes[end] == .backslash ? 2 : 1
        }
        if end < bytes.count {
            position = end + 1
        } else {
            quoteIsOpen = true
            position += 1
        }
    }
}
