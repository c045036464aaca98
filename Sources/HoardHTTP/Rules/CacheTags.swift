// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The labels by which an origin can have its responses removed from caches.
///
/// No RFC defines them; content delivery networks read `Cache-Tag: a, b`, or `Surrogate-Key: a b`. The case of letters counts.
package enum CacheTags {
    /// The most tags that one response may have.
    package static let maximumCount = 1_000
    /// The most bytes that one tag may have.
    package static let maximumBytes = 1_024

    /// The tags of a response: those of ``usableTags(in:)``, or none.
    package static func tags(in responseFields: HTTPFields) -> Set<String> {
        usableTags(in: responseFields) ?? []
    }

    /// The tags of a response.
    ///
    /// - Returns: `nil` if there are more than ``maximumCount``, or if one is longer than ``maximumBytes``, holds a control character or is not
    ///   UTF-8. A response that could not be removed by one of its tags must not be stored: see ``Storability/Reason/tags``.
    package static func usableTags(in responseFields: HTTPFields) -> Set<String>? {
        var tags: Set<String> = []
        for line in responseFields.lines(of: .cacheTag) {
            for part in line.split(separator: .comma) where !add(part.trimmed, to: &tags) { return nil }
        }
        for line in responseFields.lines(of: .surrogateKey) {
            for part in line.split(whereSeparator: \.isOptionalWhitespace) where !add(part, to: &tags) { return nil }
        }
        return tags
    }

    private static func add(_ bytes: ArraySlice<UInt8>, to tags: inout Set<String>) -> Bool {
        if bytes.isEmpty { return true }
        guard bytes.count <= maximumBytes, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let tag = String(validating: bytes, as: UTF8.self)
        else { return false }
        tags.insert(tag)
        return tags.count <= maximumCount
    }
}
