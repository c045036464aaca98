// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A reason for a decision of the cache.
///
/// All of them are in ``catalogue``, which `docs/http-decisions.md` lists.
package struct HTTPDecision: Hashable, Sendable, CustomStringConvertible {
    /// The kind of decision that a reason explains.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case storing, combining, updating, notStoring, reusing, forwarding, stale, generating, invalidating
    }

    /// A constant in capitals, for the `detail` parameter of `Cache-Status`: [RFC 9211 §2.8](https://www.rfc-editor.org/rfc/rfc9211#section-2.8).
    package let token: String
    package let kind: Kind
    /// Where the rule stands, such as `RFC 9111 §4.2`.
    package let section: String
    /// The reason in one sentence.
    package let sentence: String

    init(_ token: String, _ kind: Kind, _ section: String, _ sentence: String) {
        self.token = token
        self.kind = kind
        self.section = section
        self.sentence = sentence
    }

    /// The reason in words, and where the rule stands.
    package var description: String { "\(sentence) (\(section))" }

    /// One decision is another if they have the same token and are about the same thing.
    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.token == right.token
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(token)
    }
}
