// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

/// Names a stored response: everything that can change the answer.
///
/// Only responses to GET and QUERY are stored. The content of a QUERY is in ``variant``, so the method is not part of the key.
package struct HTTPCacheKey: Hashable, Sendable {
    /// Private and shared caches, the partitions of users, and responses that are kept in memory only, never share an
    /// entry.
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

    // Keys are told apart byte by byte, so that one can be found by its bytes: ``hashValue(scope:targetURI:)``.

    package static func == (left: Self, right: Self) -> Bool {
        guard left.targetURI.hasSameBytes(as: right.targetURI), left.scope.hasSameBytes(as: right.scope) else { return false }
        switch (left.variant, right.variant) {
        case (nil, nil): return true
        case (let left?, let right?): return left.hasSameBytes(as: right)
        default: return false
        }
    }

    package func hash(into hasher: inout Hasher) {
        var (scope, targetURI) = (scope, targetURI)
        scope.withUTF8 { scope in
            targetURI.withUTF8 { Self.hash(UnsafeRawBufferPointer(scope), UnsafeRawBufferPointer($0), into: &hasher) }
        }
        if var variant { variant.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) } }
    }

    private static func hash(_ scope: UnsafeRawBufferPointer, _ targetURI: UnsafeRawBufferPointer, into hasher: inout Hasher) {
        hasher.combine(scope.count)
        hasher.combine(bytes: scope)
        hasher.combine(bytes: targetURI)
        // No byte of UTF-8.
        hasher.combine(0xFF as UInt8)
    }

    /// The hash of a key without a variant.
    static func hashValue(scope: String, targetURI: UnsafeRawBufferPointer) -> Int {
        var (hasher, scope) = (Hasher(), scope)
        scope.withUTF8 { hash(UnsafeRawBufferPointer($0), targetURI, into: &hasher) }
        return hasher.finalize()
    }

    /// Whether this is the key of that URI, without a variant.
    @inline(__always)
    func isKey(scope: String, targetURI: UnsafeRawBufferPointer) -> Bool {
        variant == nil && self.targetURI.hasBytes(targetURI) && self.scope.hasSameBytes(as: scope)
    }

    /// The key in a store: scope, URI and variant, divided by line feeds, which none of the first two can contain.
    package var recordKey: RecordKey {
        RecordKey(variant.map { "\(scope)\n\(targetURI)\n\($0)" } ?? "\(scope)\n\(targetURI)")
    }

    /// Reads back the result of ``recordKey``; `nil` for a key that is not an HTTP cache's.
    package init?(recordKey: RecordKey) {
        guard let text = String(validating: recordKey.bytes, as: UTF8.self) else { return nil }
        let parts = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].hasPrefix("http-") else { return nil }
        self.init(scope: String(parts[0]), targetURI: String(parts[1]), variant: parts.count > 2 ? String(parts[2]) : nil)
    }

    /// Returns the key of a piece of a long body, which belongs to no URI. A caller that may have the response knows the number.
    package static func segment(_ index: Int, ofBody id: UInt64) -> Self {
        Self(scope: "http-body", targetURI: "", variant: "\(String(id, radix: 16))/\(index)")
    }

    /// Whether this is the key of a piece of a body.
    package var isSegment: Bool { scope == "http-body" }
}
