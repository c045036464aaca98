// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPField.Name {
    /// Obsolete, but `Pragma: no-cache` still counts in a request without `Cache-Control`: RFC 9111 §5.4.
    package static let pragma = Self.constant("Pragma")
    /// RFC 9211.
    package static let cacheStatus = Self.constant("Cache-Status")

    /// Says which parts of the query do not matter: ``NoVarySearch``.
    package static let noVarySearch = Self.constant("No-Vary-Search")
    /// Labels for removal, separated by commas: ``CacheTags``.
    package static let cacheTag = Self.constant("Cache-Tag")
    /// Labels for removal, separated by spaces: ``CacheTags``.
    package static let surrogateKey = Self.constant("Surrogate-Key")
    /// A digest of the content: RFC 9530 §2.
    package static let contentDigest = Self.constant("Content-Digest")
    /// The digest of the content that RFC 2616 had: obsolete.
    static let contentMD5 = Self.constant("Content-MD5")
    /// A digest of the representation: RFC 9530 §3.
    package static let reprDigest = Self.constant("Repr-Digest")
    /// RFC 9530 §4.
    package static let wantContentDigest = Self.constant("Want-Content-Digest")
    /// RFC 9530 §4.
    package static let wantReprDigest = Self.constant("Want-Repr-Digest")
    /// The groups of a response: ``CacheGroups``.
    package static let cacheGroups = Self.constant("Cache-Groups")
    /// The groups that a response makes obsolete: ``CacheGroups``.
    package static let cacheGroupInvalidation = Self.constant("Cache-Group-Invalidation")
    /// The additions of the owner's policy to a stored response: ``PolicyField``. It is the cache's own, and never leaves it.
    package static let hoardPolicy = Self.constant("Hoard-Policy")
    /// RFC 8288 §3.
    package static let link = Self.constant("Link")
    /// RFC 9213 §3.
    package static let cdnCacheControl = Self.constant("CDN-Cache-Control")

    /// Makes a name from a literal of this file; a literal that is no field name is a mistake in this file.
    private static func constant(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }

    /// Whether a stored response without this field would be judged wrongly.
    ///
    /// The freshness, the age, the selection, the removal and the decoding of a response depend on these fields. A field in a message may ask that
    /// others be left out (`Connection`, `no-cache="…"`, `private="…"`). A cache that left out one of these would become less safe, so such a request
    /// is not obeyed. [RFC 9110 §7.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1) forbids sending it.
    var isNeededToJudgeStoredResponse: Bool {
        switch canonicalName {
        case "age", "cache-control", "date", "etag", "expires", "last-modified", "vary": true
        case "content-encoding", "content-range", "content-type", "cache-groups", "cache-tag", "surrogate-key", "hoard-policy": true
        default: canonicalName.hasSuffix("-cache-control")
        }
    }
}
