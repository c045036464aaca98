// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

/// Names a stored response: everything that can change the answer.
///
/// Only responses to GET are stored, so the method is not part of the key.
package struct HTTPCacheKey: Hashable, Sendable {
    /// Private and shared caches, the partitions of users, and what is kept in memory only, never share an entry.
    package var scope: String
    /// The normalised target URI (RFC 9110 §4.2.3).
    package var targetURI: String
    /// The variant's part, for a response that was selected by request fields.
    package var variant: String?

    package init(scope: String, targetURI: String, variant: String? = nil) {
        self.scope = scope
        self.targetURI = targetURI
        self.variant = variant
    }

    /// The key in a store: scope, URI and variant, divided by line feeds, which none of the first two can contain.
    package var recordKey: RecordKey {
        RecordKey(variant.map { "\(scope)\n\(targetURI)\n\($0)" } ?? "\(scope)\n\(targetURI)")
    }

    /// Reads back what ``recordKey`` wrote; `nil` for a key that is not an HTTP cache's.
    package init?(recordKey: RecordKey) {
        guard let text = String(validating: recordKey.bytes, as: UTF8.self) else { return nil }
        let parts = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].hasPrefix("http-") else { return nil }
        self.init(scope: String(parts[0]), targetURI: String(parts[1]), variant: parts.count > 2 ? String(parts[2]) : nil)
    }

    /// The key of a piece of a long body, which belongs to no URI: whoever may have the response knows the number.
    package static func segment(_ index: Int, ofBody id: UInt64) -> Self {
        Self(scope: "http-body", targetURI: "", variant: "\(String(id, radix: 16))/\(index)")
    }

    /// Whether this is the key of a piece of a body.
    package var isSegment: Bool { scope == "http-body" }
}
